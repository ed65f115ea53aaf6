"""Objects of Longhorn pass through our types, caches and patches, under Longhorn's own definitions, and lose nothing.

Each change is made as our controllers make it: read as our type, changed in one field, written as the difference. What the server
has then must be what it had before but for that field. Written by hand, and drawn at random from the definitions.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace
from tests.support.raw_json import ask, plain, store
from tests.support.schema_objects import Maker, Place, changed, places, schema_at, value_at, without
from tests.support.upstream import OF_LONGHORN, drawn, schema_in

from holdfast.api import crds, kinds
from holdfast.api.kinds import Kind
from holdfast.api.longhorn import Replica
from holdfast.api.merge_patch import apply, diff_objects
from holdfast.api.struct import decode, encode
from holdfast.kube.client import Client

#: Made up by hand: objects as longhorn-manager writes them, with every field.
AS_WRITTEN = {obj["kind"]: obj for obj in yaml.safe_load_all((Path(__file__).parent / "as_written.yaml").read_text())}
#: As many as make every field appear and be missing, at a home that answers in milliseconds.
DRAWN, DRAWN_AND_STORED = 150, 6
SAYS_NOTHING: tuple[Any, ...] = (None, "", "0", 0, False, [])

by_kind = pytest.mark.parametrize("kind", OF_LONGHORN, ids=lambda kind: kind.plural)


def ours(kind: Kind) -> dict[str, Any]:
    return schema_in(crds.crd_of(kind))


def known_places(kind: Kind, obj: dict[str, Any], theirs: dict[str, Any]) -> list[tuple[Place, dict[str, Any]]]:
    """The places in an object that both our type and Longhorn's definition know, with what may stand there."""
    found = [(place, schema_at(theirs, place)) for place, _ in places(ours(kind), obj)]
    return [(place, schema) for place, schema in found if schema is not None and place[0] in {"spec", "status", "value"}]


def small_changes(maker: Maker, obj: dict[str, Any], place: Place, schema: dict[str, Any], theirs: dict[str, Any]) -> list[dict[str, Any]]:
    """The object with another value at a place; and with none, where the place is a key of a map."""
    value = maker.other(schema, value_at(obj, place))
    if isinstance(value, list) and "properties" in schema["items"]:
        nothing = dict.fromkeys(schema["items"]["properties"], "")
        value = [nothing | item for item in value]  # of a condition, every field is written
    is_key = "additionalProperties" in (schema_at(theirs, place[:-1]) or {})
    return [changed(obj, place, value), *([without(obj, place)] if is_key else [])]


def typed(kind: Kind, obj: dict[str, Any]) -> Any:
    return decode(encode(obj), kind.type)


def as_meant(found: dict[str, Any], meant: dict[str, Any], place: Place) -> bool:
    """Whether an object is as it was meant; a value that says nothing to Go may as well not be there."""
    if value_at(meant, place) in SAYS_NOTHING:
        return without(found, place) == without(meant, place) and value_at(found, place) in SAYS_NOTHING
    return found == meant


@by_kind
def test_the_samples_have_every_field(kind, definitions):
    """A field that no sample has is a field that nobody looked after."""
    schema = schema_in(definitions[kind.name])
    missing = [".".join(place) for place, _ in places(schema, AS_WRITTEN[kind.name]) if value_at(AS_WRITTEN[kind.name], place) is None]
    # A disk of another engine has null where Longhorn's types have a nil map.
    assert [place for place in missing if not place.startswith(("apiVersion", "status.diskStatus.nvme-0"))] == []


