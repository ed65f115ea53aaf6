"""JSON patches (RFC 6902), as kube-apiserver's library reads them."""

from tests.support.raw_api import JSON_PATCH

_DATA = {"a": "1", "b": "2"}


async def _made(home):
    await home.make("configmaps", "p", {"annotations": {"x": "1"}, "finalizers": ["x.y/a", "x.y/b"]}, data=_DATA)


async def _run(home, *operations, dry=True):
    return await home.patch(home.at("configmaps", "p"), list(operations), kind=JSON_PATCH, **({"dryRun": "All"} if dry else {}))


async def test_each_operation_does_what_it_says(home):
    """The six of them."""
    await _made(home)
    outcomes = []
    for operation in (
        {"op": "add", "path": "/data/c", "value": "3"},
        {"op": "add", "path": "/data/a", "value": "9"},
        {"op": "replace", "path": "/data/a", "value": "9"},
        {"op": "remove", "path": "/data/a"},
        {"op": "copy", "from": "/data/a", "path": "/data/c"},
        {"op": "move", "from": "/data/a", "path": "/data/c"},
        {"op": "test", "path": "/data/a", "value": "1"},
        {"op": "add", "path": "/data/c", "value": "3", "more": 1},
    ):
        reply = await _run(home, operation)
        assert reply.code == 200, operation
        outcomes.append(reply.body["data"])
    assert outcomes == [
        {**_DATA, "c": "3"}, {**_DATA, "a": "9"}, {**_DATA, "a": "9"}, {"b": "2"}, {**_DATA, "c": "1"}, {"b": "2", "c": "1"}, _DATA,
        {**_DATA, "c": "3"},
    ]  # fmt: skip
    await home.patch(home.at("configmaps", "p"), {"metadata": {"finalizers": None}})


async def test_an_operation_that_can_not_be_done_is_invalid(home):
    """Nothing of the patch is done then, and the refusal has no causes."""
    await _made(home)
    for operation in (
        {"op": "test", "path": "/data/a", "value": "x"},
        {"op": "test", "path": "/data/absent", "value": "1"},
        {"op": "test", "path": "/binaryData/absent", "value": None},
        {"op": "test", "path": "", "value": {}},
        {"op": "remove", "path": "/data/absent"},
        {"op": "remove", "path": ""},
        {"op": "move", "from": "/data/absent", "path": "/data/c"},
        {"op": "move", "from": "/data", "path": "/data/x"},
        {"op": "add", "path": "/absent/c", "value": "1"},
        {"op": "frob", "path": "/data/c"},
        {"op": "ADD", "path": "/data/c", "value": "1"},
        {"path": "/data/c", "value": "1"},
        {"op": "add", "value": "1"},
        {"op": "add", "path": "data", "value": "1"},
        {"op": "add", "path": "/metadata/finalizers/99", "value": "x.y/c"},
        {"op": "add", "path": "/metadata/finalizers/x", "value": "x.y/c"},
        {"op": "replace", "path": "", "value": "x"},
        {"op": "add", "path": "", "value": []},
    ):
        reply = await _run(home, {"op": "add", "path": "/data/before", "value": "1"}, operation, dry=False)
        assert (reply.code, reply.reason) == (422, "Invalid"), operation
        assert not reply.body["details"].get("causes"), operation
    assert (await home.get(home.at("configmaps", "p"))).body["data"] == _DATA
    await home.patch(home.at("configmaps", "p"), {"metadata": {"finalizers": None}})


async def test_what_is_absent_counts_as_null(home):
    """A test for null passes on a key that is not there; copying it makes one without a value."""
    await _made(home)
    assert (await _run(home, {"op": "test", "path": "/data/absent", "value": None})).code == 200
    assert (await _run(home, {"op": "test", "path": "/data/absent"})).code == 200
    assert (await _run(home, {"op": "test", "path": "/data/a", "value": None})).code == 422
    for operation in (
        {"op": "copy", "from": "/data/absent", "path": "/data/c"},
        {"op": "add", "path": "/data/c"},
        {"op": "add", "path": "/data/c", "value": None},
    ):
        assert (await _run(home, operation)).body["data"] == {**_DATA, "c": ""}, operation
    await home.patch(home.at("configmaps", "p"), {"metadata": {"finalizers": None}})


async def test_a_list_has_places(home):
    """A dash is its end, negative numbers count from there."""
    await _made(home)
    lists = {}
    for place in ("-", "0", "1", "-1", "01"):
        reply = await _run(home, {"op": "add", "path": f"/metadata/finalizers/{place}", "value": "x.y/c"})
        lists[place] = [name[-1] for name in reply.body["metadata"]["finalizers"]]
    assert lists == {"-": ["a", "b", "c"], "0": ["c", "a", "b"], "1": ["a", "c", "b"], "-1": ["a", "b", "c"], "01": ["a", "c", "b"]}
    removed = await _run(home, {"op": "remove", "path": "/metadata/finalizers/-1"})
    assert removed.body["metadata"]["finalizers"] == ["x.y/a"]
    await home.patch(home.at("configmaps", "p"), {"metadata": {"finalizers": None}})


async def test_a_key_with_a_slash_is_escaped(home):
    """As nearly every annotation is."""
    await _made(home)
    reply = await _run(home, {"op": "add", "path": "/metadata/annotations/a.b~1c", "value": "v"})
    assert reply.body["metadata"]["annotations"] == {"x": "1", "a.b/c": "v"}
    await home.patch(home.at("configmaps", "p"), {"metadata": {"finalizers": None}})


async def test_a_patch_of_nothing_writes_nothing(home):
    """An empty list, and null."""
    await _made(home)
    before = await home.get(home.at("configmaps", "p"))
    for body in (b"[]", b"null"):
        reply = await home.patch(home.at("configmaps", "p"), body, kind=JSON_PATCH)
        assert (reply.code, reply.version) == (200, before.version), body
    await home.patch(home.at("configmaps", "p"), {"metadata": {"finalizers": None}})


async def test_a_patch_has_an_end(home):
    """Ten thousand operations, and not one more."""
    await _made(home)
    test = {"op": "test", "path": "/data/a", "value": "1"}
    assert (await _run(home, *[test] * 10000)).code == 200
    assert (await _run(home, *[test] * 10001)).code == 413
    await home.patch(home.at("configmaps", "p"), {"metadata": {"finalizers": None}})


async def test_a_custom_object_is_patched_too(widgets):
    """Tests make a patch conditional on more than the version."""
    made = await widgets.make("widgets", "a", spec={"size": 1, "set": ["x"]})
    path = widgets.at("widgets", "a")
    seen = {"op": "test", "path": "/metadata/resourceVersion", "value": made.version}
    first = await widgets.patch(path, [seen, {"op": "add", "path": "/spec/set/-", "value": "y"}], kind=JSON_PATCH)
    assert (first.code, first.body["spec"]["set"], first.body["metadata"]["generation"]) == (200, ["x", "y"], 2)
    assert (await widgets.patch(path, [seen], kind=JSON_PATCH)).code == 422
    assert (await widgets.patch(path, [{"op": "replace", "path": "/spec/size", "value": -1}], kind=JSON_PATCH)).code == 422
