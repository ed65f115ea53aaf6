"""Sweep: removes the asks that nobody wants any more.

- An ask whose object is gone is flagged at once (DiskSchedules) and removed after ``disk-schedule-orphan-grace``. The grace is
  politeness: a person sees what will happen. Safety comes from a live read of the object, made after the ask was seen, and from
  the removal's test of exactly that ask.
- An ask of 0 bytes asks for nothing: its key is removed at once.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from holdfast.api.json_patch import MAX_OPERATIONS
from holdfast.api.longhorn import DiskSchedule, Setting
from holdfast.api.longhorn.disk_schedule import ScheduledResource
from holdfast.api.meta import Object
from holdfast.api.timestamps import seconds_of
from holdfast.controllers.asks import Patch, standing, withdraw
from holdfast.controllers.disk_schedules import all_schedules_when_it_is_used
from holdfast.controllers.named_objects import living
from holdfast.decide.policy import policy_of
from holdfast.decide.snapshot import released_by
from holdfast.decide.values import AskKey, AskKind
from holdfast.kube.cache import Change, key_of
from holdfast.kube.caches import Caches
from holdfast.kube.controller import Controller, Mapper
from holdfast.kube.keys import Key

#: Each takes up to four operations of the patch. The change of the schedule brings the rest.
_MOST_AT_ONCE = MAX_OPERATIONS // 4


def with_something_to_sweep(_: Caches, change: Change[DiskSchedule]) -> Iterable[Key]:
    """The schedule itself, if an ask in it is flagged or asks for nothing. Nearly always there is none, and every ask is a change."""
    schedule = change.object
    return (key_of(schedule),) if _any_is_flagged(schedule) or released_by(schedule) else ()


class Sweep(Controller[DiskSchedule]):
    """Cleans the books of one disk."""

    kind: ClassVar[type[Object]] = DiskSchedule
    reacts_to: ClassVar[Mapping[type[Object], Mapper]] = {DiskSchedule: with_something_to_sweep, Setting: all_schedules_when_it_is_used}

    async def reconcile(self, schedule: DiskSchedule) -> float | None:
        """Remove what is due; look again when the next is."""
        due = orphans_by_due_time(schedule, policy_of(self.runtime.caches.of(Setting).all()).orphan_grace)
        now = self.runtime.process.clock.now()
        dead = list(released_by(schedule))
        dead += [key for key, time in due.items() if time <= now and await living(self.runtime, schedule, key) is None]
        await self._withdraw(schedule, dead)
        return min((time for time in due.values() if time > now), default=None)

    async def _withdraw(self, schedule: DiskSchedule, dead: list[AskKey]) -> None:
        """All of them in one patch: one that has changed meanwhile stops it, and it is looked at again."""
        patch: Patch = []
        for key in dead[:_MOST_AT_ONCE]:
            patch += withdraw(key, standing(schedule, key)) or []
        if patch:
            metadata = schedule.metadata
            await self.runtime.client.patch(DiskSchedule, metadata.name, metadata.namespace, patch)


def _any_is_flagged(schedule: DiskSchedule) -> bool:
    status = schedule.status
    return any(entry.orphaned_since for entries in (status.replicas, status.backing_images) for entry in entries.values())


def orphans_by_due_time(schedule: DiskSchedule, grace: float) -> dict[AskKey, float]:
    """When each flagged ask may be removed. A flag counts for the token that it was set for, and for no other."""
    due = {}
    for kind, entries in ((AskKind.REPLICA, schedule.status.replicas), (AskKind.IMAGE, schedule.status.backing_images)):
        for name, entry in entries.items():
            key = AskKey(kind, name)
            since = _flagged_at(schedule, key, entry)
            if since is not None:
                due[key] = since + grace
    return due


def _flagged_at(schedule: DiskSchedule, key: AskKey, entry: ScheduledResource) -> float | None:
    stands = standing(schedule, key)
    return seconds_of(entry.orphaned_since) if stands.bytes is not None and stands.token == entry.token else None
