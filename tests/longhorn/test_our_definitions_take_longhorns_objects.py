"""What Longhorn's definitions allow, ours allow, and keep as it is. Where ours are served, Longhorn's objects may be restored."""

import copy
from typing import Any

import pytest
from tests.support.raw_json import ask, plain, store
from tests.support.upstream import OF_LONGHORN, drawn, schema_in

from holdfast.api import crds
from holdfast.api.core import CustomResourceDefinition
from holdfast.api.kinds import Kind
from holdfast.api.struct import decode, encode
from holdfast.embedded.schema import Schema
from holdfast.kube.client import Client

DRAWN, TRIED = 300, 30

by_kind = pytest.mark.parametrize("kind", OF_LONGHORN, ids=lambda kind: kind.plural)


@by_kind
def test_what_is_drawn_is_an_object_of_longhorn(kind, definitions):
    """Else the tests below would show nothing."""
    theirs = Schema.of(schema_in(definitions[kind.name]))
    for seed in range(DRAWN):
        assert theirs.validate(drawn(kind, schema_in(definitions[kind.name]), seed)) == []


@by_kind
def test_ours_refuse_nothing_and_drop_nothing(kind, definitions):
    """Judged by the embedded server's own code, which the real one judges elsewhere."""
    ours = Schema.of(schema_in(crds.crd_of(kind)))
    for seed in range(DRAWN):
        obj = drawn(kind, schema_in(definitions[kind.name]), seed)
        before = copy.deepcopy(obj)
        assert ours.prune(obj) == []
        ours.default(obj)
        assert ours.validate(obj) == []
        assert obj == before


@by_kind
def test_our_types_read_every_one_of_them(kind, definitions):
    """One object that can not be read would hide all others of its kind: a list is read whole."""
    for seed in range(DRAWN):
        decode(encode(drawn(kind, schema_in(definitions[kind.name]), seed)), kind.type)


@by_kind
async def test_the_real_server_takes_them_under_our_definitions(admin: Client, kinds, namespace, kind, definitions):
    """Its word counts. Nothing is stored: a dry run goes through everything but that."""
    there = await store(admin, kind.path(namespace), minimal(kind))
    for seed in range(TRIED):
        obj = drawn(kind, schema_in(definitions[kind.name]), seed)
        obj["metadata"]["namespace"] = namespace
        made = await ask(admin, "POST", kind.path(namespace), obj, dryRun="All", fieldValidation="Strict")
        assert plain(made) == {part: value for part, value in obj.items() if part != "status"}
        if "status" in obj:
            mine = kind.path(namespace, there["metadata"]["name"], "status")
            told = await ask(admin, "PUT", mine, there | {"status": obj["status"]}, dryRun="All", fieldValidation="Strict")
            assert told["status"] == obj["status"]


def minimal(kind: Kind) -> dict[str, Any]:
    return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": "there"}}


async def test_every_definition_of_longhorn_is_served(longhorn: Client, definitions):
    """By the embedded server as by the real one: Longhorn's whole chart can be tried on a laptop."""
    for definition in definitions.values():
        found = await longhorn.get(CustomResourceDefinition, definition["metadata"]["name"])
        assert {each.type: each.status for each in found.status.conditions} == {"Established": "True", "NamesAccepted": "True"}


async def test_definitions_of_longhorn_are_left_alone(longhorn: Client, definitions):
    """A program of ours that starts on a cluster of Longhorn's adds its own kind and touches no other."""
    for definition in definitions.values():
        found = await longhorn.get(CustomResourceDefinition, definition["metadata"]["name"])
        assert (found.metadata.generation, "longhorn-manager" in found.metadata.labels) == (1, True)
