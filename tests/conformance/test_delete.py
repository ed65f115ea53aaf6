"""Deleting objects: at once, or when those whose finalizers they carry have let go; one by one, or many at once."""

import pytest


async def _there(home, name="a"):
    return (await home.get(home.at("secrets", name))).code == 200


async def test_what_nobody_holds_goes_at_once(home):
    """The answer says what went."""
    made = await home.make("secrets", "a")
    gone = await home.delete(home.at("secrets", "a"))
    assert (gone.code, gone.body["kind"], gone.body["status"]) == (200, "Status", "Success")
    assert gone.body["details"] == {"name": "a", "kind": "secrets", "uid": made.body["metadata"]["uid"]}
    again = await home.delete(home.at("secrets", "a"))
    assert (again.code, again.reason) == (404, "NotFound")


async def test_a_finalizer_holds_an_object(home):
    """Until whoever put it there takes it away. A second delete changes nothing."""
    await home.make("secrets", "a", {"finalizers": ["x.y/z"]})
    path = home.at("secrets", "a")
    dying = await home.delete(path)
    assert (dying.code, dying.body["kind"]) == (200, "Secret")
    assert dying.body["metadata"]["deletionGracePeriodSeconds"] == 0
    again = await home.delete(path)
    assert (again.version, again.body["metadata"]["deletionTimestamp"]) == (dying.version, dying.body["metadata"]["deletionTimestamp"])
    assert (await home.post(home.at("secrets"), {"metadata": {"name": "a"}})).code == 409
    assert (await home.patch(path, {"metadata": {"finalizers": None}})).code == 200
    assert (await home.get(path)).code == 404


async def test_an_object_that_is_dying_still_changes(home):
    """But it takes no new finalizer, and it does not come back."""
    await home.make("secrets", "a", {"finalizers": ["x.y/z"]})
    path = home.at("secrets", "a")
    dying = await home.delete(path)
    assert (await home.patch(path, {"data": {"k": "dg=="}})).code == 200
    more = await home.patch(path, {"metadata": {"finalizers": ["x.y/z", "x.y/w"]}})
    assert (more.code, more.reason) == (422, "Invalid")
    back = await home.patch(path, {"metadata": {"deletionTimestamp": None}})
    assert back.body["metadata"]["deletionTimestamp"] == dying.body["metadata"]["deletionTimestamp"]
    await home.patch(path, {"metadata": {"finalizers": None}})


async def test_the_end_of_a_custom_object_is_a_new_generation(widgets):
    """Its controller sees that something is wanted of it."""
    await widgets.make("widgets", "a", {"finalizers": ["x.y/z"]})
    dying = await widgets.delete(widgets.at("widgets", "a"))
    assert dying.body["metadata"]["generation"] == 2
    assert (await widgets.patch(widgets.at("widgets", "a"), {"metadata": {"finalizers": None}})).code == 200
    await widgets.gone(widgets.at("widgets", "a"))


@pytest.mark.parametrize("field", ["uid", "resourceVersion"])
async def test_only_the_object_that_was_seen_is_deleted(home, field):
    """Another one of the same name, or a newer one, stays."""
    made = await home.make("secrets", "a")
    refused = await home.delete(home.at("secrets", "a"), {"preconditions": {field: "1"}})
    assert (refused.code, refused.reason) == (409, "Conflict")
    assert await _there(home)
    assert (await home.delete(home.at("secrets", "a"), {"preconditions": {field: made.body["metadata"][field]}})).code == 200
    assert not await _there(home)


async def test_options_that_contradict_each_other_delete_nothing(home):
    """A delete is not taken back."""
    await home.make("secrets", "a")
    path = home.at("secrets", "a")
    for body in (
        {"propagationPolicy": "Bogus"},
        {"propagationPolicy": "Orphan", "orphanDependents": True},
        {"dryRun": ["x"]},
    ):
        reply = await home.delete(path, body)
        assert (reply.code, reply.reason) == (422, "Invalid"), body
    assert (await home.delete(path, dryRun="x")).code == 422
    assert await _there(home)


