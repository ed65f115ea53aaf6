"""From wire objects to the values that decisions are made of.

Pure: who reads the objects hands them in. What the wire may hold by mistake or malice (negative sizes, numbers beyond 64 bits,
directories that name a path) ends here.
"""

from collections.abc import Callable, Iterator, Mapping

from holdfast.api.longhorn.backing_image import BackingImage
from holdfast.api.longhorn.disk_schedule import DiskSchedule
from holdfast.api.longhorn.node import LonghornNode
from holdfast.api.longhorn.replica import Replica
from holdfast.api.meta import Object
from holdfast.api.timestamps import seconds_of
from holdfast.decide.codes import Code
from holdfast.decide.gate import closed_by, disk_behind
from holdfast.decide.orphans import is_orphan
from holdfast.decide.policy import Policy
from holdfast.decide.values import INT64_MAX, NO_DISK, Ask, AskKey, AskKind, Disk, Situation

ReplicaNamed = Callable[[str], Replica | None]
ImageNamed = Callable[[str], BackingImage | None]


def situation_of(
    schedule: DiskSchedule,
    node: LonghornNode | None,
    policy: Policy,
    replica: ReplicaNamed,
    image: ImageNamed,
    gone: Mapping[AskKey, float] | None = None,
) -> Situation:
    """What there is to decide on one disk.

    ``node`` is the Node of spec.nodeID. ``gone`` names asks whose object is known to be gone (by a live read made after the ask
    was seen), and since when; an ask that was flagged stays flagged until its object is seen.
    """
    return Situation(
        disk_name=schedule.spec.name,
        node_id=schedule.spec.node_id,
        asks=tuple(asks_of(schedule, replica, image, gone or {})),
        status=schedule.status,
        disk=disk_of(schedule, node),
        is_deleting=bool(schedule.metadata.deletion_timestamp),
        closed=closed_by(schedule, node),
        policy=policy,
        node_revision=node.metadata.resource_version if node else "",
    )


def disk_of(schedule: DiskSchedule, node: LonghornNode | None) -> Disk:
    """The numbers of the schedule's disk; of a disk that is not there, nothing."""
    found = disk_behind(schedule, node)
    if node is None or isinstance(found, Code):
        return NO_DISK
    wanted = node.spec.disks.get(schedule.spec.name)
    return Disk(
        maximum=_bytes(found.storage_maximum),
        reserved=_bytes(wanted.storage_reserved) if wanted else 0,
        available=_bytes(found.storage_available),
        written={directory: _bytes(size) for directory, size in found.written.items()},
    )


def asks_of(schedule: DiskSchedule, replica: ReplicaNamed, image: ImageNamed, gone: Mapping[AskKey, float] | None = None) -> Iterator[Ask]:
    """Every ask of the schedule for more than 0 bytes. An ask for 0 bytes is a release that left its key behind."""
    spec, gone = schedule.spec, gone or {}
    for name, size in spec.replicas.items():
        if size > 0:
            yield _replica_ask(schedule, name, _bytes(size), replica(name), gone)
    for name, size in spec.backing_images.items():
        if size > 0:
            yield _image_ask(schedule, name, _bytes(size), image(name), gone)


def released_by(schedule: DiskSchedule) -> tuple[AskKey, ...]:
    """Asks that were set to 0 bytes: their keys are to be removed from the spec."""
    spec = schedule.spec
    replicas = (AskKey(AskKind.REPLICA, name) for name in sorted([name for name, size in spec.replicas.items() if size <= 0]))
    images = (AskKey(AskKind.IMAGE, name) for name in sorted([name for name, size in spec.backing_images.items() if size <= 0]))
    return (*replicas, *images)


def _replica_ask(schedule: DiskSchedule, name: str, size: int, found: Replica | None, gone: Mapping[AskKey, float]) -> Ask:
    token = schedule.spec.tokens.get(name, "")
    found = None if is_orphan(token, found, schedule.metadata.name) else found
    # Only what is placed here has a directory here. One that names a path could pass for another's.
    is_here = found is not None and found.spec.disk_id == schedule.metadata.name
    directory = found.spec.data_directory_name if found is not None and is_here else ""
    was_healthy = found is not None and bool(found.spec.healthy_at or found.spec.last_healthy_at)
    key = AskKey(AskKind.REPLICA, name)
    return Ask(
        key=key,
        bytes=size,
        token=token,
        directory=directory if directory and "/" not in directory else f"replicas/{name}",
        created=_created(found),
        is_there=is_here and was_healthy,
        is_known=found is not None,
        gone_since=_gone_since(key, token, found, schedule, gone),
    )


def _image_ask(schedule: DiskSchedule, name: str, size: int, found: BackingImage | None, gone: Mapping[AskKey, float]) -> Ask:
    token = schedule.spec.image_tokens.get(name, "")
    found = None if is_orphan(token, found, schedule.metadata.name) else found
    file = found.status.disk_file_status_map.get(schedule.metadata.name) if found else None
    is_there = file is not None and file.state == "ready"
    content = min(size, _bytes(found.status.real_size or found.status.size)) if found else 0
    key = AskKey(AskKind.IMAGE, name)
    return Ask(
        key=key,
        bytes=size,
        token=token,
        directory=f"backing-images/{name}",
        created=_created(found),
        is_there=is_there,
        brings=0 if is_there else content,
        is_known=found is not None,
        gone_since=_gone_since(key, token, found, schedule, gone),
    )


def _created(found: Object | None) -> float | None:
    return seconds_of(found.metadata.creation_timestamp) if found else None


def _gone_since(key: AskKey, token: str, living: Object | None, schedule: DiskSchedule, gone: Mapping[AskKey, float]) -> float | None:
    if living is not None:
        return None
    told = gone.get(key)
    entries = schedule.status.replicas if key.kind is AskKind.REPLICA else schedule.status.backing_images
    entry = entries.get(key.name)
    # The flag was for one token: an ask that was written again is judged again.
    flagged = seconds_of(entry.orphaned_since) if entry is not None and entry.token == token else None
    return flagged if told is None else told if flagged is None else min(told, flagged)


def _bytes(size: int) -> int:
    return min(max(0, size), INT64_MAX)
