"""Kubernetes' own kinds have schemas too: they know every field that this project uses, and no misspelt one."""

import json
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import pytest
from tests.support.embedded import embedded_api
from tests.support.requests import ask

from holdfast.api import kinds
from holdfast.api.meta import ObjectMeta
from holdfast.api.struct import Wire
from holdfast.embedded.built_in_schemas import BUILT_IN_SCHEMAS

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def wire_fields(type_: type[Wire], path: str = "") -> list[str]:
    """The paths of all fields of a wire type."""
    found = []
    hints = get_type_hints(type_)
    for field in msgspec.structs.fields(type_):
        here = f"{path}.{field.encode_name}"
        inner = [part for part in _parts(hints[field.name]) if isinstance(part, type) and issubclass(part, Wire)]
        if inner == [ObjectMeta]:
            continue
        found += [here, *(deep for struct in inner for deep in wire_fields(struct, here))]
    return found


def _parts(hint: Any) -> list[Any]:
    return [hint] if get_origin(hint) is None else [part for argument in get_args(hint) for part in _parts(argument)]


def schema_fields(document: dict[str, Any], path: str = "") -> set[str]:
    """The paths of all fields of a schema; lists and maps stand for their items."""
    found: set[str] = set()
    for name, inner in (document.get("properties") or {}).items():
        found |= {f"{path}.{name}"} | schema_fields(inner, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(document.get(key), dict):
            found |= schema_fields(document[key], path)
    return found


@pytest.mark.parametrize("kind", kinds.BUILT_IN, ids=lambda kind: kind.resource)
def test_every_field_that_we_use_is_known(kind):
    """A field that is missing in the schema would be dropped without a word when it is written."""
    assert set(wire_fields(kind.type)) <= schema_fields(BUILT_IN_SCHEMAS[kind.resource].document)


@pytest.mark.parametrize("kind", kinds.BUILT_IN, ids=lambda kind: kind.resource)
def test_a_field_that_nobody_knows_is_dropped(kind):
    """As a cluster does it."""
    obj = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": "x"}, "sqec": {"a": 1}}

    assert BUILT_IN_SCHEMAS[kind.resource].prune(obj) == ["sqec"]
    assert "sqec" not in obj


@pytest.mark.parametrize("kind", kinds.BUILT_IN, ids=lambda kind: kind.resource)
def test_an_object_with_nothing_but_metadata_keeps_what_it_has(kind):
    """Labels, owners and finalizers are no business of a schema."""
    metadata = {"name": "x", "labels": {"a": "b"}, "ownerReferences": [{"kind": "K"}], "finalizers": ["f"]}
    obj = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": json.loads(json.dumps(metadata))}

    BUILT_IN_SCHEMAS[kind.resource].prune(obj)
    BUILT_IN_SCHEMAS[kind.resource].default(obj)

    assert obj["metadata"] == metadata


async def test_gos_unset_times_are_taken():
    """Clients written in Go send null for a time that is not set."""
    event = {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "creationTimestamp": None}, "involvedObject": {}, "eventTime": None,
        "firstTimestamp": None, "series": None, "related": None, "lastTimestamp": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    async with embedded_api() as server:
        status, answer = await ask(server, "POST", "/api/v1/namespaces/default/events", event)

    assert status == 201, answer


async def test_a_misspelt_field_of_a_config_map_is_told():
    """A typing error is as likely in a built-in kind as in a custom one."""
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "date": {"a": "b"}}
    async with embedded_api() as server:
        strict, refusal = await ask(server, "POST", CONFIG_MAPS, body, fieldValidation="Strict")
        loose, kept = await ask(server, "POST", CONFIG_MAPS, body, fieldValidation="Ignore")

    assert strict == 400
    assert 'unknown field "date"' in refusal["message"]
    assert loose == 201
    assert "date" not in kept


@pytest.mark.parametrize(
    "spoiled",
    [{"data": {"a": 1}}, {"data": []}, {"data": {"a": None}, "immutable": "yes"}, {"metadata": {"name": "c", "labels": {"a": 1}}}],
)
async def test_a_value_of_the_wrong_type_is_refused(spoiled):
    """What is kept must be readable by every typed client."""
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, **spoiled}
    async with embedded_api() as server:
        status, refusal = await ask(server, "POST", CONFIG_MAPS, body)

    assert 400 <= status < 500
    assert refusal["message"]