async def test_a_body_speaks_alone(home):
    """With one, the parameters of the URL say nothing."""
    await home.make("secrets", "a")
    assert (await home.delete(home.at("secrets", "a"), {"dryRun": ["All"]}, propagationPolicy="Bogus")).code == 200
    assert await _there(home)
    assert (await home.delete(home.at("secrets", "a"), {"apiVersion": "v1", "kind": "DeleteOptions"}, dryRun="All")).code == 200
    assert not await _there(home)


async def test_a_rehearsed_delete_deletes_nothing(home):
    """In the URL or in the body."""
    await home.make("secrets", "a", {"finalizers": ["x.y/z"]})
    await home.make("secrets", "b")
    for name in "ab":
        assert (await home.delete(home.at("secrets", name), dryRun="All")).code == 200
        assert (await home.delete(home.at("secrets", name), {"dryRun": ["All"]})).code == 200
        assert "deletionTimestamp" not in (await home.get(home.at("secrets", name))).body["metadata"]
    await home.patch(home.at("secrets", "a"), {"metadata": {"finalizers": None}})


async def test_a_selection_is_deleted_at_once(home):
    """The others stay."""
    for name, labels in (("a", {"x": "1"}), ("b", {"x": "1"}), ("c", {"x": "2"})):
        await home.make("secrets", name, {"labels": labels})
    gone = await home.delete(home.at("secrets"), labelSelector="x=1")
    assert (gone.code, gone.body["kind"], sorted(gone.names)) == (200, "SecretList", ["a", "b"])
    assert (await home.get(home.at("secrets"), labelSelector="x")).names == ["c"]
    assert (await home.delete(home.at("secrets"), labelSelector="x", fieldSelector="metadata.name=zz")).names == []


async def test_a_collection_of_held_objects_begins_to_end(home):
    """Each waits for its own finalizers."""
    await home.make("secrets", "a", {"finalizers": ["x.y/z"], "labels": {"x": "1"}})
    assert (await home.delete(home.at("secrets"), labelSelector="x")).names == ["a"]
    assert "deletionTimestamp" in (await home.get(home.at("secrets", "a"))).body["metadata"]
    await home.patch(home.at("secrets", "a"), {"metadata": {"finalizers": None}})


async def test_a_mistake_in_a_selection_deletes_nothing(home):
    """Else a slip would empty a namespace."""
    await home.make("secrets", "a", {"labels": {"x": "1"}})
    for query in ({"labelSelector": "a b"}, {"fieldSelector": "bogus=1"}, {"limit": "x"}, {"propagationPolicy": "x"}, {"dryRun": "x"}):
        assert (await home.delete(home.at("secrets"), **query)).code in {400, 422}, query
    assert await _there(home)
    assert (await home.delete(home.at("secrets"), labelSelector="x", dryRun="All")).code == 200
    assert await _there(home)


async def test_who_asks_for_a_version_can_not_end_by_a_policy(home):
    """Kubernetes compares the version once more when the policy's finalizer is away, with nothing: it is always another one."""
    made = await home.make("configmaps", "a", {"finalizers": ["orphan"]})
    wanted = {"propagationPolicy": "Background", "preconditions": {"resourceVersion": made.version}}
    assert (await home.delete(home.at("configmaps", "a"), wanted)).code == 409
    assert (await home.get(home.at("configmaps", "a"))).version == made.version
    by_uid = {"propagationPolicy": "Background", "preconditions": {"uid": made.body["metadata"]["uid"]}}
    assert (await home.delete(home.at("configmaps", "a"), by_uid)).code == 200


async def test_an_end_is_asked_for_and_not_written(home):
    """Who writes the times of an end himself is refused; of an object that is going they are passed over."""
    await home.make("configmaps", "a", {"finalizers": ["x.y/z"]})
    for field, value in (("deletionTimestamp", "2020-01-01T00:00:00Z"), ("deletionGracePeriodSeconds", 5)):
        assert (await home.patch(home.at("configmaps", "a"), {"metadata": {field: value}})).code == 422
    dying = await home.delete(home.at("configmaps", "a"))
    written = await home.patch(home.at("configmaps", "a"), {"metadata": {"deletionTimestamp": "2020-01-01T00:00:00Z"}})
    assert (written.code, written.body["metadata"]["deletionTimestamp"]) == (200, dying.body["metadata"]["deletionTimestamp"])
    await home.patch(home.at("configmaps", "a"), {"metadata": {"finalizers": None}})
