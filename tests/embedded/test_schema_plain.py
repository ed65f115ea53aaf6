"""The quick yes: what it calls plainly all right, the thorough passes leave as it is and do not refuse."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.json_values import json_values

from holdfast.api.crds import all_crds
from holdfast.embedded.built_in_schemas import BUILT_IN_SCHEMAS
from holdfast.embedded.schema import defaults
from holdfast.embedded.schema.node import Node
from holdfast.embedded.schema.plain import plain, plain_object
from holdfast.embedded.schema.prune import prune
from holdfast.embedded.schema.validate import validate
from holdfast.embedded.schema.values import settle_numbers

RECORDED = [json.loads(line) for line in (Path(__file__).parent / "recorded_schemas.jsonl").read_text().splitlines()]
NAMES = st.sampled_from(["a", "b", "c"])
LEAVES: dict[str, tuple[dict[str, Any], st.SearchStrategy[Any]]] = {
    "text": ({"type": "string", "minLength": 1, "maxLength": 3}, st.text(min_size=1, max_size=4)),
    "word": ({"type": "string", "enum": ["x", "y"], "default": "x"}, st.sampled_from(["x", "y", "z"])),
    "form": ({"type": "string", "format": "date", "pattern": "^2"}, st.sampled_from(["2026-01-01", "1026-01-01", "2026"])),
    "size": ({"type": "integer", "format": "int32", "minimum": 0, "exclusiveMinimum": True, "maximum": 5}, st.integers(-1, 7)),
    "whole": ({"type": "integer", "nullable": True}, st.sampled_from([1, None, True, 2.0, 2.5, 2**63, -(2**63)])),
    "number": ({"type": "number"}, st.sampled_from([1, 1.0, 1.5, 1e300, 2**64, True])),
    "flag": ({"type": "boolean"}, st.booleans()),
    "either": ({"x-kubernetes-int-or-string": True}, st.sampled_from(["a", 1, 1.0, 2**64])),
    "anything": ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, json_values(NAMES)),
}


@st.composite
def cases(draw: st.DrawFn, depth: int = 3) -> tuple[dict[str, Any], Any]:
    """A schema, and a value that mostly suits it."""
    shape = draw(st.sampled_from(["leaf", "object", "map", "list"] if depth else ["leaf"]))
    if shape == "leaf":
        schema, values = LEAVES[draw(st.sampled_from(sorted(LEAVES)))]
        return schema, draw(values if draw(st.integers(0, 9)) else json_values(NAMES))
    inner = draw(st.lists(cases(depth - 1), min_size=1, max_size=3))
    (first, value), known = inner[0], dict(zip("abc", inner, strict=False))
    if shape == "list":
        return {"type": "array", "items": first, "maxItems": 2}, [value] * draw(st.integers(0, 3))
    if shape == "map":
        return {"type": "object", "additionalProperties": first, "minProperties": 1}, dict.fromkeys(draw(st.sets(NAMES)), value)
    schema = {"type": "object", "properties": {name: case[0] for name, case in known.items()}, "required": sorted(known)[:1]}
    return schema, {name: case[1] for name, case in known.items() if draw(st.integers(0, 9))}


def _is_left_alone(value: Any, root: Node) -> bool:
    """What the thorough passes say."""
    done = copy.deepcopy(value)
    settle_numbers(done)
    gone = prune(done, root)
    defaults.drop_nulls(done, root)
    defaults.fill(done, root)
    # As text: 1 and 1.0 are equal for Python, and so are 1 and true.
    return not gone and json.dumps(done) == json.dumps(value) and not validate(value, root).causes


def _object(spec: Any) -> dict[str, Any]:
    return {"apiVersion": "a/v1", "kind": "K", "metadata": {"name": "x"}, "spec": spec}


@given(cases())
@settings(max_examples=200, deadline=None)
def test_what_is_plainly_all_right_needs_no_work(case):
    """A quick yes that is wrong would keep what Kubernetes refuses."""
    schema, spec = case
    root = Node({"type": "object", "properties": {"spec": schema}})
    obj = _object(spec)

    assert not plain_object(root)(obj) or _is_left_alone(obj, root)


def test_what_kubernetes_has_judged_is_not_judged_otherwise_in_a_hurry():
    """The recorded answers hold the odd cases that nobody would make up."""
    yes = 0
    for case in RECORDED:
        root = Node({"type": "object", "properties": {"spec": case["schema"]}})
        obj = _object(case["given"])
        if plain_object(root)(obj):
            yes += 1
            assert _is_left_alone(obj, root), case
    assert yes > 100


@pytest.mark.parametrize("obj", [
    _object({}) | {"metadata": {"generation": 1.0}},
    _object({}) | {"more": 1},
    _object({"nobody": "knows"}),
    _object(None),
])  # fmt: skip
def test_what_needs_work_gets_no_quick_yes(obj):
    """Around the fields of a kind there is more to look at."""
    root = Node({"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}})

    assert plain_object(root)(_object({"size": 1}))
    assert not plain_object(root)(obj)


def test_the_kinds_that_are_written_most_get_a_quick_yes():
    """A schema that uses what the quick look does not know costs every write several times as much."""
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "labels": {"a": "b"}}, "data": {"a": "b"}}
    (books,) = [crd for crd in all_crds() if crd["spec"]["names"]["kind"] == "DiskSchedule"]
    asked = {"name": "disk-1", "nodeID": "node-1", "replicas": {"r": 1}, "backingImages": {}, "tokens": {"r": "t"}, "imageTokens": {}}
    granted = {"replicas": {"r": {"state": "scheduled", "scheduledSize": 1}}}
    root = Node(books["spec"]["versions"][0]["schema"]["openAPIV3Schema"])

    defaults.fill(granted, root.properties["status"])

    assert plain_object(Node(BUILT_IN_SCHEMAS["configmaps"].document))(config_map)
    assert plain(root.properties["spec"])(asked)
    assert plain(root.properties["status"])(granted)
