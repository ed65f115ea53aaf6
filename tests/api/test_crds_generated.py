"""CRDs are generated from the types: what the server enforces is what the code reads."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from holdfast.api import kinds
from holdfast.api.crds import all_crds, crd_of
from holdfast.api.kinds import Kind
from holdfast.api.struct import Int64, Wire
from holdfast.api.structural_schema import schema_of
from holdfast.cli.crds import as_yaml

DEPLOYED = Path(__file__).parents[2] / "deploy" / "crds"

every_kind = pytest.mark.parametrize("kind", kinds.CUSTOM, ids=lambda kind: kind.plural)


def version_of(kind: Kind) -> dict[str, Any]:
    version: dict[str, Any] = crd_of(kind)["spec"]["versions"][0]
    return version


def schema_in(kind: Kind) -> dict[str, Any]:
    schema: dict[str, Any] = version_of(kind)["schema"]["openAPIV3Schema"]
    return schema


def parts(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema, with the path to it."""
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from parts(inner, f"{path}.{name}")
    for word in ("items", "additionalProperties"):
        if word in schema:
            yield from parts(schema[word], f"{path}[]")


def part(kind: Kind, path: str) -> dict[str, Any]:
    return dict(parts(schema_in(kind)))[path]


@every_kind
def test_the_committed_definitions_are_those_of_the_types(kind):
    """Who applies deploy/crds must get what this code expects; `make crds` writes them anew."""
    assert (DEPLOYED / f"{kind.plural}.yaml").read_text(encoding="utf-8") == as_yaml(crd_of(kind))


def test_nothing_else_is_committed_beside_them():
    """A kind that was dropped must not stay behind as a file."""
    assert {file.name for file in DEPLOYED.iterdir()} == {f"{kind.plural}.yaml" for kind in kinds.CUSTOM}


@every_kind
def test_a_definition_carries_the_names_of_its_kind(kind):
    """Users of kubectl know Longhorn's plurals and short names."""
    crd = crd_of(kind)
    assert crd["metadata"]["name"] == f"{kind.plural}.longhorn.io"
    assert crd["spec"]["names"] == {
        "kind": kind.name,
        "listKind": f"{kind.name}List",
        "plural": kind.plural,
        "singular": kind.singular,
        "shortNames": list(kind.short_names),
    }
    assert crd["spec"]["scope"] == "Namespaced"


@every_kind
def test_status_is_a_subresource_of_every_kind(kind):
    """An ask must not carry its own verdict: spec and status are written apart, by different writers."""
    assert version_of(kind)["subresources"] == {"status": {}}


@every_kind
def test_every_part_of_a_schema_is_structural(kind):
    """kube-apiserver refuses a CRD with a part that has no type, or that is a record and a map at once."""
    for path, schema in parts(schema_in(kind)):
        assert schema["type"] in {"object", "array", "string", "integer", "boolean"}, path
        assert not {"$ref", "anyOf", "oneOf", "allOf", "not", "title", "uniqueItems"} & set(schema), path
        assert not ("properties" in schema and "additionalProperties" in schema), path
        assert ("items" in schema) == (schema["type"] == "array"), path
        assert set(schema.get("required", [])) <= set(schema.get("properties", {})), path


@every_kind
def test_only_a_disk_schedule_is_closed(kind):
    """Longhorn writes more fields than we know, and they must survive us; the books of a disk hold nothing but the books."""
    open_records = {path for path, schema in parts(schema_in(kind)) if schema.get("x-kubernetes-preserve-unknown-fields")}
    records = {path for path, schema in parts(schema_in(kind)) if "properties" in schema}
    assert open_records == (set() if kind is kinds.DISK_SCHEDULE else records)


@every_kind
def test_go_may_write_null_for_every_map_and_list(kind):
    """Go sends null for a nil map or slice; a server that refused it would refuse Longhorn's own writes."""
    for path, schema in parts(schema_in(kind)):
        is_collection = "additionalProperties" in schema or schema["type"] == "array"
        may_be_null = schema.get("nullable", False) or schema.get("default") == {}  # null is then taken for the default
        assert may_be_null == is_collection, path


@every_kind
def test_whole_numbers_are_int64_or_digits_in_a_string(kind):
    """A disk is larger than 2 GiB, and JSON numbers lose bits where Go's tag asks for a string."""
    for path, schema in parts(schema_in(kind)):
        assert schema["type"] != "integer" or schema["format"] == "int64", path


