import copy
from typing import Any

import pytest
from hypothesis import given
from tests.support.json_documents import DOCUMENTS, MAPS, MAPS_WITHOUT_NULLS, WITHOUT_NULLS, containers_of, nested_maps

from holdfast.api.json_values import MAX_DEPTH, TooDeep, same
from holdfast.api.merge_patch import apply, diff


@pytest.mark.parametrize(
    "document, patch, expected",
    [
        # The examples of RFC 7386, appendix A.
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_applies_as_the_rfc_says(document, patch, expected):
    """Any client that knows the RFC must get from us what it gets elsewhere."""
    assert same(apply(patch, document), expected)


@given(WITHOUT_NULLS, WITHOUT_NULLS)
def test_the_difference_makes_one_of_the_other(before, after):
    """A write is a difference: applied to what was read it must give exactly what was wanted."""
    assert same(apply(diff(before, after), before), after)


def _without_null_keys(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: _without_null_keys(value) for key, value in document.items() if value is not None}
    return document


@given(DOCUMENTS, DOCUMENTS)
def test_only_keys_that_hold_null_can_get_lost(before, after):
    """A merge patch cannot say null for a key of a map; all else it says exactly."""
    assert same(_without_null_keys(apply(diff(before, after), before)), _without_null_keys(after))


@given(MAPS)
def test_nothing_differs_from_itself(document):
    """An empty patch is no request at all: quiet means no writes."""
    assert diff(document, copy.deepcopy(document)) == {}


@given(MAPS_WITHOUT_NULLS, MAPS_WITHOUT_NULLS, MAPS)
def test_what_neither_side_knows_is_kept(before, after, unknown):
    """Other writers' fields survive ours, also beside fields that we change."""
    others = {f"other-{key}": value for key, value in unknown.items()}

    patched = apply(diff(before, after), before | others)

    assert same(patched, after | others)


@given(DOCUMENTS, DOCUMENTS)
def test_nothing_is_shared_and_nothing_is_changed(patch, document):
    """A server that goes on to change the result must not change what is stored."""
    patch_before, document_before = copy.deepcopy(patch), copy.deepcopy(document)

    patched = apply(patch, document)

    assert not containers_of(patched) & (containers_of(patch) | containers_of(document))
    assert same(patch, patch_before)
    assert same(document, document_before)


def test_true_differs_from_one():
    """A field that turns from a number into a boolean has changed, whatever Python thinks."""
    assert diff({"a": 1, "b": [1]}, {"a": True, "b": [True]}) == {"a": True, "b": [True]}
    assert diff({"a": 1}, {"a": 1.0}) == {}


def test_keys_keep_their_place():
    """People read the printed object: a patch must not shuffle it."""
    assert list(apply({"b": 9, "new": 1, "a": None}, {"c": 1, "b": 2, "a": 3})) == ["c", "b", "new"]


def test_the_deepest_document_allowed_is_patched():
    """The bound itself is allowed."""
    deepest, changed = nested_maps(MAX_DEPTH), nested_maps(MAX_DEPTH, 2)

    assert apply(deepest, {}) == deepest
    assert apply(diff(deepest, changed), deepest) == changed


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 5_000])
def test_nesting_is_bounded(levels):
    """A stranger's patch ends in a refusal, not in a crash."""
    too_deep, its_twin = nested_maps(levels), nested_maps(levels, 2)

    for patch, document in ((too_deep, {}), ({"b": 1}, too_deep), (its_twin, too_deep)):
        with pytest.raises(TooDeep):
            apply(patch, document)
    with pytest.raises(TooDeep):
        diff(too_deep, its_twin)
