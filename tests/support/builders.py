"""Objects for scenarios, one builder a kind, with sane defaults: a test names only what it is about."""

from collections.abc import Mapping

from msgspec import Struct

from holdfast.agent.simulated import uuid_of
from holdfast.api.kinds import FINALIZER
from holdfast.api.longhorn import BackingImage, DiskSchedule, LonghornNode, Replica, Setting
from holdfast.api.longhorn.backing_image import BackingImageSpec, BackingImageStatus, DiskFileSpec, DiskFileStatus
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec, DiskScheduleStatus, ScheduledResource, State
from holdfast.api.longhorn.node import DiskSpec, DiskStatus, NodeSpec, NodeStatus
from holdfast.api.longhorn.replica import ReplicaSpec
from holdfast.api.meta import Condition, ObjectMeta
from holdfast.api.quantity import Quantity
from holdfast.api.struct import Int64
from holdfast.api.timestamps import timestamp

NAMESPACE = "longhorn-system"
BIRTH = 1_700_000_000.0
"""When things were made whose age does not matter."""


def size(text: str | int) -> int:
    """Bytes of ``50Gi``."""
    return Quantity.parse(text).whole()


class SimulatedDisk(Struct, frozen=True):
    """A disk of a machine that a world simulates."""

    name: str
    size: int


class Machine(Struct, frozen=True):
    """A machine that a world simulates, with its agent."""

    name: str
    disks: tuple[SimulatedDisk, ...]


def machine(name: str = "n1", *disks: SimulatedDisk) -> Machine:
    """A machine; with one disk of 100Gi unless told otherwise."""
    return Machine(name, disks or (simulated_disk(),))


def simulated_disk(name: str = "disk-1", total: str = "100Gi") -> SimulatedDisk:
    return SimulatedDisk(name, size(total))


def meta(name: str, *, uid: str = "", age: float = 0, revision: int = 1, annotations: Mapping[str, str] | None = None) -> ObjectMeta:
    """Metadata as a server would have made it ``age`` seconds after the birth of things."""
    return ObjectMeta(
        name=name,
        namespace=NAMESPACE,
        uid=uid or f"uid-of-{name}",
        resource_version=str(revision),
        creation_timestamp=timestamp(BIRTH + age),
        annotations=dict(annotations or {}),
    )


def ready(*, holds: bool = True) -> Condition:
    return Condition(type="Ready", status="True" if holds else "False", last_transition_time=timestamp(BIRTH))


class Disk(Struct, frozen=True):
    """A disk of a Node, as wanted and as found."""

    name: str
    spec: DiskSpec
    status: DiskStatus


def disk(
    name: str = "disk-1",
    *,
    maximum: str = "100Gi",
    available: str = "",
    reserved: str = "0",
    uuid: str = "",
    is_ready: bool = True,
    is_allowed: bool = True,
    written: Mapping[str, int] | None = None,
    node: str = "n1",
) -> Disk:
    """A disk, empty and ready unless told otherwise. Its UUID is that of a simulated disk of these names."""
    spec = DiskSpec(disk_type="filesystem", path=f"/{name}", allow_scheduling=is_allowed, storage_reserved=size(reserved))
    status = DiskStatus(
        conditions=(ready(holds=is_ready),),
        storage_maximum=size(maximum),
        storage_available=size(available or maximum),
        disk_uuid=uuid or uuid_of(node, name),
        disk_name=name,
        disk_path=f"/{name}",
        written=dict(written or {}),
    )
    return Disk(name, spec, status)


def node(name: str = "n1", *disks: Disk, is_ready: bool = True, is_allowed: bool = True, revision: int = 1) -> LonghornNode:
    """A Node whose agent has reported; nobody simulates it."""
    disks = disks or (disk(node=name),)
    return LonghornNode(
        metadata=meta(name, revision=revision),
        spec=NodeSpec(name=name, allow_scheduling=is_allowed, disks={each.name: each.spec for each in disks}),
        status=NodeStatus(conditions=(ready(holds=is_ready),), disk_status={each.name: each.status for each in disks}),
    )


def schedule(
    uuid: str = "",
    *,
    node: str = "n1",
    disk: str = "disk-1",
    asks: Mapping[str, str | int] | None = None,
    images: Mapping[str, str | int] | None = None,
    tokens: Mapping[str, str] | None = None,
    granted: Mapping[str, str | int] | None = None,
) -> DiskSchedule:
    """The books of a disk. What is ``granted`` is held as it was asked."""
    held = {name: size(each) for name, each in (granted or {}).items()}
    tokens = dict(tokens or {})
    return DiskSchedule(
        metadata=ObjectMeta(name=uuid or uuid_of(node, disk), namespace=NAMESPACE, finalizers=(FINALIZER,)),
        spec=DiskScheduleSpec(
            name=disk,
            node_id=node,
            replicas={name: size(each) for name, each in (asks or granted or {}).items()},
            backing_images={name: size(each) for name, each in (images or {}).items()},
            tokens=tokens,
        ),
        status=DiskScheduleStatus(
            replicas={
                name: ScheduledResource(state=State.SCHEDULED, scheduled_size=each, token=tokens.get(name, ""))
                for name, each in held.items()
            },
            storage_scheduled=sum(held.values()),
        ),
    )


def replica(
    name: str,
    *,
    on: str = "",
    directory: str = "",
    is_healthy: bool = False,
    placement: int = 0,
    uid: str = "",
    age: float = 0,
    volume_size: str = "1Gi",
) -> Replica:
    """A replica, on the disk with UUID ``on``."""
    return Replica(
        metadata=meta(name, uid=uid, age=age, annotations={"holdfast.io/placement": str(placement)} if placement else None),
        spec=ReplicaSpec(
            volume_name="v",
            volume_size=Int64(size(volume_size)),
            disk_id=on,
            data_directory_name=directory or f"dir-of-{name}",
            healthy_at=timestamp(BIRTH) if is_healthy else "",
        ),
    )


def backing_image(name: str, *, on: str = "", state: str = "", total: str = "1Gi", age: float = 0) -> BackingImage:
    """An image, with a copy on the disk with UUID ``on``."""
    return BackingImage(
        metadata=meta(name, age=age),
        spec=BackingImageSpec(disk_file_spec_map={on: DiskFileSpec()} if on else {}, min_number_of_copies=1),
        status=BackingImageStatus(
            size=size(total), real_size=size(total), disk_file_status_map={on: DiskFileStatus(state=state)} if on and state else {}
        ),
    )


def setting(name: str, value: str, *, revision: int = 1) -> Setting:
    return Setting(metadata=meta(name, revision=revision), value=value)
