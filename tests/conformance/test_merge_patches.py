"""Merge patches and strategic merge patches."""

import pytest
from tests.support.home import causes, kept
from tests.support.raw_api import MERGE, STRATEGIC


@pytest.fixture(params=[MERGE, STRATEGIC], ids=["merge", "strategic"])
def kind(request):
    return request.param


async def test_a_patch_changes_what_it_names(home, kind):
    """Null removes, and what is not named stays."""
    await home.make("configmaps", "a", {"labels": {"l": "1", "m": "1"}}, data={"keep": "1", "drop": "1"})
    patch = {"data": {"drop": None, "new": "2", "absent": None}, "metadata": {"labels": {"m": None}}}
    after = await home.patch(home.at("configmaps", "a"), patch, kind=kind)
    assert (after.code, after.body["data"], after.body["metadata"]["labels"]) == (200, {"keep": "1", "new": "2"}, {"l": "1"})


async def test_a_patch_that_changes_nothing_writes_nothing(home, kind):
    """However it is said."""
    made = await home.make("configmaps", "a", data={"k": "1"})
    for patch in ({}, {"data": {"k": "1"}}, {"data": {"absent": None}}, {"kind": "ConfigMap"}, {"metadata": {"selfLink": "/x"}}):
        after = await home.patch(home.at("configmaps", "a"), patch, kind=kind)
        assert (after.code, after.version) == (200, made.version), patch


async def test_a_version_in_a_patch_is_a_condition(home, kind):
    """How a client says: only if it is still what I saw. 0 and nothing say nothing."""
    made = await home.make("configmaps", "a")
    path = home.at("configmaps", "a")
    stale = await home.patch(path, {"metadata": {"resourceVersion": "1"}, "data": {"k": "1"}}, kind=kind)
    assert (stale.code, stale.reason) == (409, "Conflict")
    for version in (made.version, "0", "", None):
        patch = {"metadata": {"resourceVersion": version}, "data": {"k": str(version)}}
        assert (await home.patch(path, patch, kind=kind)).code == 200, version


async def test_a_patch_does_not_change_identity(home, kind):
    """Nor take it away."""
    await home.make("configmaps", "a")
    path = home.at("configmaps", "a")
    codes = {}
    for field, value in (("name", "zz"), ("name", None), ("namespace", "zz"), ("namespace", None), ("uid", "zz"), ("uid", None)):
        codes[field, value] = (await home.patch(path, {"metadata": {field: value}}, kind=kind)).code
    assert list(codes.values()) == [400, 400, 400, 200, 422, 200], codes
    assert (await home.patch(path, {"metadata": None}, kind=kind)).code == 400


async def test_a_patch_does_not_change_when(home, kind):
    """Made once."""
    made = await home.make("configmaps", "a")
    for time in ("2001-01-01T00:00:00Z", None):
        after = await home.patch(home.at("configmaps", "a"), {"metadata": {"creationTimestamp": time}}, kind=kind)
        assert after.body["metadata"]["creationTimestamp"] == made.body["metadata"]["creationTimestamp"]
    dying = await home.patch(home.at("configmaps", "a"), {"metadata": {"deletionTimestamp": "2001-01-01T00:00:00Z"}}, kind=kind)
    assert (dying.code, set(causes(dying))) == (422, {("FieldValueInvalid", "metadata.deletionTimestamp")})


async def test_nothing_is_made_by_a_patch(home, kind):
    """Unlike by server-side apply."""
    reply = await home.patch(home.at("configmaps", "zz"), {"data": {}}, kind=kind)
    assert (reply.code, reply.reason, reply.body["details"]) == (404, "NotFound", {"name": "zz", "kind": "configmaps"})


async def test_a_merge_patch_replaces_lists(home):
    """And a strategic one merges those that have a key."""
    await home.make("configmaps", "a", {"finalizers": ["x.y/a"]})
    path = home.at("configmaps", "a")
    merged = await home.patch(path, {"metadata": {"finalizers": ["x.y/b"]}}, kind=STRATEGIC)
    assert sorted(merged.body["metadata"]["finalizers"]) == ["x.y/a", "x.y/b"]
    replaced = await home.patch(path, {"metadata": {"finalizers": ["x.y/c"]}}, kind=MERGE)
    assert replaced.body["metadata"]["finalizers"] == ["x.y/c"]
    directed = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["x.y/c"]}}
    assert "finalizers" not in (await home.patch(path, directed, kind=STRATEGIC)).body["metadata"]


async def test_a_strategic_patch_merges_by_key(home):
    """Taints of a node are one per key; owners one per uid."""
    name = home.own("nodes", "node")
    await home.make("nodes", name, spec={"taints": [{"key": "a", "effect": "NoSchedule", "value": "1"}]})
    patch = {"spec": {"taints": [{"key": "b", "effect": "NoExecute"}]}}
    after = await home.patch(home.at("nodes", name), patch, kind=STRATEGIC)
    assert [taint["key"] for taint in after.body["spec"]["taints"]] in (["b"], ["b", "a"], ["a", "b"])
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "1"}
    await home.make("secrets", "s", {"ownerReferences": [owner], "finalizers": ["x.y/z"]})
    other = {"metadata": {"ownerReferences": [{**owner, "uid": "2"}, {"uid": "1", "name": "p"}]}}
    owned = await home.patch(home.at("secrets", "s"), other, kind=STRATEGIC, dryRun="All")
    assert {(item["uid"], item["name"]) for item in owned.body["metadata"]["ownerReferences"]} == {("1", "p"), ("2", "o")}
    await home.patch(home.at("secrets", "s"), {"metadata": {"finalizers": None}})


async def test_a_strategic_patch_replaces_on_demand(home):
    """``$patch: replace`` and ``$patch: delete``."""
    await home.make("configmaps", "a", {"labels": {"l": "1"}}, data={"k": "1", "l": "2"})
    path = home.at("configmaps", "a")
    replaced = await home.patch(path, {"data": {"$patch": "replace", "m": "3"}}, kind=STRATEGIC)
    assert replaced.body["data"] == {"m": "3"}
    removed = await home.patch(path, {"data": {"$patch": "delete"}}, kind=STRATEGIC)
    assert "data" not in removed.body or removed.body["data"] == {}


async def test_a_custom_object_is_merged(widgets):
    """Deep down, with lists replaced whole."""
    await widgets.make("widgets", "a", spec={"size": 1, "open": {"x": {"y": 1, "z": 2}}, "parts": [{"name": "p"}]})
    patch = {"spec": {"open": {"x": {"y": None, "w": 3}}, "parts": [{"name": "q"}]}}
    after = await widgets.patch(widgets.at("widgets", "a"), patch)
    spec = kept(after)["spec"]
    assert (spec["size"], spec["open"], spec["parts"]) == (1, {"x": {"z": 2, "w": 3}}, [{"name": "q", "weight": 1}])
