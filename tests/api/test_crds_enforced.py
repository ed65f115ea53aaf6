"""What the CRDs make of real objects, judged by a server's own rules for structural schemas."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from holdfast.api import kinds
from holdfast.api.crds import crd_of
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.struct import from_builtins
from holdfast.embedded.schema import Schema


def schema_of(kind: kinds.Kind) -> Schema:
    return Schema.of(crd_of(kind)["spec"]["versions"][0]["schema"]["openAPIV3Schema"])


def complaints(kind: kinds.Kind, obj: dict[str, Any]) -> list[str]:
    """What a server says about an object, after it pruned and defaulted it as servers do."""
    schema = schema_of(kind)
    schema.prune(obj)
    schema.default(obj)
    return [f"{cause.field}: {cause.message}" for cause in schema.validate(obj)]


def books(spec: dict[str, Any] | None = None, status: dict[str, Any] | None = None) -> dict[str, Any]:
    metadata = {"name": "disk-uuid", "namespace": "longhorn-system"}
    return {"apiVersion": "longhorn.io/v1beta2", "kind": "DiskSchedule", "metadata": metadata, "spec": spec or {}, "status": status or {}}


@pytest.mark.parametrize("kind", kinds.CUSTOM, ids=lambda kind: kind.plural)
def test_a_server_accepts_every_definition(kind):
    """A CRD that breaks one structural rule is refused as a whole."""
    assert Schema.check(crd_of(kind)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]) == []


def test_the_books_of_a_disk_are_valid():
    """Granted, refused and waiting asks side by side, with a condition as Longhorn writes it."""
    granted = {"state": "scheduled", "scheduledSize": 53687091200}
    obj = books(
        spec={
            "name": "disk-1",
            "nodeID": "node-1",
            "replicas": {"r1": 53687091200, "r2": 53687091200, "r3": 536870912000, "r4": 5368709120},
            "backingImages": {"b1": 53687091200, "b2": 53687091200},
        },
        status={
            "conditions": [
                {
                    "type": "Schedulable",
                    "status": "True",
                    "reason": "",
                    "message": "Disk disk-1 is ready for scheduling on node node-1",
                    "lastProbeTime": "",
                    "lastTransitionTime": "2025-06-01T10:00:00Z",
                }
            ],
            "replicas": {"r1": granted, "r2": granted, "r3": {"state": "rejected", "scheduledSize": 0}},
            "backingImages": {"b1": granted, "b2": granted},
            "storageScheduled": 214748364800,
        },
    )
    assert complaints(kinds.DISK_SCHEDULE, obj) == []


@pytest.mark.parametrize(
    "size",
    [-1, "100Gi", "107374182400", 1.5, 2**63, 1e300, True, {}, []],
    ids=["negative", "quantity", "digits", "fraction", "beyond int64", "absurd", "true", "map", "list"],
)
def test_a_size_that_is_no_number_of_bytes_is_refused(size):
    """The person who wrote it learns it at once; the ledger never sees it."""
    found = complaints(kinds.DISK_SCHEDULE, books(spec={"replicas": {"demo": size}}))
    assert "spec.replicas.demo" in {complaint.partition(": ")[0] for complaint in found}


@pytest.mark.parametrize("state", ["waiting", "", "Scheduled", None])
def test_a_third_state_is_refused(state):
    """What waits is in spec and not in status."""
    assert complaints(kinds.DISK_SCHEDULE, books(status={"replicas": {"demo": {"state": state}}}))


def test_a_verdict_without_a_state_is_refused():
    """It would say nothing."""
    (complaint,) = complaints(kinds.DISK_SCHEDULE, books(status={"replicas": {"demo": {"scheduledSize": 1}}}))
    assert complaint.startswith("status.replicas.demo.state")


@pytest.mark.parametrize("conditions", [None, []])
def test_conditions_may_be_null_or_empty(conditions):
    """Go writes null for a nil slice."""
    assert complaints(kinds.DISK_SCHEDULE, books(status={"conditions": conditions})) == []


def test_maps_of_asks_that_nobody_wrote_are_filled_in():
    """A key of an absent map can not be tested by JSON Patch."""
    obj = books(spec={"name": "disk-1", "replicas": None})
    assert complaints(kinds.DISK_SCHEDULE, obj) == []
    assert obj["spec"] == {"name": "disk-1", "replicas": {}, "backingImages": {}, "tokens": {}, "imageTokens": {}}


def test_books_drop_what_they_do_not_know():
    """A misspelt field would look like an ask that is never answered."""
    obj = books(spec={"replica": {"demo": 1}})
    assert schema_of(kinds.DISK_SCHEDULE).prune(obj) == ["spec.replica"]
    assert obj["spec"] == {}


def test_a_node_keeps_what_we_do_not_know():
    """Longhorn's other fields must survive a server that has our definition."""
    status = {"diskStatus": {"disk-1": {"diskUUID": "u", "healthData": {"temperature": 40}, "conditions": None}}, "snapshotCheckStatus": {}}
    obj = {"apiVersion": "longhorn.io/v1beta2", "kind": "Node", "metadata": {"name": "n"}, "spec": {"new": [1]}, "status": status}
    before = str(obj)
    assert complaints(kinds.LONGHORN_NODE, obj) == []
    assert str(obj) == before


names = some.text("abcdefghij-", min_size=1, max_size=8)
sizes = some.integers(0, 2**63 - 1)
entries = some.fixed_dictionaries(
    {"state": some.sampled_from(["scheduled", "rejected"])},
    optional={"scheduledSize": sizes, "token": some.text(max_size=5), "adopted": some.booleans(), "reason": some.text(max_size=5)},
)


@settings(max_examples=50)
@given(
    spec=some.fixed_dictionaries(
        {}, optional={"replicas": some.dictionaries(names, sizes), "tokens": some.dictionaries(names, some.text())}
    ),
    status=some.fixed_dictionaries(
        {}, optional={"replicas": some.dictionaries(names, entries) | some.none(), "storageScheduled": sizes, "conditions": some.none()}
    ),
)
def test_what_the_server_accepts_the_code_can_read(spec, status):
    """An object that passes the schema and breaks the decoder would blind every cache."""
    obj = books(spec, status)
    assert complaints(kinds.DISK_SCHEDULE, obj) == []
    read = from_builtins(obj, DiskSchedule)
    assert read.spec.replicas == (spec.get("replicas") or {})
    assert {name: entry.state for name, entry in read.status.replicas.items()} == {
        name: entry["state"] for name, entry in (status.get("replicas") or {}).items()
    }
