"""What is looked at in a schema before it may judge anything."""

import pytest

from holdfast.embedded.schema import Schema
from holdfast.embedded.schema.structural import cel_rules
from holdfast.embedded.schema.values import same, settle_numbers, type_of


def deep(levels: int) -> dict[str, object]:
    schema: dict[str, object] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def said(document: object) -> list[str]:
    return [f"{cause.field}: {cause.message}" for cause in Schema.check(document, "schema")]


@pytest.mark.parametrize(
    "document,words",
    [
        ([], "schema: Invalid value: []: must be of type object"),
        ({"type": 1}, "schema.type: Invalid value: 1: must be of type string"),
        ({"type": "object", "properties": []}, "schema.properties: Invalid value: []: must be of type object"),
        ({"type": "object", "properties": {"a": 1}}, "schema.properties[a]: Invalid value: 1: must be of type object"),
        ({"type": "object", "required": "a"}, 'schema.required: Invalid value: "a": must be of type array'),
        ({"type": "object", "required": [1]}, "schema.required[0]: Invalid value: 1: must be of type string"),
        ({"type": "object", "nullable": "no"}, 'schema.nullable: Invalid value: "no": must be of type boolean'),
        ({"type": "object", "maxProperties": True}, "schema.maxProperties: Invalid value: true: must be of type integer"),
        ({"type": "object", "not": 3}, "schema.not: Invalid value: 3: must be of type object"),
        ({"type": "object", "allOf": [None]}, "schema.allOf[0]: Invalid value: null: must be of type object"),
        ({"type": "object", "additionalProperties": "x"}, 'schema.additionalProperties: Invalid value: "x": must be of type object'),
    ],
)
def test_a_keyword_of_the_wrong_type_is_told_with_its_path(document, words):
    """A definition is made by hand or by a generator; both err."""
    assert said(document) == [words]


def test_a_schema_can_be_deep_but_not_without_end():
    """A document made to exhaust the stack is refused like any other mistake."""
    assert said(deep(60)) == []
    assert "must not be nested deeper" in said(deep(5000))[0]


def test_rules_in_cel_are_found_wherever_they_stand():
    """Who brings rules that are not enforced here is told which."""
    rule = [{"rule": "self > 1"}]
    document = {
        "type": "object",
        "x-kubernetes-validations": [],
        "properties": {
            "a": {"type": "integer", "x-kubernetes-validations": rule},
            "l": {"type": "array", "items": {"type": "string", "x-kubernetes-validations": rule}},
            "d": {"type": "object", "default": {"x-kubernetes-validations": rule}},
        },
    }

    assert cel_rules(document, "schema") == [
        "schema.properties.a.x-kubernetes-validations",
        "schema.properties.l.items.x-kubernetes-validations",
    ]


@pytest.mark.parametrize(
    "left,right,equal",
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ({"a": [1]}, {"a": [1.0]}, True),
        ({"a": [1]}, {"a": [True]}, False),
        ("1", 1, False),
        (None, None, True),
        (None, 0, False),
        ([], {}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
    ],
)
def test_values_are_the_same_as_json_and_not_as_python(left, right, equal):
    """Python takes true for 1; an enum or a set must not."""
    assert same(left, right) is equal


def test_whole_floats_become_integers_where_nothing_is_lost():
    """Generators of manifests write 1e3; typed clients read integers."""
    value = {"a": 1.0, "b": [2e3, 1.5, 1e300, -0.0], "c": {"d": 3.0}, "e": True}

    settle_numbers(value)

    assert repr(value) == "{'a': 1, 'b': [2000, 1.5, 1e+300, 0], 'c': {'d': 3}, 'e': True}"


@pytest.mark.parametrize(
    "value,kind",
    [(True, "boolean"), (1, "integer"), (2**63, "number"), (1.5, "number"), ("", "string"), ([], "array"), ({}, "object")],
)
def test_a_value_has_the_type_that_kubernetes_sees(value, kind):
    """Refusals name this type."""
    assert type_of(value)[0] == kind
