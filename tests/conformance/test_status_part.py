"""The status of a custom object: written through its own path, and through nothing else."""

from tests.support.home import causes
from tests.support.raw_api import JSON_PATCH


async def _made(home):
    await home.make("widgets", "w", spec={"size": 1})
    return home.at("widgets", "w"), home.at("widgets", "w", "status")


async def test_status_is_written_through_its_path_alone(widgets):
    """Who may write wishes may not write what is."""
    path, part = await _made(widgets)
    assert "status" not in (await widgets.patch(path, {"status": {"phase": "A"}, "spec": {"size": 2}})).body
    after = await widgets.patch(part, {"status": {"phase": "B"}, "spec": {"size": 9}})
    assert (after.body["status"], after.body["spec"]["size"]) == ({"phase": "B"}, 2)
    kept = await widgets.patch(path, {"status": {"phase": "C"}})
    assert (kept.body["status"], kept.version) == ({"phase": "B"}, after.version)


async def test_a_status_write_leaves_metadata_alone(widgets):
    """Labels, annotations and finalizers are wishes."""
    _, part = await _made(widgets)
    patch = {"metadata": {"labels": {"l": "1"}, "annotations": {"a": "1"}, "finalizers": ["x.y/z"]}, "status": {"phase": "A"}}
    after = await widgets.patch(part, patch)
    assert after.code == 200
    assert not {"labels", "annotations", "finalizers"} & set(after.body["metadata"])


async def test_status_is_validated_and_pruned(widgets):
    """By its part of the schema."""
    _, part = await _made(widgets)
    refused = await widgets.patch(part, {"status": {"phase": 5}})
    assert (refused.code, causes(refused)) == (422, [("FieldValueTypeInvalid", "status.phase")])
    assert (await widgets.patch(part, {"status": {"phase": "A", "zz": 1}})).body["status"] == {"phase": "A"}


async def test_status_is_read_replaced_and_taken_away(widgets):
    """GET and PUT as for the whole, and null."""
    path, part = await _made(widgets)
    whole = await widgets.get(part)
    assert whole.body == (await widgets.get(path)).body
    replaced = await widgets.put(part, {**whole.body, "status": {"seen": 3}, "spec": {"size": 50}})
    assert (replaced.body["status"], replaced.body["spec"]["size"]) == ({"seen": 3}, 1)
    stale = await widgets.put(part, {**whole.body, "status": {"seen": 4}})
    assert (stale.code, stale.reason) == (409, "Conflict")
    tested = [{"op": "test", "path": "/status/seen", "value": 3}, {"op": "replace", "path": "/status/seen", "value": 5}]
    assert (await widgets.patch(part, tested, kind=JSON_PATCH)).body["status"] == {"seen": 5}
    assert "status" not in (await widgets.patch(part, {"status": None})).body


async def test_nothing_is_made_or_deleted_through_status(widgets):
    """And the path of what a kind has not, is not there."""
    path, part = await _made(widgets)
    assert [(await widgets.post(part, {})).code, (await widgets.delete(part)).code] == [405, 405]
    assert [(await widgets.get(f"{path}/{name}")).code for name in ("scale", "nope")] == [404, 404]


async def test_a_namespaces_status_is_not_its_owners(home):
    """Kubernetes' own kinds have it, too."""
    name = home.own("namespaces", "ns")
    await home.make("namespaces", name)
    after = await home.patch(home.at("namespaces", name), {"status": {"phase": "Terminating"}, "spec": {"finalizers": []}})
    assert (after.body["status"]["phase"], after.body["spec"]) == ("Active", {"finalizers": ["kubernetes"]})


async def test_a_node_is_made_with_its_status(home):
    """As a kubelet does."""
    name = home.own("nodes", "node")
    made = await home.make("nodes", name, status={"capacity": {"cpu": "4"}})
    assert made.body["status"]["capacity"] == {"cpu": "4"}
    after = await home.patch(home.at("nodes", name), {"status": {"capacity": {"cpu": "8"}}})
    assert after.body["status"]["capacity"] == {"cpu": "4"}
    told = await home.patch(home.at("nodes", name, "status"), {"status": {"capacity": {"cpu": "8"}}})
    assert told.body["status"]["capacity"] == {"cpu": "8"}
