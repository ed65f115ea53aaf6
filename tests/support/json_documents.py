"""JSON documents for property tests."""

from typing import Any

from hypothesis import strategies as st

#: Few, so that documents share keys; some of them need escaping.
KEYS = st.sampled_from(["a", "b", "c", "a/b", "m~n", "", "é", "0", "-"])
SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, 1.0, 1.5]), st.sampled_from(["", "x", "1", "true"])
)


def _nested(leaves: st.SearchStrategy[Any], in_lists: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.one_of(st.dictionaries(KEYS, inner, max_size=4), st.lists(st.one_of(inner, in_lists), max_size=4)),
        max_leaves=12,
    )


#: Documents in which no map holds a null.
WITHOUT_NULLS = _nested(SCALARS, SCALARS)
#: Any documents.
DOCUMENTS = _nested(st.one_of(st.none(), SCALARS), st.none())
MAPS = st.dictionaries(KEYS, DOCUMENTS, max_size=4)
MAPS_WITHOUT_NULLS = st.dictionaries(KEYS, WITHOUT_NULLS, max_size=4)


def nested_lists(levels: int) -> list[Any]:
    document: list[Any] = []
    for _ in range(levels - 1):
        document = [document]
    return document


def nested_maps(levels: int, leaf: Any = 1) -> dict[str, Any]:
    document: dict[str, Any] = {"a": leaf}
    for _ in range(levels - 1):
        document = {"a": document}
    return document


def containers_of(value: Any) -> set[int]:
    """The identities of all maps and lists of a document."""
    if isinstance(value, dict):
        return {id(value)}.union(*map(containers_of, value.values()))
    if isinstance(value, list):
        return {id(value)}.union(*map(containers_of, value))
    return set()
