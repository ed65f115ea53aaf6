"""What controllers ask of Nodes and DiskSchedules together: who claims a disk, and what its books hold."""

from collections.abc import Iterable

from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.decide import words
from holdfast.decide.values import AskKey, AskKind
from holdfast.kube.cache import Change
from holdfast.kube.caches import Caches
from holdfast.kube.controller import sees_both
from holdfast.kube.keys import Key

SCHEDULES_BY_NODE = "node"
SCHEDULES_BY_ASK = "ask"
NODES_BY_DISK = "disk-uuid"

_MOST_NAMES = 5


def index_books(caches: Caches) -> None:
    """File schedules by their node and by what is asked of them, and nodes by the UUIDs of their disks."""
    caches.index(DiskSchedule, SCHEDULES_BY_NODE, _node_of)
    caches.index(DiskSchedule, SCHEDULES_BY_ASK, _asks_of)
    caches.index(LonghornNode, NODES_BY_DISK, _uuids_of)


def _node_of(schedule: DiskSchedule) -> Iterable[str]:
    return (schedule.spec.node_id,) if schedule.spec.node_id else ()


def _asks_of(schedule: DiskSchedule) -> Iterable[str]:
    # Names alone: a replica and an image of one name wake each other's schedule, which is rare, and each ask files all of them anew.
    return [*schedule.spec.replicas, *schedule.spec.backing_images]


def _uuids_of(node: LonghornNode) -> Iterable[str]:
    return {disk.disk_uuid for disk in node.status.disk_status.values() if disk.disk_uuid}


@sees_both
def schedules_of_its_disks(caches: Caches, change: Change[LonghornNode]) -> Iterable[Key]:
    """The schedules of the disks that the node has or had, and those that name it."""
    metadata = change.object.metadata
    nodes = [node for node in (change.old, change.new) if node is not None]
    uuids = {disk.disk_uuid for node in nodes for disk in node.status.disk_status.values() if disk.disk_uuid}
    naming = caches.of(DiskSchedule).by(SCHEDULES_BY_NODE, metadata.name)
    return {Key(metadata.namespace, uuid) for uuid in uuids} | {Key(s.metadata.namespace, s.metadata.name) for s in naming}


def is_claimed(node: LonghornNode, name: str, uuid: str) -> bool:
    """Whether the node wants a disk of this name, and reports this UUID for it. A disk that is away is still reported."""
    disk = node.status.disk_status.get(name)
    return bool(uuid) and name in node.spec.disks and disk is not None and disk.disk_uuid == uuid


def claims(node: LonghornNode, uuid: str) -> tuple[str, ...]:
    """The names of the node's disks that claim a UUID: none, one, or several when a disk was copied with its identity."""
    return tuple(name for name in sorted(node.status.disk_status) if is_claimed(node, name, uuid))


def is_empty(schedule: DiskSchedule) -> bool:
    """Whether nothing is asked and nothing is granted."""
    spec, status = schedule.spec, schedule.status
    return not (spec.replicas or spec.backing_images or status.replicas or status.backing_images)


def held_by(schedule: DiskSchedule) -> str:
    """The names of what is asked or granted, for people; empty when the books are."""
    names = _names_in(schedule)
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _names_in(schedule: DiskSchedule) -> list[str]:
    spec, status = schedule.spec, schedule.status
    replicas = {*spec.replicas, *status.replicas}
    images = {*spec.backing_images, *status.backing_images}
    keys = [AskKey(AskKind.REPLICA, name) for name in sorted(replicas)] + [AskKey(AskKind.IMAGE, name) for name in sorted(images)]
    return list(map(words.named, keys))
