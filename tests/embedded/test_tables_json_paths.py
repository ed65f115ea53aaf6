"""The paths of printer columns."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.json_values import json_values

from holdfast.embedded.json_path import find, path

OBJECT = {
    "a": {"b.c": 1, "list": [{"n": "x", "v": 1}, {"n": "y", "v": 2}, {"v": 3}], "empty": []},
    "conditions": [{"type": "Ready", "status": "True"}, {"type": "Full", "status": "False"}],
}


@pytest.mark.parametrize(
    "text,found",
    [
        (".a.list[0].n", ["x"]),
        (".a.list[-1].v", [3]),
        (".a.list[7].v", []),
        (".a.list[*].n", ["x", "y"]),
        (".a['b.c']", [1]),
        (r".a.b\.c", [1]),
        ("$.a.list[1:].v", [2, 3]),
        ('.conditions[?(@.type=="Ready")].status', ["True"]),
        (".conditions[?(@.type=='Full')].status", ["False"]),
        ('.conditions[?(@.type!="Full")].status', ["True"]),
        (".a.list[?(@.v>1)].v", [2, 3]),
        (".a.list[?(@.n)].v", [1, 2]),
        (".a.list[?(@.n>=1)].v", []),
        (".missing.deep", []),
        (".a.list.n", []),
        (".", [OBJECT]),
    ],
)
def test_a_path_finds_what_it_names(text, found):
    """A column that shows nothing hides the state of a disk."""
    assert find(OBJECT, path(text)) == found


@pytest.mark.parametrize("text", ["", "a.b", ".a[", ".a[x]", ".a[?(@.b==c)]", ".a..b", ".a[?(b)]"])
def test_a_path_that_can_not_be_read_is_refused(text):
    """A column must not silently show something else."""
    with pytest.raises(ValueError, match=r"path|number"):
        path(text)


@given(st.sampled_from([".a.b", ".a[0]", ".a[*]", '.a[?(@.b=="x")].c', ".a[?(@.b<3)]", ".a[1:]"]), json_values(st.sampled_from("abc")))
@settings(max_examples=100)
def test_no_object_makes_a_path_fail(text, value):
    """A list is shown whatever odd objects are in it."""
    assert isinstance(find(value, path(text)), list)
