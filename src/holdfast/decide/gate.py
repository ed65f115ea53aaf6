"""Whether a disk takes any growth at all: is it there, is it ready, may it be used?

A closed disk refuses growth of any size. What it holds stays, and shrinking and releasing go on. A DiskSchedule that somebody
deleted by hand closes nothing: its disk is as good as before, and its finalizer waits for empty books.
"""

from collections.abc import Iterable

from holdfast.api.longhorn.disk_schedule import DiskSchedule
from holdfast.api.longhorn.node import DiskStatus, LonghornNode
from holdfast.api.meta import Condition
from holdfast.decide.codes import Code


def disk_behind(schedule: DiskSchedule, node: LonghornNode | None) -> DiskStatus | Code:
    """The disk as the node named in the schedule reports it, or why that is not the schedule's disk."""
    if node is None or not schedule.spec.node_id or node.metadata.name != schedule.spec.node_id:
        return Code.NODE_MISSING
    disk = node.status.disk_status.get(schedule.spec.name)
    if disk is None or not disk.disk_uuid:
        return Code.DISK_MISSING
    return disk if disk.disk_uuid == schedule.metadata.name else Code.UUID_DIFFERS


def closed_by(schedule: DiskSchedule, node: LonghornNode | None) -> Code | None:
    """Why the disk takes no growth; None when it does."""
    disk = disk_behind(schedule, node)
    if node is None or isinstance(disk, Code):
        return disk if isinstance(disk, Code) else Code.NODE_MISSING
    wanted = node.spec.disks.get(schedule.spec.name)
    if wanted is None:
        return Code.DISK_REMOVED
    checks = (
        (not _is_ready(node.status.conditions), Code.NODE_NOT_READY),
        (not _is_ready(disk.conditions), Code.DISK_NOT_READY),
        (node.spec.eviction_requested, Code.NODE_EVICTING),
        (wanted.eviction_requested, Code.DISK_EVICTING),
        (not node.spec.allow_scheduling, Code.NODE_DISABLED),
        (not wanted.allow_scheduling, Code.DISK_DISABLED),
    )
    return next((code for closed, code in checks if closed), None)


def _is_ready(conditions: Iterable[Condition]) -> bool:
    return any(condition.type == "Ready" and condition.status == "True" for condition in conditions)