@by_kind
def test_a_change_of_one_field_is_a_patch_of_one_field(kind, definitions):
    """Hundreds of objects, each field: what we do not mean to change is not in what we send."""
    theirs, maker = schema_in(definitions[kind.name]), Maker(1)
    for obj in [AS_WRITTEN[kind.name], *(drawn(kind, theirs, seed) for seed in range(DRAWN))]:
        guarded = changed(obj, ("metadata", "resourceVersion"), "1")
        assert diff_objects(typed(kind, guarded), typed(kind, guarded)) == {}
        for place, schema in known_places(kind, obj, theirs):
            for meant in small_changes(maker, guarded, place, schema, theirs):
                patch = diff_objects(typed(kind, guarded), typed(kind, meant))
                assert as_meant(apply(patch, guarded), meant, place), (place, patch)


@by_kind
async def test_what_longhorn_wrote_is_kept_by_a_server_of_its_definitions(longhorn: Client, place, kind, definitions):
    """The samples and what is drawn are objects as Longhorn's own definitions allow them: nothing is refused, dropped or filled in."""
    theirs = schema_in(definitions[kind.name])
    for obj in [AS_WRITTEN[kind.name], *(drawn(kind, theirs, seed) for seed in range(DRAWN_AND_STORED))]:
        stored = plain(await store(longhorn, kind.path(place), without(obj, ("metadata", "finalizers"))))
        filled_in = {"dataEngine": "v1"} if kind is kinds.BACKING_IMAGE and isinstance(obj.get("spec"), dict) else {}
        expected = without(obj, ("metadata", "finalizers"))
        if filled_in:
            expected["spec"] = filled_in | expected["spec"]
        expected["metadata"]["namespace"] = place
        assert stored == expected


@by_kind
async def test_one_field_is_changed_and_nothing_else(longhorn: Client, place, kind, definitions):
    """Whoever runs Holdfast beside Longhorn's objects finds them as they were, but for what was decided."""
    theirs, maker = schema_in(definitions[kind.name]), Maker(2)
    for obj in [AS_WRITTEN[kind.name], *(drawn(kind, theirs, seed) for seed in range(DRAWN_AND_STORED))]:
        now, name = await store(longhorn, kind.path(place), obj), obj["metadata"]["name"]
        for where, schema in known_places(kind, obj, theirs):
            for meant in small_changes(maker, now, where, schema, theirs):
                before = await longhorn.get(kind.type, name, place)
                await longhorn.change(before, typed(kind, meant), subresource="status" if where[0] == "status" else "")
                now = await ask(longhorn, "GET", kind.path(place, name))
                assert as_meant(plain(now), plain(meant), where), where


async def test_what_others_wrote_about_an_object_is_kept(longhorn: Client, place):
    """Owners, finalizers, labels and notes of others are theirs, also where a list of them has to be written whole."""
    kind = kinds.REPLICA
    volume = {"apiVersion": kind.api_version, "kind": "Volume"}

    async def owner(name: str) -> dict[str, Any]:
        made = await ask(longhorn, "POST", kind.path(place).replace(kind.plural, "volumes"), volume | {"metadata": {"name": name}})
        return volume | {"name": name, "uid": made["metadata"]["uid"]}

    theirs = {
        "labels": {"longhornvolume": "v", "example.com/rack": "r7"},
        "annotations": {"example.com/note": "x"},
        "finalizers": ["longhorn.io", "example.com/keep"],
        "ownerReferences": [await owner("v") | {"blockOwnerDeletion": True}, await owner("w") | {"controller": True}],
    }
    obj = AS_WRITTEN[kind.name] | {"metadata": {"name": "r"} | theirs}
    await store(longhorn, kind.path(place), obj)

    before = await longhorn.get(Replica, "r", place)
    notes = {**before.metadata.annotations, "holdfast.io/placement": "2"}
    mine = replace(before.metadata, annotations=notes, finalizers=("example.com/keep",))
    await longhorn.change(before, replace(before, metadata=mine))

    now = plain(await ask(longhorn, "GET", kind.path(place, "r")))
    meant = theirs | {"annotations": {"example.com/note": "x", "holdfast.io/placement": "2"}, "finalizers": ["example.com/keep"]}
    assert now == obj | {"metadata": {"name": "r", "namespace": place} | meant}
