"""What a strategic merge patch says where there is nothing yet to merge with."""

from tests.support.raw_api import STRATEGIC


async def test_a_map_that_replaces_nothing_is_no_part_of_the_patch(home):
    """The directive is taken for all of it."""
    await home.make("configmaps", "a")
    patch = {"data": {"$patch": "replace", "k": "v"}, "metadata": {"labels": {"$patch": "delete"}, "annotations": {"n": "1", "m": None}}}
    patched = await home.patch(home.at("configmaps", "a"), patch, kind=STRATEGIC)

    assert "data" not in patched.body
    assert "labels" not in patched.body["metadata"]
    assert patched.body["metadata"]["annotations"] == {"n": "1"}


async def test_a_map_that_replaces_another_is_taken_to_the_letter(home):
    """Null is the empty text in a map of texts, when nothing is merged that it could take away."""
    await home.make("configmaps", "a", data={"old": "1"})
    patched = await home.patch(home.at("configmaps", "a"), {"data": {"$patch": "replace", "k": None}}, kind=STRATEGIC)
    assert patched.body["data"] == {"k": ""}


async def test_a_new_list_is_taken_as_it_is(home):
    """Scalars are not told apart, owners are by the one rule for all writes, and the writer is warned of it."""
    await home.make("configmaps", "a")
    owner = {"apiVersion": "v1", "kind": "Secret", "name": "o", "uid": "u"}
    metadata = {"finalizers": ["x.y/z", "x.y/z"], "ownerReferences": [owner, owner, {**owner, "uid": "w", "$patch": "delete"}]}
    patched = await home.patch(home.at("configmaps", "a"), {"metadata": metadata}, kind=STRATEGIC)

    assert patched.body["metadata"]["finalizers"] == ["x.y/z", "x.y/z"]
    assert patched.body["metadata"]["ownerReferences"] == [owner]
    assert "duplicate entries" in patched.headers["warning"]
    await home.patch(home.at("configmaps", "a"), {"metadata": {"finalizers": None, "ownerReferences": None}})


async def test_a_list_that_is_there_is_merged_as_a_set(home):
    """So two who add the same finalizer add it once."""
    await home.make("configmaps", "a", {"finalizers": ["x.y/z"]})
    patched = await home.patch(home.at("configmaps", "a"), {"metadata": {"finalizers": ["x.y/w", "x.y/w", "x.y/z"]}}, kind=STRATEGIC)
    assert patched.body["metadata"]["finalizers"] == ["x.y/w", "x.y/z"]
    await home.patch(home.at("configmaps", "a"), {"metadata": {"finalizers": None}})


async def test_items_that_share_a_key_are_kept_apart(home):
    """Two owners may have one uid; who adds a third must not take one of them away."""
    owners = [{"apiVersion": "v1", "kind": "Secret", "name": name, "uid": uid} for name, uid in (("a", "u"), ("b", "w"), ("c", "u"))]
    await home.make("nodes", name := home.own("nodes", "n"), {"ownerReferences": owners})
    new = {"apiVersion": "v1", "kind": "Secret", "name": "d", "uid": "x"}
    patched = await home.patch(home.at("nodes", name), {"metadata": {"ownerReferences": [new]}}, kind=STRATEGIC)
    assert [owner["name"] for owner in patched.body["metadata"]["ownerReferences"]] == ["d", "a", "c", "b"]
