"""What an object may say of itself: names, labels, annotations, finalizers and owners."""

from tests.support.home import causes

_INVALID = "FieldValueInvalid"
_OWNER = {"apiVersion": "v1", "kind": "Thing", "name": "n", "uid": "u"}


async def _refused(home, metadata, plural="configmaps"):
    reply = await home.post(home.at(plural), {"metadata": {"name": "a", **metadata}})
    return (reply.code, causes(reply)) if reply.code == 422 else reply.code


async def test_names_are_subdomains(home):
    """They become parts of host names and of paths."""
    for name in ("A", "a_b", "-a", "a.", "a..b", "a" * 254, "ä", "a b"):
        assert await _refused(home, {"name": name}) == (422, [(_INVALID, "metadata.name")]), name
    for name in ("a/b", "a%b", ".", ".."):
        code, fields = await _refused(home, {"name": name})
        assert (code, set(fields)) == (422, {(_INVALID, "metadata.name")}), name
    assert await _refused(home, {"name": "a" * 253}) == 201


async def test_namespaces_are_labels(home):
    """Theirs become one part of a host name."""
    for name in ("a.b", "A"):
        assert await _refused(home, {"name": name}, "namespaces") == (422, [(_INVALID, "metadata.name")]), name
    code, found = await _refused(home, {"name": "a" * 64}, "namespaces")
    # Its name is a label, too.
    assert (code, sorted(found)) == (422, [(_INVALID, "metadata.labels"), (_INVALID, "metadata.name")])


async def test_labels_are_short_words(home):
    """Selectors are written in lines of text."""
    for labels in (
        {"a b": "x"}, {"a": "x y"}, {"a": "x" * 64}, {"x" * 64: "a"}, {"/a": "x"}, {"a/b/c": "x"}, {"A.b/c": "x"}, {"a/": "x"}, {"a": "-"},
    ):  # fmt: skip
        code, found = await _refused(home, {"labels": labels})
        assert (code, set(found)) == (422, {(_INVALID, "metadata.labels")}), labels


async def test_good_labels_are_taken(home):
    """The limits themselves are allowed."""
    labels = {"x" * 63: "y" * 63, "a.b/c_D.e": "", "A": "a.B_c-d"}
    assert (await home.make("configmaps", "a", {"labels": labels})).body["metadata"]["labels"] == labels


async def test_annotations_hold_anything_under_good_keys(home):
    """Tools keep what they like there, up to 256 KiB."""
    assert await _refused(home, {"annotations": {"a b": "x"}}) == (422, [(_INVALID, "metadata.annotations")])
    assert await _refused(home, {"annotations": {"big": "x" * 262142}}) == (422, [("FieldValueTooLong", "metadata.annotations")])
    made = await home.make("configmaps", "a", {"annotations": {"A.B/c": "é\n", "big": "x" * 262130}})
    assert made.body["metadata"]["annotations"]["A.B/c"] == "é\n"


async def test_finalizers_are_qualified_names(home):
    """Each names who will take it away."""
    assert await _refused(home, {"finalizers": ["a b"]}) == (422, [(_INVALID, "metadata.finalizers"), (_INVALID, "metadata.finalizers[0]")])
    assert await _refused(home, {"finalizers": ["noslash"]}) == (422, [(_INVALID, "metadata.finalizers[0]")])
    assert await _refused(home, {"finalizers": ["orphan", "foregroundDeletion"]}) == (422, [(_INVALID, "metadata.finalizers")])
    twice = await home.make("configmaps", "b", {"finalizers": ["x.y/a", "x.y/a", "x.y/b"]})
    assert twice.body["metadata"]["finalizers"] == ["x.y/a", "x.y/a", "x.y/b"]
    assert (await home.patch(home.at("configmaps", "b"), {"metadata": {"finalizers": None}})).code == 200


async def test_owners_are_named_in_full(home):
    """The garbage collector finds them by all four."""
    fields = [f"metadata.ownerReferences.{field}" for field in ("apiVersion", "kind", "name", "uid")]
    assert await _refused(home, {"ownerReferences": [{}]}) == (422, [(_INVALID, field) for field in fields])
    slashes = [{**_OWNER, "apiVersion": "a/b/c"}]
    assert await _refused(home, {"ownerReferences": slashes}) == (422, [(_INVALID, "metadata.ownerReferences.apiVersion")])


async def test_an_event_owns_nothing(home):
    """Events go by themselves after a while; what they owned would go with them."""
    owners = [{**_OWNER, "kind": "Event"}]
    assert await _refused(home, {"ownerReferences": owners}) == (422, [(_INVALID, "metadata.ownerReferences")])


async def test_one_owner_alone_may_be_the_controller(home):
    """Two would fight."""
    owners = [{**_OWNER, "controller": True}, {**_OWNER, "uid": "v", "controller": True}]
    assert await _refused(home, {"ownerReferences": owners}) == (422, [(_INVALID, "metadata.ownerReferences")])


async def test_an_unknown_field_of_metadata_is_dropped(home):
    """Newer clients send what older servers do not know."""
    made = await home.make("configmaps", "a", {"bogus": 1})
    assert "bogus" not in made.body["metadata"]
    assert 'unknown field "metadata.bogus"' in made.headers["warning"].replace("\\", "")


async def test_empty_maps_and_lists_are_not_kept(home):
    """What says nothing is not there."""
    made = await home.make(
        "configmaps", "a", {"labels": {}, "annotations": {}, "finalizers": [], "ownerReferences": [], "generateName": ""}
    )
    assert set(made.body["metadata"]) - {"managedFields"} == {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}


async def test_a_negative_generation_is_refused(home):
    """It counts."""
    assert await _refused(home, {"generation": -1}) == (422, [(_INVALID, "metadata.generation")])


async def test_a_label_without_a_value_has_the_empty_one(home):
    """Null is how some clients write it."""
    made = await home.make("configmaps", "a", {"labels": {"a": None}}, data={"k": None})
    assert (made.body["metadata"]["labels"], made.body["data"]) == ({"a": ""}, {"k": ""})
