import copy
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.json_documents import DOCUMENTS, KEYS, MAPS, containers_of, nested_maps

from holdfast.api.json_patch import MAX_COPIED_BYTES, MAX_OPERATIONS, PatchFailed, TooManyOperations, add, apply, pointer, remove, replace
from holdfast.api.json_patch import test as expect
from holdfast.api.json_values import MAX_DEPTH, TooDeep, same


def move(origin: str, path: str) -> dict[str, Any]:
    return {"op": "move", "from": origin, "path": path}


def copy_of(origin: str, path: str) -> dict[str, Any]:
    return {"op": "copy", "from": origin, "path": path}


@pytest.mark.parametrize(
    "document, operations, expected",
    [
        # The examples of RFC 6902, appendix A, that apply.
        ({"foo": "bar"}, [add("/baz", "qux")], {"baz": "qux", "foo": "bar"}),
        ({"foo": ["bar", "baz"]}, [add("/foo/1", "qux")], {"foo": ["bar", "qux", "baz"]}),
        ({"baz": "qux", "foo": "bar"}, [remove("/baz")], {"foo": "bar"}),
        ({"foo": ["bar", "qux", "baz"]}, [remove("/foo/1")], {"foo": ["bar", "baz"]}),
        ({"baz": "qux", "foo": "bar"}, [replace("/baz", "boo")], {"baz": "boo", "foo": "bar"}),
        (
            {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
            [move("/foo/waldo", "/qux/thud")],
            {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
        ),
        ({"foo": ["all", "grass", "cows", "eat"]}, [move("/foo/1", "/foo/3")], {"foo": ["all", "cows", "eat", "grass"]}),
        ({"baz": "qux", "foo": ["a", 2, "c"]}, [expect("/baz", "qux"), expect("/foo/1", 2)], {"baz": "qux", "foo": ["a", 2, "c"]}),
        ({"foo": "bar"}, [add("/child", {"grandchild": {}})], {"foo": "bar", "child": {"grandchild": {}}}),
        ({"/": 9, "~1": 10}, [expect("/~01", 10)], {"/": 9, "~1": 10}),
        ({"foo": ["bar"]}, [add("/foo/-", ["abc", "def"])], {"foo": ["bar", ["abc", "def"]]}),
        # Unknown members of an operation are ignored.
        ({"foo": "bar"}, [{**add("/baz", "qux"), "xyz": 123}], {"foo": "bar", "baz": "qux"}),
        # What the appendix leaves out.
        ({}, [], {}),
        ({"a": 1}, [add("/a", 2)], {"a": 2}),
        ({"a": None}, [replace("/a", 1)], {"a": 1}),
        ({"a": [1, 2]}, [add("/a/2", 3)], {"a": [1, 2, 3]}),
        ({"a": [1, 2]}, [replace("/a/0", 9)], {"a": [9, 2]}),
        ({"a": {"b": 1}}, [copy_of("/a", "/c"), replace("/c/b", 2)], {"a": {"b": 1}, "c": {"b": 2}}),
        ({"a": 1}, [copy_of("", "/self")], {"a": 1, "self": {"a": 1}}),
        ({"a": 1}, [replace("", {"b": 2})], {"b": 2}),
        ({"a": 1}, [add("", [1]), add("/-", 2)], [1, 2]),
        ({"": {"": 1}}, [replace("//", 2)], {"": {"": 2}}),
        ({"a": 1}, [move("/a", "/a")], {"a": 1}),
        ({"01": 1, "-": 2}, [replace("/01", 3), remove("/-")], {"01": 3}),
    ],
)
def test_applies_as_the_rfc_says(document, operations, expected):
    """Any client that knows the RFC must get from us what it gets elsewhere."""
    assert same(apply(operations, document), expected)


@pytest.mark.parametrize(
    "document, operation",
    [
        ({"a": 1}, add("/b/c", 1)),
        ({"a": 1}, add("/a/b", 1)),
        ({"a": None}, add("/a/b", 1)),
        ({}, add("/a/b/c", 1)),
        ({"a": None}, add("/a/b/c", 1)),
        ({"a": 1}, add("/a/0/c", 1)),
        ({"a": "text"}, add("/a/0/c", 1)),
        ({"a": "text"}, remove("/a/0")),
        ({"a": [1]}, add("/a/2", 1)),
        ({"a": [1]}, add("/a/x", 1)),
        ({"a": [1]}, add("/a/\u0660", 1)),
        ({"a": [1]}, add("/a/" + "9" * 5_000, 1)),
        ({}, remove("/a")),
        ({"a": [1]}, add("/a/-3", 1)),
        ({"a": [1]}, remove("/a/-2")),
        ({"a": [1]}, remove("/a/1")),
        ({}, {}),
        ({}, {"op": "add"}),
        ({}, {"op": None, "path": "/a"}),
        ({}, {"op": "append", "path": "/a", "value": 1}),
        ({}, {"op": "add", "path": None, "value": 1}),
        ({}, {"op": "add", "path": "a", "value": 1}),
        ({}, {"op": "move", "path": "/a"}),
        ({}, {"op": "copy", "path": "/a", "from": "a"}),
        ({"a": [1]}, remove("/a/-")),
        ({"a": 1}, remove("")),
        ({}, replace("/a/b", 1)),
        ({"a": None}, replace("/a/b", 1)),
        ({"a": 1}, replace("/a/b", 1)),
        ({"a": [1]}, replace("/a/1", 1)),
        ({"a": [1]}, replace("/a/-", 1)),
        ({}, move("/a", "/b")),
        ({"a": {"b": 1}}, move("/a", "/a/c")),
        ({"a": 1}, move("", "/a")),
        ({"a": 1}, copy_of("/a", "/b/c")),
    ],
)
def test_a_path_that_is_not_there_fails_the_patch(document, operation):
    """Nothing is created or skipped silently: the writer was mistaken about what is there."""
    with pytest.raises(PatchFailed):
        apply([operation], document)


@pytest.mark.parametrize(
    "document, path, value, passes",
    [
        ({"tokens": {}}, "/tokens/a", None, True),
        ({"tokens": {"a": None}}, "/tokens/a", None, True),
        ({"tokens": {"a": "x"}}, "/tokens/a", None, False),
        ({}, "/tokens/a", None, False),
        ({"tokens": None}, "/tokens/a", None, False),
        ({"tokens": {}}, "/tokens/a", "x", False),
        ({"tokens": {"a": "x"}}, "/tokens/a", "x", True),
        ({"l": [1]}, "/l/1", None, False),
        ({"l": [None]}, "/l/0", None, True),
        ({"n": 1}, "/n", 1.0, True),
        ({"n": 1}, "/n", True, False),
        ({"n": True}, "/n", 1, False),
        ({"n": "1"}, "/n", 1, False),
        ({"m": {"a": 1, "b": [2]}}, "/m", {"b": [2], "a": 1}, True),
        ({"m": {"a": 1, "b": 2}}, "/m", {"a": 1}, False),
        ({"m": {"a": 1}}, "/m", {"a": 1, "b": 2}, False),
        ({"a": 1}, "", {"a": 1}, True),
        ({"a": 1}, "", {}, False),
    ],
)
def test_a_test_says_what_it_would_on_a_real_server(document, path, value, passes):
    """An ask is written under the test of the token that was seen, also of none: that is what keeps two askers apart."""
    if passes:
        assert same(apply([expect(path, value)], document), document)
    else:
        with pytest.raises(PatchFailed):
            apply([expect(path, value)], document)


def test_a_replaced_key_need_not_be_there():
    """As on a real server, against the RFC: a writer that must not bring back what was released has to test for it."""
    assert apply([replace("/replicas/r", 1)], {"replicas": {}}) == {"replicas": {"r": 1}}
    with pytest.raises(PatchFailed):
        apply([expect("/replicas/r", 5), replace("/replicas/r", 1)], {"replicas": {}})


def test_a_failed_operation_leaves_nothing_behind():
    """All or none: what was done before the failure must not show."""
    document = {"a": [1], "b": {"c": 1}}

    with pytest.raises(PatchFailed, match="testing value /b/c failed"):
        apply([add("/a/-", 2), replace("/b/c", 2), remove("/a/0"), expect("/b/c", 1)], document)

    assert document == {"a": [1], "b": {"c": 1}}


@pytest.mark.parametrize(
    "operations",
    [
        None,
        {},
        "add",
        [None],
        ["add"],
        [[]],
        [{"op": ["add"], "path": "/a", "value": 1}],
        [{"op": "add", "path": 1, "value": 1}],
        [{"op": "move", "path": "/a", "from": 1}],
        [add("/a", 1), {"op": 1}],
    ],
)
def test_a_malformed_patch_is_told_from_one_that_does_not_apply(operations):
    """The one is the client's mistake for ever, the other may pass on the next revision."""
    with pytest.raises(ValueError, match="JSON patch"):
        apply(operations, {})


@pytest.mark.parametrize(
    "document, operation, expected",
    [
        ({"a": [1, 2]}, add("/a/-1", 3), {"a": [1, 2, 3]}),
        ({"a": [1, 2]}, add("/a/-3", 3), {"a": [3, 1, 2]}),
        ({"a": [1, 2]}, add("/a/01", 3), {"a": [1, 3, 2]}),
        ({"a": [1, 2]}, add("/a/+1", 3), {"a": [1, 3, 2]}),
        ({"a": [1, 2]}, remove("/a/-1"), {"a": [1]}),
        ({"a": [1, 2]}, replace("/a/-2", 3), {"a": [3, 2]}),
        ({}, copy_of("/a", "/b"), {"b": None}),
        ({}, {"op": "add", "path": "/a"}, {"a": None}),
        ({}, {"op": "replace", "path": "/a"}, {"a": None}),
        ({}, {"op": "test", "path": "/a"}, {}),
        ({}, {"op": "add", "path": "/a~2b~", "value": 1}, {"a~2b~": 1}),
    ],
)
def test_is_as_lax_as_kube_apiserver(document, operation, expected):
    """A patch that works on a real cluster works here."""
    assert same(apply([operation], document), expected)


def test_the_number_of_operations_is_bounded():
    """As on a real server: a patch must not keep everybody else waiting."""
    operations = [add("/a", 1)] * MAX_OPERATIONS

    assert apply(operations, {}) == {"a": 1}
    with pytest.raises(TooManyOperations, match="is 10000, got 10001"):
        apply([*operations, add("/a", 1)], {})


def test_copies_of_copies_are_bounded():
    """Doubling 10,000 times would fill the memory from a patch of a few kilobytes."""
    with pytest.raises(PatchFailed, match=str(MAX_COPIED_BYTES)):
        apply([copy_of("/a", "/a/-")] * 100, {"a": ["x" * 1_000]})


def test_three_mebibytes_may_be_copied():
    """The bound of a real server, counted in the bytes of JSON."""
    half = {"a": "x" * (3 * 512 * 1024 - 2)}

    assert apply([copy_of("/a", "/b"), copy_of("/a", "/c")], half).keys() == {"a", "b", "c"}
    with pytest.raises(PatchFailed, match="3145728"):
        apply([copy_of("/a", "/b"), copy_of("/a", "/c"), add("/d", 1), copy_of("/d", "/e")], half)


def test_moves_cannot_nest_without_end():
    """Each move is shallow, their sum is not: the server has to read, check and store what comes out."""
    deeper = [add("/b", {}), move("/a", "/b/a"), move("/b", "/a")]

    with pytest.raises(TooDeep):
        apply(deeper * 3_000, {"a": {}})


def test_a_document_may_grow_to_the_deepest_allowed():
    """The bound itself is allowed, one level more is not."""
    assert apply([add("/a", nested_maps(MAX_DEPTH - 1))], {}) == nested_maps(MAX_DEPTH)
    with pytest.raises(TooDeep):
        apply([add("/a", nested_maps(MAX_DEPTH))], {})


@given(st.lists(st.one_of(KEYS, st.text(max_size=3)), max_size=4), DOCUMENTS)
def test_a_pointer_leads_to_the_place_it_was_made_for(parts, value):
    """Names of replicas and labels may hold slashes and tildes."""
    document = value
    for part in reversed(parts):
        document = {part: document}

    assert apply([expect(pointer(*parts), value)], document) == document


def test_a_pointer_takes_indices():
    """Lists are part of a path too."""
    assert pointer("spec", "disks", 0, "a/b~c") == "/spec/disks/0/a~1b~0c"


@given(MAPS, KEYS, DOCUMENTS)
def test_builders_say_what_they_are_named_for(document, key, value):
    """Add, then test, then replace, then remove: the way that an ask goes."""
    path = pointer(key)

    assert same(apply([add(path, value), expect(path, value)], document), document | {key: value})
    assert same(apply([add(path, 1), replace(path, value)], document), document | {key: value})
    assert same(apply([add(path, value), remove(path)], document), {name: document[name] for name in document if name != key})


_PATHS = st.sampled_from(["", "/a", "/b", "/a/b", "/a/0", "/a/-", "/b/1", "/a~1b", "/c/a"])
_OPERATIONS = st.lists(
    st.one_of(
        st.builds(add, _PATHS, DOCUMENTS),
        st.builds(replace, _PATHS, DOCUMENTS),
        st.builds(expect, _PATHS, DOCUMENTS),
        st.builds(remove, _PATHS),
        st.builds(move, _PATHS, _PATHS),
        st.builds(copy_of, _PATHS, _PATHS),
    ),
    max_size=6,
)


@given(_OPERATIONS, MAPS)
def test_nothing_is_shared_and_nothing_is_changed(operations, document):
    """A server that goes on to change the result must not change what is stored, or what a client sends twice."""
    operations_before, document_before = copy.deepcopy(operations), copy.deepcopy(document)

    try:
        patched = apply(operations, document)
    except PatchFailed:
        patched = None

    assert not containers_of(patched) & (containers_of(operations) | containers_of(document))
    assert same(operations, operations_before)
    assert same(document, document_before)


_ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3), _PATHS, st.sampled_from(["add", "move", "test"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["op", "path", "from", "value"]), inner)),
    max_leaves=10,
)


@given(_ANYTHING, DOCUMENTS)
def test_anything_at_all_is_applied_or_refused(operations, document):
    """No body may end in a crash."""
    with suppress(PatchFailed, ValueError):
        apply(operations, document)
