"""What an agent says about its node: from what it found to the status of the Node.

Exact numbers, but only when they matter: while nothing moved by ``GRAIN`` and nothing else changed, the old report stands, so a
quiet node costs no writes. When anything is told, everything is told as it was sampled, in one patch.

A disk that is away keeps its entry and its UUID, since its books go on. A disk that left the Node's spec leaves the report.

How much is written is a field of ours. Where the Node is defined by somebody else the API server drops it without a word; it would
be missing again in the next round, and be written again, for ever. So where it is known to be dropped it is no reason to write.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from holdfast.agent.driver import DiskFault, DiskInfo, NodeInfo
from holdfast.api.conditions import Conditions, forgotten, observed, told
from holdfast.api.kinds import LONGHORN_NODE
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.disk_schedule import DiskScheduleStatus, ScheduledResource
from holdfast.api.longhorn.node import DiskSpec, DiskStatus, NodeStatus
from holdfast.api.meta import Condition

#: Movements below this are not worth a write.
GRAIN = 100 * 2**20

READY = "Ready"
SCHEDULABLE = "Schedulable"
DUPLICATE_UUID = "DuplicateUUID"
WRITTEN_KEPT = "WrittenKept"
"""Only there where it is False."""


class Sample(Struct, frozen=True, gc=False, kw_only=True):
    """One look at a disk: what it is, what is written on it, and its books."""

    info: DiskInfo
    written: Mapping[str, int]
    books: DiskSchedule | None


def live_head(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    """The smaller of two samples per directory, with the free space read between them.

    Bytes written meanwhile would otherwise count as written and as free.
    """
    return {directory: min(size, second[directory]) for directory, size in first.items() if directory in second}


def report(
    node: LonghornNode,
    info: NodeInfo,
    remark_types: tuple[str, ...],
    found: Mapping[str, Sample | DiskFault],
    now: str,
    *,
    keeps_written: bool | None = None,
) -> NodeStatus:
    """The whole status of a node whose agent is up. It equals ``node.status`` when there is nothing to tell.

    ``keeps_written``: whether the server keeps how much is written; None while that is not known.
    """
    exact = NodeStatus(
        conditions=_with_keeping(_conditions(node, info, remark_types, now), keeps_written, now),
        disk_status={name: _disk(node, name, node.spec.disks[name], sample, now) for name, sample in sorted(found.items())},
        region=node.status.region,
        zone=node.status.zone,
    )
    return exact if _matters(node.status, exact, keeps_written) else node.status


def is_written_kept(said: NodeStatus, kept: NodeStatus) -> bool | None:
    """Whether a server that was told the one and kept the other keeps how much is written; None where nothing is."""
    names = [name for name, disk in said.disk_status.items() if disk.written]
    return any(name in kept.disk_status and kept.disk_status[name].written for name in names) if names else None


def _with_keeping(conditions: Conditions, keeps_written: bool | None, now: str) -> Conditions:
    if keeps_written is None:
        return conditions
    if keeps_written:
        return forgotten(conditions, WRITTEN_KEPT)
    words = (
        f"the definition {LONGHORN_NODE.resource} in this cluster drops status.diskStatus[].written: what is granted counts as unwritten"
    )
    return observed(conditions, told(WRITTEN_KEPT, holds=False, reason="FieldDropped", message=words), now)


def _conditions(node: LonghornNode, info: NodeInfo, remark_types: tuple[str, ...], now: str) -> Conditions:
    name = node.metadata.name
    seen = observed(node.status.conditions, told(READY, holds=True, message=f"Node {name} is ready"), now)
    seen = observed(seen, _schedulable(f"node {name}", allowed=node.spec.allow_scheduling), now)
    for ended in set(remark_types) - {remark.type for remark in info.remarks}:
        seen = forgotten(seen, ended)
    for remark in info.remarks:
        seen = observed(seen, remark, now)
    return seen


def _schedulable(subject: str, *, allowed: bool) -> Condition:
    if allowed:
        return told(SCHEDULABLE, holds=True)
    return told(SCHEDULABLE, holds=False, reason="SchedulingDisabled", message=f"{subject} has allowScheduling: false")


def _disk(node: LonghornNode, name: str, spec: DiskSpec, found: Sample | DiskFault, now: str) -> DiskStatus:
    before = node.status.disk_status.get(name, DiskStatus())
    if isinstance(found, DiskFault):
        return replace(before, disk_name=name, disk_path=spec.path, conditions=_unusable(before, found.reason, found.message, now))
    seen = replace(
        before,
        disk_uuid=found.info.uuid,
        disk_name=name,
        disk_path=spec.path,
        disk_type=found.info.type,
        filesystem_type=found.info.filesystem_type,
        storage_maximum=found.info.maximum,
        storage_available=found.info.available,
        written=dict(found.written),
    )
    claim = found.books.spec if found.books is not None else None
    if claim is not None and (claim.node_id, claim.name) != (node.metadata.name, name) and claim.node_id:
        words = f"UUID {found.info.uuid} is claimed by disk {claim.name} of node {claim.node_id}"
        return _with_grants(replace(seen, conditions=_unusable(before, DUPLICATE_UUID, words, now)), DiskScheduleStatus())
    ready = told(READY, holds=True, message=f"Disk {name} of node {node.metadata.name} is ready")
    conditions = observed(before.conditions, ready, now)
    conditions = observed(conditions, _schedulable(f"disk {name}", allowed=spec.allow_scheduling), now)
    return _with_grants(replace(seen, conditions=conditions), found.books.status if found.books else DiskScheduleStatus())


def _unusable(before: DiskStatus, reason: str, message: str, now: str) -> Conditions:
    conditions = observed(before.conditions, told(READY, holds=False, reason=reason, message=message), now)
    return observed(conditions, told(SCHEDULABLE, holds=False, reason="DiskNotReady", message=message), now)


def _with_grants(disk: DiskStatus, books: DiskScheduleStatus) -> DiskStatus:
    """What the books grant, where readers of Longhorn's API look for it."""
    return replace(
        disk,
        storage_scheduled=books.storage_scheduled,
        scheduled_replica=_granted(books.replicas),
        scheduled_backing_image=_granted(books.backing_images),
    )


def _granted(entries: Mapping[str, ScheduledResource]) -> dict[str, int]:
    return {name: entry.scheduled_size for name, entry in sorted(entries.items()) if entry.scheduled_size}


def _matters(before: NodeStatus, exact: NodeStatus, keeps_written: bool | None) -> bool:
    """Whether the new report differs in anything but small movements of space."""
    if before.conditions != exact.conditions or before.disk_status.keys() != exact.disk_status.keys():
        return True
    pairs = [(before.disk_status[name], disk) for name, disk in exact.disk_status.items()]
    return any(_disk_moved(*pair) for pair in pairs) or (keeps_written is not False and any(_written_moved(*pair) for pair in pairs))


def _written_moved(before: DiskStatus, exact: DiskStatus) -> bool:
    directories = {*exact.written, *before.written}
    return any(abs(exact.written.get(directory, 0) - before.written.get(directory, 0)) >= GRAIN for directory in directories)


def _disk_moved(before: DiskStatus, exact: DiskStatus) -> bool:
    if abs(exact.storage_available - before.storage_available) >= GRAIN:
        return True
    return replace(exact, storage_available=before.storage_available, written=before.written) != before
