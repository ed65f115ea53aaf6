"""What is wrong with a definition is told where it is wrong, by every home: also what is looked at only when the rest is right."""

from typing import Any

import pytest
from tests.support.conformance_kinds import definition
from tests.support.home import causes

_BAD, _ABSENT, _NOT_THERE, _NOT_ALLOWED = "FieldValueInvalid", "FieldValueRequired", "FieldValueNotSupported", "FieldValueForbidden"
_SCHEMA = "spec.validation.openAPIV3Schema.properties"


def _version(**more: Any) -> dict[str, Any]:
    schema = definition()["spec"]["versions"][0]["schema"]
    return {"name": "v1", "served": True, "storage": True, "schema": schema, **more}


def _with(**properties: Any) -> dict[str, Any]:
    return {"versions": [_version(schema={"openAPIV3Schema": {"type": "object", "properties": properties}})]}


_WEBHOOK = {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com"}}
_MISTAKES: dict[str, tuple[dict[str, Any], set[tuple[str, str]]]] = {
    "a reference": (_with(a={"$ref": "#/x"}), {(_NOT_ALLOWED, f"{_SCHEMA}[a].$ref")}),
    "no type, and a default that is not looked at then": (
        _with(a={}, b={"type": "integer", "default": "x"}),
        {(_ABSENT, f"{_SCHEMA}[a].type")},
    ),
    "a default": (_with(b={"type": "integer", "default": 0, "minimum": 1}), {(_BAD, f"{_SCHEMA}[b].default")}),
    "a map without keys": (
        _with(a={"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "object"}}),
        {(_ABSENT, f"{_SCHEMA}[a].x-kubernetes-list-map-keys")},
    ),
    "an unknown type": (
        _with(a={"type": "frob", "properties": {"q": {}}}),
        {(_NOT_THERE, f"{_SCHEMA}[a].type"), (_ABSENT, f"{_SCHEMA}[a].properties[q].type")},
    ),
    "two stored versions": (
        {"versions": [_version(), _version(name="v2")]},
        {(_BAD, "spec.versions"), (_BAD, "status.storedVersions")},
    ),
    "a version without a name": ({"versions": [_version(name="")]}, {(_BAD, "spec.versions[0].name")}),
    "a webhook that is not meant": (
        {"conversion": {"strategy": "None", "webhook": _WEBHOOK}},
        {(_NOT_ALLOWED, "spec.conversion.conversionReviewVersions"), (_NOT_ALLOWED, "spec.conversion.webhookClientConfig")},
    ),
    "an empty column": (
        {"versions": [_version(additionalPrinterColumns=[{}])]},
        {(_ABSENT, f"spec.additionalPrinterColumns[0].{field}") for field in ("JSONPath", "name", "type")},
    ),
    "a warning of a version that is not deprecated": (
        {"versions": [_version(deprecationWarning="x")]},
        {(_BAD, "spec.versions[0].deprecationWarning")},
    ),
}
_UNSELECTABLE = {
    "": _ABSENT, ".spec.nope": _BAD, ".metadata.name": _BAD, ".spec": _BAD,
    ".spec.parts[0].name": _BAD, ".spec.ratio": _BAD, "spec.size": _BAD,
}  # fmt: skip


async def _refused(home, made):
    refusal = await home.post(home.at("customresourcedefinitions"), made, dryRun="All")
    return refusal.code, set(causes(refusal))


@pytest.mark.parametrize("mistake", _MISTAKES)
async def test_a_mistake_is_told_where_it_is(home, mistake):
    """A definition that passes here passes in a cluster, and who mends it knows what to look at."""
    spec, expected = _MISTAKES[mistake]
    assert await _refused(home, definition("mistakes.example.com", **spec)) == (422, expected)


@pytest.mark.parametrize("json_path", _UNSELECTABLE)
async def test_fields_to_select_by_are_scalars_of_the_schema(home, json_path):
    """What can not be compared as a text selects nothing, without a word, later."""
    made = definition("mistakes.example.com", versions=[_version(selectableFields=[{"jsonPath": json_path}])])
    assert await _refused(home, made) == (422, {(_UNSELECTABLE[json_path], "spec.selectableFields[0].jsonPath")})


@pytest.mark.parametrize(
    "annotations, reason",
    [({}, _ABSENT), ({"api-approved.kubernetes.io": "me"}, _BAD), ({"api-approved.kubernetes.io": "unapproved, for a test"}, None)],
)
async def test_groups_of_kubernetes_are_not_for_everybody(home, annotations, reason):
    """Its own kinds may come to be there."""
    made = definition("mistakes.k8s.io")
    made["metadata"]["annotations"] = annotations
    refusal = await home.post(home.at("customresourcedefinitions"), made, dryRun="All")
    assert refusal.code == (422 if reason else 201)
    if reason:
        assert causes(refusal) == [(reason, "metadata.annotations[api-approved.kubernetes.io]")]
