import msgspec
import pytest
from hypothesis import given
from tests.support.json_documents import DOCUMENTS, containers_of, nested_lists, nested_maps

from holdfast.api.json_values import MAX_DEPTH, TooDeep, check_depth, copied, same


@pytest.mark.parametrize(
    "one, other, expected",
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (True, True, True),
        (0, None, False),
        (None, None, True),
        ("", None, False),
        ("1", 1, False),
        ([], {}, False),
        ([1, True], [1.0, True], True),
        ([1], [True], False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ({"a": [{"b": 1}]}, {"a": [{"b": True}]}, False),
        (2**63, 2**63 + 1, False),
    ],
)
def test_equal_means_what_json_means(one, other, expected):
    """Python takes True for 1: a test for a number must not pass on a boolean."""
    assert same(one, other) is expected
    assert same(other, one) is expected


@given(DOCUMENTS)
def test_a_copy_is_the_same_and_shares_nothing(document):
    """Who changes a copy must never change what another still reads."""
    copy = copied(document)

    assert msgspec.json.encode(copy) == msgspec.json.encode(document)
    assert not containers_of(copy) & containers_of(document)


@pytest.mark.parametrize("nested", [nested_lists, nested_maps])
def test_depth_is_bounded_and_the_bound_itself_is_allowed(nested):
    """A document from a stranger must not exhaust the interpreter's stack."""
    deepest = nested(MAX_DEPTH)
    check_depth(deepest)
    assert same(deepest, copied(deepest))

    for levels in (MAX_DEPTH + 1, 5_000):
        too_deep, its_twin = nested(levels), nested(levels)
        with pytest.raises(TooDeep):
            check_depth(too_deep)
        with pytest.raises(TooDeep):
            copied(too_deep)
        with pytest.raises(TooDeep):
            same(too_deep, its_twin)
