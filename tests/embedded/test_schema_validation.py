"""What a custom resource is refused for, in the words that a person sees."""

import pytest

from holdfast.embedded.schema import Schema

DISK = Schema.of(
    {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["node"],
                "properties": {
                    "node": {"type": "string", "minLength": 1},
                    "replicas": {"type": "object", "additionalProperties": {"type": "integer", "format": "int64", "minimum": 0}},
                    "mode": {"type": "string", "enum": ["fast", "slow"]},
                },
            },
            "status": {
                "type": "object",
                "properties": {"state": {"type": "string", "enum": ["ok", "bad"]}, "count": {"type": "integer"}},
            },
        },
    }
)


def said(spec: object, **more: object) -> list[str]:
    return [f"{cause.field}: {cause.message}" for cause in DISK.validate({"spec": spec, **more})]


@pytest.mark.parametrize(
    "spec,words",
    [
        (
            {"node": "n", "replicas": {"r1": "x"}},
            'spec.replicas.r1: Invalid value: "string": spec.replicas.r1 in body must be of type integer: "string"',
        ),
        (
            {"node": "n", "replicas": {"r1": -1}},
            "spec.replicas.r1: Invalid value: -1: spec.replicas.r1 in body should be greater than or equal to 0",
        ),
        ({}, "spec.node: Required value"),
        ({"node": "n", "mode": "quick"}, 'spec.mode: Unsupported value: "quick": supported values: "fast", "slow"'),
        ({"node": ""}, 'spec.node: Invalid value: "": spec.node in body should be at least 1 chars long'),
        ([], 'spec: Invalid value: "array": spec in body must be of type object: "array"'),
    ],
)
def test_a_refusal_names_the_field_and_what_is_wrong_with_it(spec, words):
    """The one line that kubectl shows must be enough to mend the manifest."""
    assert words in said(spec)


def test_a_number_beyond_64_bits_is_no_integer():
    """Such a size can not be kept; taking it rounded would promise other bytes than were asked."""
    assert said({"node": "n", "replicas": {"r": 2**63}}) != []
    assert said({"node": "n", "replicas": {"r": 2**63 - 1}}) == []


def test_a_whole_number_with_a_point_is_an_integer_and_is_kept_as_one():
    """``1e3`` in a manifest is 1000, as in a cluster."""
    replicas = {"r": 1e3}
    obj = {"spec": {"node": "n", "replicas": replicas}}

    DISK.prune(obj)

    assert DISK.validate(obj) == []
    DISK.settle(obj)
    assert repr(replicas["r"]) == "1000"


def test_every_cause_is_told_at_once():
    """Mending a manifest one refusal at a time is tedious."""
    assert len(said({"mode": 3, "replicas": {"a": "x", "b": -1}})) == 5


def test_a_write_of_status_is_judged_by_the_status_alone():
    """A controller can write status although somebody left a bad spec behind."""
    causes = DISK.validate_status({"spec": {"mode": "bogus"}, "status": {"state": "odd", "count": 1}})

    assert [f"{cause.field}: {cause.message}" for cause in causes] == [
        'status.state: Unsupported value: "odd": supported values: "ok", "bad"'
    ]


def test_a_status_that_was_bad_before_and_did_not_change_is_taken():
    """Conditions can still be written when another field no longer fits a new schema."""
    old = {"status": {"state": "odd", "count": 1}}

    assert DISK.validate_status({"status": {"state": "odd", "count": 2}}, old) == []


def test_of_several_alternatives_the_closest_is_explained():
    """That none of two fits helps nobody; what was missing from the likelier does."""
    schema = Schema.of(
        {
            "type": "object",
            "properties": {
                "spec": {"type": "object", "properties": {"a": {"type": "integer"}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
            },
        }
    )

    lines = [f"{cause.field}: {cause.message}" for cause in schema.validate({"spec": {}})]

    assert lines == [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
        "spec.a: Required value",
    ]
