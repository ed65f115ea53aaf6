from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.api import kinds
from holdfast.api.longhorn import BackingImage, DiskSchedule, LonghornNode, Replica
from holdfast.api.longhorn.disk_schedule import ScheduledResource, State
from holdfast.api.longhorn.replica import ReplicaSpec
from holdfast.api.meta import Condition, ObjectMeta, OwnerReference
from holdfast.api.struct import Int64, Wire, decode, encode, from_builtins, to_builtins, wire_name


@pytest.mark.parametrize(
    "field, name",
    [
        ("node_id", "nodeID"),
        ("disk_uuid", "diskUUID"),
        ("pod_ip", "podIP"),
        ("pod_ips", "podIPs"),
        ("pod_cidr", "podCIDR"),
        ("volume_size", "volumeSize"),
        ("storage_available", "storageAvailable"),
        ("last_probe_time", "lastProbeTime"),
        ("disk_file_spec_map", "diskFileSpecMap"),
        ("min_number_of_copies", "minNumberOfCopies"),
        ("api_version", "apiVersion"),
        ("uid", "uid"),
        ("uuid", "uuid"),
        ("resource_version", "resourceVersion"),
        ("owner_references", "ownerReferences"),
        ("block_owner_deletion", "blockOwnerDeletion"),
        ("scheduled_backing_image", "scheduledBackingImage"),
        ("data_directory_name", "dataDirectoryName"),
        ("current_image_id", "currentImageID"),
        ("controller_uid", "controllerUID"),
        ("backup_url", "backupURL"),
        ("ca_bundle", "caBundle"),
        ("open_api_v3_schema", "openAPIV3Schema"),
        ("from_", "from"),
    ],
)
def test_fields_are_spelled_as_kubernetes_and_longhorn_spell_them(field, name):
    """A name that is off by a letter's case is silently ignored by every reader."""
    assert wire_name(field) == name


def test_null_stands_for_the_default():
    """Go writes null for a nil map, list, time or pointer; one such field must not make an object unreadable."""
    node = decode(
        b"""{"metadata": {"name": "n", "labels": null, "annotations": null, "finalizers": null, "ownerReferences": null,
             "creationTimestamp": null, "generation": null},
             "spec": {"tags": null, "disks": {"d": {"tags": null, "storageReserved": null, "allowScheduling": null}}},
             "status": {"conditions": null, "diskStatus": {"d": {"conditions": null, "scheduledReplica": null}}}}""",
        LonghornNode,
    )

    assert node == decode(
        b'{"metadata": {"name": "n"}, "spec": {"disks": {"d": {}}}, "status": {"diskStatus": {"d": {}}}}',
        LonghornNode,
    )
    assert node.metadata.labels == {}
    assert node.metadata.finalizers == ()
    assert node.spec.disks["d"].allow_scheduling is False


def _wire_types() -> list[type[Wire]]:
    found: list[type[Wire]] = []
    waiting: list[type[Wire]] = [Wire]
    while waiting:
        for child in waiting.pop().__subclasses__():
            if child.__module__.startswith("holdfast.api."):
                found.append(child)
                waiting.append(child)
    return sorted(found, key=_name)


def _name(wire_type: type[Wire]) -> str:
    return f"{wire_type.__module__.removeprefix('holdfast.api.')}.{wire_type.__name__}"


@pytest.mark.parametrize("wire_type", _wire_types(), ids=_name)
def test_every_field_with_a_default_takes_null(wire_type):
    """For each of our types, whatever is added to them."""
    required = {field.encode_name: _any_value(field.type) for field in msgspec.structs.fields(wire_type) if field.required}
    optional = {field.encode_name: None for field in msgspec.structs.fields(wire_type) if not field.required}

    assert decode(encode(required | optional), wire_type) == decode(encode(required), wire_type)
    assert from_builtins(required | optional, wire_type) == from_builtins(required, wire_type)


def _any_value(annotation: object) -> object:
    return "scheduled" if annotation is State else "x"


def test_a_missing_or_null_field_without_a_default_is_refused():
    """A verdict without its state says nothing."""
    for body in (b"{}", b'{"state": null}'):
        with pytest.raises(msgspec.ValidationError, match="state"):
            decode(body, ScheduledResource)


def test_none_stays_none_where_it_is_the_default():
    """Not said is not false."""
    reference = decode(b'{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u", "controller": null}', OwnerReference)

    assert reference.controller is None
    assert to_builtins(reference) == {"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u"}


def test_defaults_are_not_shared_between_objects():
    """Objects live in caches that many read: a default map of one must not be that of another."""
    one, other = decode(b'{"spec": {"replicas": null}}', DiskSchedule), decode(b'{"spec": {"replicas": null}}', DiskSchedule)

    assert one.spec.replicas is not other.spec.replicas


