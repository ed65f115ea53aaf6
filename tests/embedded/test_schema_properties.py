"""What holds for every schema and every value."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.json_values import SCALARS, SCHEMA_WORDS, TYPE_NAMES, json_values

from holdfast.embedded.schema import Schema

DOCUMENTS = st.recursive(
    SCALARS | TYPE_NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SCHEMA_WORDS, inner, max_size=5),
    max_leaves=25,
)
NAMES = st.sampled_from(["a", "b", "c", "metadata", "kind", "spec"])
VALUES = json_values(NAMES)


def schemas() -> st.SearchStrategy[dict[str, Any]]:
    """Structural schemas of some depth."""
    leaves = st.sampled_from(
        [
            {"type": "string", "minLength": 2, "default": "dd"},
            {"type": "integer", "minimum": 0, "nullable": True},
            {"type": "number", "maximum": 10},
            {"type": "boolean", "default": False},
            {"x-kubernetes-int-or-string": True},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        ]
    )

    def around(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
        fields = st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)
        return st.one_of(
            fields.map(lambda properties: {"type": "object", "properties": properties, "required": sorted(properties)[:1]}),
            inner.map(lambda items: {"type": "array", "items": items, "maxItems": 3}),
            inner.map(lambda values: {"type": "object", "additionalProperties": values}),
        )

    return st.recursive(leaves, around, max_leaves=8).map(lambda spec: {"type": "object", "properties": {"spec": spec}})


@given(DOCUMENTS)
@settings(max_examples=200, deadline=None)
def test_no_document_makes_the_check_fail(document):
    """A definition may hold anything; it is refused with words, never with a traceback."""
    causes = Schema.check(document, "spec.validation.openAPIV3Schema")

    assert all(cause.reason and cause.field and cause.message for cause in causes)
    if not causes:
        Schema.of(document)


@given(schemas(), VALUES)
@settings(max_examples=200, deadline=None)
def test_what_was_pruned_and_defaulted_stays_as_it_is(document, value):
    """Writing back what was read changes nothing: without this every no-op write would be a change."""
    assert Schema.check(document, "s") == []
    schema = Schema.of(document)
    obj = {"apiVersion": "v1", "kind": "K", "metadata": {"name": "x", "free": [1]}, "spec": value}
    schema.prune(obj)
    schema.default(obj)
    once = copy.deepcopy(obj)

    assert schema.prune(obj) == []
    schema.default(obj)

    assert obj == once
    assert obj["metadata"] == {"name": "x", "free": [1]}


@given(schemas(), VALUES)
@settings(max_examples=200, deadline=None)
def test_an_object_that_does_not_change_is_never_refused(document, value):
    """A schema that was tightened must not lock the objects that were there before."""
    schema = Schema.of(document)
    obj = {"apiVersion": "v1", "kind": "K", "metadata": {}, "spec": value}

    assert schema.validate(obj, copy.deepcopy(obj)) == []


@given(schemas(), VALUES)
@settings(max_examples=200, deadline=None)
def test_judging_changes_nothing(document, value):
    """Validation may run on objects that are shared."""
    schema = Schema.of(document)
    obj = {"spec": value}
    before = copy.deepcopy(obj)

    causes = schema.validate(obj)

    assert obj == before
    assert all(cause.reason.startswith("FieldValue") and cause.message for cause in causes)
