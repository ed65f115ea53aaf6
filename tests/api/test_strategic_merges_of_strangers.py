import copy
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.json_documents import containers_of, nested_lists, nested_maps

from holdfast.api.json_values import MAX_DEPTH, same
from holdfast.api.strategic_merge import MERGE_KEYS, SCALARS, MergeKeys, apply

NESTED: MergeKeys = {("items",): "name", ("items", "ports"): "port", ("items", "tags"): SCALARS}


@pytest.mark.parametrize(
    "patch, complaint",
    [
        (None, "must be objects"),
        ([], "must be objects"),
        ({"$patch": "merge"}, "the patch: unknown \\$patch directive 'merge'"),
        ({"metadata": {"$patch": None}}, "metadata: unknown"),
        ({"metadata": {"$patch": ["replace"]}}, "metadata: unknown"),
        ({"secrets": [{"$patch": "merge", "name": "a"}]}, "secrets: unknown"),
        ({"secrets": [{"$patch": "delete"}]}, "secrets: an item lacks the merge key 'name'"),
        ({"secrets": [{"nome": "a"}]}, "secrets: an item lacks the merge key 'name'"),
        ({"secrets": ["a"]}, "secrets: an item is not an object"),
        ({"secrets": [{"name": ["a"]}]}, "secrets: a scalar is expected"),
        ({"secrets": [{"name": "b"}], "$setElementOrder/secrets": [{"name": "a"}]}, "secrets: the order"),
        ({"secrets": [{"name": "b"}, {"name": "a"}], "$setElementOrder/secrets": [{"name": "a"}, {"name": "b"}]}, "secrets: the order"),
        ({"$setElementOrder/secrets": {"name": "a"}}, "must be a list"),
        ({"$setElementOrder/secrets": ["a"]}, "secrets: an item is not an object"),
        ({"$deleteFromPrimitiveList/secrets": ["a"]}, "secrets: .* for lists of scalars"),
        ({"$deleteFromPrimitiveList/secrets": "a"}, "must be a list"),
        ({"secrets": {}, "$setElementOrder/secrets": []}, "secrets: directives for a list beside a value that is none"),
        ({"imagePullSecrets": [], "metadata": {"$setElementOrder/ownerReferences": [], "ownerReferences": []}}, "a list that has no items"),
        ({"secrets": None, "$setElementOrder/secrets": []}, "secrets: an order for a list beside a value that is none"),
        ({"$setElementOrder/imagePullSecrets": [], "imagePullSecrets": []}, "replaced whole"),
        ({"metadata": {"finalizers": [{"a": 1}]}}, "metadata.finalizers: a scalar is expected, not a map"),
        ({"metadata": {"$deleteFromPrimitiveList/finalizers": [["a"]]}}, "metadata.finalizers: a scalar is expected, not a list"),
        ({"$retainKeys": "a"}, "\\$retainKeys must be a list"),
        ({"$retainKeys": [1]}, "\\$retainKeys must be a list"),
        ({"$retainKeys": ["a"], "b": 1}, "'b' is patched but not among"),
    ],
)
def test_a_malformed_patch_is_refused_with_the_place_of_the_mistake(patch, complaint):
    """Half-understood directives must not half-change an object."""
    with pytest.raises(ValueError, match=complaint):
        apply(patch, {"secrets": [{"name": "a"}, {"name": "b"}], "metadata": {"finalizers": ["f"]}}, MERGE_KEYS["serviceaccounts"])


_KEYS = st.sampled_from(
    ["items", "name", "ports", "tags", "port", "$patch", "$retainKeys", "$setElementOrder/items", "$deleteFromPrimitiveList/tags"]
)
_ANYTHING = st.recursive(
    st.one_of(st.none(), st.integers(0, 2), st.booleans(), st.sampled_from(["replace", "delete", "items", "a"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=12,
)


@given(_ANYTHING, _ANYTHING)
def test_anything_at_all_is_applied_or_refused_and_nothing_is_shared(patch, document):
    """No body may end in a crash, and no result may lead into what is stored."""
    patch_before, document_before = copy.deepcopy(patch), copy.deepcopy(document)
    patched: Any = None

    with suppress(ValueError):
        patched = apply(patch, document, NESTED)

    assert not containers_of(patched) & (containers_of(patch) | containers_of(document))
    assert same(patch, patch_before)
    assert same(document, document_before)


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 5_000])
def test_nesting_is_bounded(levels):
    """A stranger's patch ends in a refusal, not in a crash."""
    for patch, document in ((nested_maps(levels), {}), ({}, nested_maps(levels)), (nested_maps(levels), nested_maps(levels))):
        with pytest.raises(ValueError, match="nested deeper"):
            apply(patch, document, {})


def test_the_deepest_document_allowed_is_patched():
    """The bound itself is allowed."""
    deepest, changed = nested_maps(MAX_DEPTH), nested_maps(MAX_DEPTH, 2)

    assert apply({}, deepest, {}) == deepest
    assert apply(deepest, {}, {}) == deepest
    assert apply(changed, deepest, {}) == changed


@pytest.mark.parametrize(
    "levels_above, wrapped",
    [(1, lambda deep: {"plain": deep}), (3, lambda deep: {"items": [{"name": "a", "deep": deep}]})],
    ids=["replaced list", "merged list"],
)
def test_lists_count_as_levels(levels_above, wrapped):
    """Each way into a document is bounded alike."""
    deepest, too_deep = wrapped(nested_lists(MAX_DEPTH - levels_above)), wrapped(nested_lists(MAX_DEPTH - levels_above + 1))
    other = {"items": [{"name": "b"}]}

    for patch, document in ((deepest, {}), (other, deepest), (deepest, other)):
        apply(patch, document, NESTED)
    for patch, document in ((too_deep, {}), (other, too_deep), (too_deep, other)):
        with pytest.raises(ValueError, match="nested deeper"):
            apply(patch, document, NESTED)
