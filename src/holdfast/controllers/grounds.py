"""What a verdict on a disk rests on beside its books: the Node and the Settings, never older than those of the verdict before.

A manager whose copies are old would decide otherwise than the one before it, and that one would decide back: two managers would
write over each other's verdicts for as long as the copies stay old, hundreds of times a second. ``status.limit`` tells on which
revisions the last verdict rests, so whoever holds older ones knows it, and reads those few objects from the server.
"""

from collections.abc import Sequence
from typing import TypeVar

from holdfast.api.errors import NotFound
from holdfast.api.longhorn import DiskSchedule, LonghornNode, Setting
from holdfast.kube.runtime import Runtime

ObjectT = TypeVar("ObjectT", LonghornNode, Setting)


async def node_of(runtime: Runtime, schedule: DiskSchedule) -> LonghornNode | None:
    """The node that holds the disk."""
    return await _as_new_as(runtime, LonghornNode, schedule.spec.node_id, schedule.status.limit.node_revision)


async def settings_for(runtime: Runtime, schedule: DiskSchedule) -> Sequence[Setting]:
    """All settings."""
    cached = runtime.caches.of(Setting).all()
    revisions = schedule.status.limit.settings_revisions
    known = {setting.metadata.name: setting for setting in cached}
    behind = [name for name, revision in revisions.items() if _is_older(known.get(name), revision)]
    if not behind:
        return cached
    newer = [await _as_new_as(runtime, Setting, name, revisions[name]) for name in behind]
    return [*(setting for setting in cached if setting.metadata.name not in behind), *(found for found in newer if found is not None)]


async def _as_new_as(runtime: Runtime, type_: type[ObjectT], name: str, revision: str) -> ObjectT | None:
    cached = runtime.caches.of(type_).get(name, runtime.namespace)
    if not name or not _is_older(cached, revision):
        return cached
    try:
        return await runtime.client.get(type_, name, runtime.namespace)
    except NotFound:
        return None


def _is_older(found: LonghornNode | Setting | None, revision: str) -> bool:
    """Whether a copy is behind. Revisions of one server are numbers that rise; of what is no number nothing is known."""
    if not revision.isdecimal():
        return False
    if found is None:
        return True
    own = found.metadata.resource_version
    return own.isdecimal() and int(own) < int(revision)
