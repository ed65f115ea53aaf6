"""Arbitrary JSON, as an adversary or a mistake would send it."""

from typing import Any

from hypothesis import strategies as st

SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**65), 2**65), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8)
)


def json_values(keys: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[Any]:
    names = keys if keys is not None else st.text(max_size=6)
    return st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=12)


#: Words of schemas, so that made-up documents come near to real ones.
SCHEMA_WORDS = st.sampled_from(
    [
        "type", "properties", "items", "additionalProperties", "required", "enum", "default", "nullable", "format", "pattern", "minimum",
        "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "allOf", "anyOf", "oneOf", "not",
        "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-validations", "$ref", "a", "b", "metadata", "kind",
    ]
)  # fmt: skip
TYPE_NAMES = st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null", "set", "map", "int32", "date-time", "("])
