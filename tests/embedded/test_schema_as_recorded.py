"""The schemas judge as Kubernetes 1.36 does: its own validator was asked, and its answers are kept beside this file."""

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.embedded.built_in_schemas import BUILT_IN_SCHEMAS
from holdfast.embedded.definitions import Definitions
from holdfast.embedded.resources import Registry
from holdfast.embedded.schema import Schema

HERE = Path(__file__).parent
VALUES = [json.loads(line) for line in (HERE / "recorded_schemas.jsonl").read_text().splitlines()]
DEFINITIONS = [json.loads(line) for line in (HERE / "recorded_definitions.jsonl").read_text().splitlines()]


def _object(spec: Any) -> dict[str, Any]:
    return {"apiVersion": "a/v1", "kind": "K", "metadata": {"name": "x"}, "spec": spec}


def _fresh(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_values_are_kept_and_judged_as_kubernetes_does():
    """Scripts that read refusals, and people who know them, find the same texts here."""
    assert [_difference(case) for case in VALUES if _difference(case)] == []
    assert len(VALUES) > 900


def _difference(case: dict[str, Any]) -> dict[str, Any]:
    """What is not as it was recorded."""
    schema = Schema.of({"type": "object", "properties": {"spec": case["schema"]}})
    obj, old = _object(_fresh(case["given"])), _object(case["old"]) if "old" in case else None
    unknown = schema.prune(obj)
    schema.default(obj)
    causes = sorted([cause.reason, cause.field, cause.message] for cause in schema.validate(obj, old))
    found = {"unknown": unknown, "kept": obj.get("spec", "__gone__"), "causes": causes}
    recorded = {"unknown": case.get("unknown", []), "kept": case.get("kept", case["given"]), "causes": case.get("causes", [])}
    return {} if found == recorded else {"case": case, "found": found}


@pytest.mark.parametrize("number", range(len(DEFINITIONS)))
def test_a_definition_is_judged_as_kubernetes_does(number):
    """A definition that passes here passes in a cluster, and the other way round."""
    case = DEFINITIONS[number]
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **_fresh(case["definition"])}
    rules = Definitions(Registry())

    rules.prepare(definition, None, now=0)
    shape = BUILT_IN_SCHEMAS["customresourcedefinitions.apiextensions.k8s.io"].validate(definition)
    causes = sorted([cause.reason, cause.field, cause.message] for cause in [*shape, *rules.check(definition, None)])

    assert causes == case["causes"]