def test_unknown_fields_are_skipped():
    """We declare what we use; objects hold more."""
    assert decode(b'{"metadata": {"name": "n", "managedFields": [{}]}, "kind": "X", "spec": {"future": {"a": [1]}}}', Replica) == Replica(
        metadata=ObjectMeta(name="n")
    )


def test_objects_are_values():
    """They are shared between controllers: nobody may change one."""
    replica = Replica()

    with pytest.raises(AttributeError):
        replica.spec = ReplicaSpec()


def test_defaults_do_not_travel():
    """A patch made of what is on the wire holds nothing that we did not mean."""
    assert to_builtins(DiskSchedule(metadata=ObjectMeta(name="d"))) == {"metadata": {"name": "d"}}


def test_conditions_travel_with_every_field():
    """Longhorn's CRDs require some of them, and its own writers always write all."""
    assert to_builtins(Condition(type="Ready", status="True")) == {
        "type": "Ready",
        "status": "True",
        "lastProbeTime": "",
        "lastTransitionTime": "",
        "reason": "",
        "message": "",
    }


def test_builtins_are_what_travels():
    """Lists are lists and text is text, so that patches and schemas see what the server will see."""
    replica = Replica(metadata=ObjectMeta(finalizers=("a",)), spec=ReplicaSpec(volume_size=Int64(7)))

    assert to_builtins(replica) == {"metadata": {"finalizers": ["a"]}, "spec": {"volumeSize": "7"}}
    assert to_builtins(replica) == msgspec.json.decode(encode(replica))


@given(st.integers(-(2**63), 2**63 - 1))
def test_numbers_that_travel_as_text_go_there_and_back(number):
    """Longhorn's sizes are text on the wire, so that JavaScript does not round them; some writers send numbers all the same."""
    spec = ReplicaSpec(volume_size=Int64(number))

    assert to_builtins(spec) == {"volumeSize": str(number)}
    for body in (encode(spec), encode({"volumeSize": number})):
        again = decode(body, ReplicaSpec)
        assert again == spec
        assert type(again.volume_size) is Int64


@pytest.mark.parametrize(
    "value",
    ["", "x", "1.5", "1e3", "--1", "-", " 1", "1 ", "1_0", "\u0661", "0x1", 2.5, True, [], {}, 2**63, -(2**63) - 1, "9" * 19, "9" * 5_000],
)
def test_what_is_no_number_is_refused_with_its_place(value):
    """One object with junk must be told from the others."""
    with pytest.raises(msgspec.ValidationError, match=r"(?s)Expected a string of decimal digits.*volumeSize") as refusal:
        decode(encode({"volumeSize": value}), ReplicaSpec)
    assert len(str(refusal.value)) < 200


def test_unreadable_bytes_are_refused_as_such():
    """Whatever comes over the wire ends in one family of errors."""
    for body in (b"", b"{", b"\xff", b"[" * 100_000, b'{"a":' * 100_000):
        with pytest.raises(msgspec.MsgspecError):
            decode(body, object)


@pytest.mark.parametrize("kind", kinds.ALL, ids=lambda kind: kind.resource)
def test_every_kind_goes_there_and_back(kind):
    """What we write we read as the same."""
    obj = kind.type(metadata=ObjectMeta(name="n", labels={"a": "b"}, finalizers=("f",)))

    assert decode(encode(obj), kind.type) == obj
    assert from_builtins(to_builtins(obj), kind.type) == obj


@pytest.mark.parametrize("wire_type", [each for each in _wire_types() if each.complete], ids=_name)
def test_a_complete_type_holds_only_complete_ones(wire_type):
    """A list of complete items is replaced whole: a field within them that we know in part would lose the rest."""
    held = [held for field in msgspec.structs.fields(wire_type) for held in _structs_in(field.type)]

    assert all(issubclass(found, Wire) and found.complete for found in held)


def _structs_in(annotation: object) -> list[type]:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return [annotation]
    return [found for part in get_args(annotation) for found in _structs_in(part)]


def test_backing_images_name_their_disks_as_longhorn_does():
    """Recorded from a BackingImage of a running system."""
    image = decode(
        b"""{"spec": {"minNumberOfCopies": 2, "diskFileSpecMap": {"4a1c": {"evictionRequested": true, "dataEngine": "v1"}}},
             "status": {"uuid": "55f1", "virtualSize": 10737418240, "realSize": 1,
                        "diskFileStatusMap": {"4a1c": {"state": "ready", "progress": 100}}}}""",
        BackingImage,
    )

    assert image.spec.disk_file_spec_map["4a1c"].eviction_requested
    assert image.status.disk_file_status_map["4a1c"].progress == 100