def test_a_size_that_travels_as_a_string_takes_digits_only():
    """Anything else could not be read back."""
    size = part(kinds.REPLICA, ".spec.volumeSize")
    assert size["type"] == "string"
    assert re.search(size["pattern"], "107374182400")
    assert not re.search(size["pattern"], "100Gi")
    assert not re.search(size["pattern"], "")


def test_a_type_without_a_schema_is_refused_when_the_crd_is_made():
    """A field of a new sort must not become a field that the server does not check."""

    class Odd(Wire):
        value: float = 0.0

    with pytest.raises(TypeError, match="Float"):
        schema_of(Odd, is_open=False)


def test_int64_is_a_string_wherever_it_stands():
    """In a map as well as in a field."""

    class Sizes(Wire):
        by_name: dict[str, Int64] = {}

    assert schema_of(Sizes, is_open=False)["properties"]["byName"]["additionalProperties"]["type"] == "string"


@pytest.mark.parametrize(
    "path", [".spec.replicas[]", ".spec.backingImages[]", ".status.replicas[].scheduledSize", ".status.storageScheduled"]
)
def test_a_size_in_the_books_is_not_negative(path):
    """A negative ask would make room for others out of nothing."""
    assert part(kinds.DISK_SCHEDULE, path).items() >= {"type": "integer", "format": "int64", "minimum": 0}.items()


@pytest.mark.parametrize("path", [".status.replicas[]", ".status.backingImages[]"])
def test_a_verdict_has_a_state_and_only_two_words_for_it(path):
    """There is no third state: what waits is not in status."""
    assert part(kinds.DISK_SCHEDULE, path)["required"] == ["state"]
    assert part(kinds.DISK_SCHEDULE, f"{path}.state")["enum"] == ["scheduled", "rejected"]


@pytest.mark.parametrize("field", ["replicas", "backingImages", "tokens", "imageTokens"])
def test_the_server_fills_in_the_maps_of_asks(field):
    """JSON Patch can test a key of an empty map, but not of an absent one."""
    schema = part(kinds.DISK_SCHEDULE, f".spec.{field}")
    assert schema["default"] == {}
    assert "nullable" not in schema


def test_fields_are_described_by_the_strings_under_them():
    """`kubectl explain diskschedules.spec` is the manual that everybody has."""
    assert part(kinds.DISK_SCHEDULE, ".spec.replicas")["description"] == "Wanted bytes by replica name. To release, remove the key."
    assert part(kinds.DISK_SCHEDULE, ".status.limit")["description"].startswith("What the disk could promise")
    fields = {path: schema for path, schema in parts(schema_in(kinds.DISK_SCHEDULE)) if re.fullmatch(r"\.(spec|status)\.\w+", path)}
    assert [path for path, schema in fields.items() if "description" not in schema] == []


@every_kind
def test_every_kind_says_what_it_is(kind):
    """The first line of `kubectl explain`."""
    assert schema_in(kind)["description"]


@every_kind
def test_every_column_shows_a_field_that_exists(kind):
    """A column over a misspelt path stays blank for years and nobody sees an error."""
    known = dict(parts(schema_in(kind)))
    for column in version_of(kind)["additionalPrinterColumns"]:
        path = re.sub(r"\[\?\(.*\)\]", "[]", column["jsonPath"])
        if path == ".metadata.creationTimestamp":
            continue
        shown = known[path]
        assert column["type"] == shown["type"], column["name"]


def test_a_table_of_disks_shows_the_books_at_a_glance():
    """`kubectl get lhds` answers: which disk, how much is granted, of how much, and is it well."""
    columns = {column["name"]: column for column in version_of(kinds.DISK_SCHEDULE)["additionalPrinterColumns"]}
    assert list(columns) == ["Node", "Disk", "Scheduled", "Limit", "Schedulable", "OverLimit", "Age"]
    assert columns["OverLimit"]["priority"] == 1


def test_the_printed_stream_holds_every_definition():
    """`holdfast crds | kubectl apply -f -` must work in one go."""
    stream = "---\n".join(as_yaml(crd) for crd in all_crds())
    assert [document["metadata"]["name"] for document in yaml.safe_load_all(stream)] == [kind.resource for kind in kinds.CUSTOM]
