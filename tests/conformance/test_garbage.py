"""Objects that go when their owners go, before them, or not at all."""


def _owner(reply, **more):
    kind = {"Secret": ("v1", "Secret"), "ConfigMap": ("v1", "ConfigMap")}[reply.body["kind"]]
    metadata = reply.body["metadata"]
    return {"apiVersion": kind[0], "kind": kind[1], "name": metadata["name"], "uid": metadata["uid"], **more}


async def _family(home, **more):
    """An owner and what it owns."""
    owner = await home.make("secrets", "owner")
    await home.make("configmaps", "child", {"ownerReferences": [_owner(owner, **more)]})
    return home.at("secrets", "owner"), home.at("configmaps", "child")


async def test_what_is_owned_goes_after_its_owner(home):
    """In the background: the owner is gone at once."""
    owner, child = await _family(home)
    assert (await home.delete(owner, {"propagationPolicy": "Background"})).body["status"] == "Success"
    assert (await home.get(owner)).code == 404
    await home.gone(child)


async def test_without_a_word_it_is_the_background(home):
    """For every kind that is served here."""
    owner, child = await _family(home)
    await home.delete(owner)
    await home.gone(owner, child)


async def test_in_the_foreground_the_owner_goes_last(home):
    """It waits for those that block it."""
    owner, child = await _family(home, blockOwnerDeletion=True)
    await home.patch(child, {"metadata": {"finalizers": ["x.y/z"]}})
    dying = await home.delete(owner, {"propagationPolicy": "Foreground"})
    assert dying.body["metadata"]["finalizers"] == ["foregroundDeletion"]

    async def child_is_dying():
        return "deletionTimestamp" in (await home.get(child)).body["metadata"]

    await home.until(child_is_dying)
    assert (await home.get(owner)).code == 200
    await home.patch(child, {"metadata": {"finalizers": None}})
    await home.gone(child, owner)


async def test_orphans_stay(home):
    """And do not name an owner any more."""
    owner, child = await _family(home)
    dying = await home.delete(owner, {"propagationPolicy": "Orphan"})
    assert dying.body["metadata"]["finalizers"] == ["orphan"]
    await home.gone(owner)
    assert "ownerReferences" not in (await home.get(child)).body["metadata"]


async def test_one_of_two_owners_is_enough_to_stay(home):
    """The last one takes it along; the one that is gone is forgotten."""
    first, second = await home.make("secrets", "a"), await home.make("secrets", "b")
    child = home.at("configmaps", "child")
    await home.make("configmaps", "child", {"ownerReferences": [_owner(first), _owner(second)]})
    await home.delete(home.at("secrets", "a"))

    async def one_is_left():
        return [owner["name"] for owner in (await home.get(child)).body["metadata"]["ownerReferences"]] == ["b"]

    await home.until(one_is_left)
    await home.delete(home.at("secrets", "b"))
    await home.gone(child)


async def test_an_owner_that_never_was_takes_its_own_along(home):
    """Another object of the same name is not the owner."""
    owner = await home.make("secrets", "owner")
    await home.make("configmaps", "child", {"ownerReferences": [_owner(owner, uid="00000000-0000-0000-0000-000000000000")]})
    await home.gone(home.at("configmaps", "child"))
    assert (await home.get(home.at("secrets", "owner"))).code == 200


async def test_a_chain_goes_link_by_link(home):
    """Grandchildren, too."""
    owner = await home.make("secrets", "a")
    child = await home.make("secrets", "b", {"ownerReferences": [_owner(owner)]})
    await home.make("configmaps", "c", {"ownerReferences": [_owner(child)]})
    await home.delete(home.at("secrets", "a"))
    await home.gone(home.at("secrets", "b"), home.at("configmaps", "c"))


async def test_a_custom_object_owns_and_is_owned(widgets):
    """As any other."""
    made = await widgets.make("widgets", "w")
    metadata = made.body["metadata"]
    owner = {"apiVersion": made.body["apiVersion"], "kind": "Widget", "name": "w", "uid": metadata["uid"]}
    await widgets.make("configmaps", "c", {"ownerReferences": [owner]})
    await widgets.delete(widgets.at("widgets", "w"))
    await widgets.gone(widgets.at("widgets", "w"), widgets.at("configmaps", "c"))
