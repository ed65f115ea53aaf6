"""DiskSchedules: grants what was asked of a disk, and nothing over its limit.

The only writer of DiskSchedule status. The object's resourceVersion is the lock: a grant that was decided on asks and grants
which have changed since is refused by the API server, and decided again. What else the decision rested on (the Node, the
settings) is recorded in it by revision.

Nothing is remembered here: what was held, refused and flagged before is read from the status, and what is decided is written
there, so any number of managers may do this at once and each may die at any moment.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import ClassVar

from msgspec.structs import replace

from holdfast.api.errors import Conflict
from holdfast.api.longhorn import BackingImage, DiskSchedule, LonghornNode, Replica, Setting
from holdfast.api.meta import Object
from holdfast.controllers.books import SCHEDULES_BY_ASK, schedules_of_its_disks
from holdfast.controllers.grounds import node_of, settings_for
from holdfast.controllers.named_objects import NamedObjects, Search
from holdfast.controllers.verdict_events import events_of
from holdfast.decide import settings
from holdfast.decide.ledger import decide, worth_writing
from holdfast.decide.policy import policy_of
from holdfast.decide.snapshot import situation_of
from holdfast.kube.cache import Change, key_of
from holdfast.kube.caches import Caches
from holdfast.kube.controller import Controller, Mapper, same_object, sees_both
from holdfast.kube.keys import Key

#: How long to let askers finish after a conflict, in seconds: up to twice that.
_A_MOMENT = 0.02


@sees_both
def all_schedules_when_it_is_used(caches: Caches, change: Change[Setting]) -> Iterable[Key]:
    """Every schedule, when a setting of the ledger has another value."""
    if change.object.metadata.name not in settings.USED:
        return ()
    if change.old is not None and change.new is not None and change.old.value == change.new.value:
        return ()
    return map(key_of, caches.of(DiskSchedule).all())


@sees_both
def schedules_that_hold_it(caches: Caches, change: Change[Replica] | Change[BackingImage]) -> Iterable[Key]:
    """The schedules that were asked for it, when what a verdict can depend on has changed."""
    if change.old is not None and change.new is not None and _as_judged(change.old) == _as_judged(change.new):
        return ()
    return map(key_of, caches.of(DiskSchedule).by(SCHEDULES_BY_ASK, change.object.metadata.name))


def _as_judged(obj: Replica | BackingImage) -> object:
    """What the ledger reads of the object of an ask."""
    if isinstance(obj, Replica):
        spec = obj.spec
        return obj.metadata.annotations, spec.disk_id, spec.data_directory_name, spec.healthy_at, spec.last_healthy_at
    return obj.status


class DiskSchedules(Controller[DiskSchedule]):
    """Decides every ask of a disk."""

    kind: ClassVar[type[Object]] = DiskSchedule
    reacts_to: ClassVar[Mapping[type[Object], Mapper]] = {
        DiskSchedule: same_object,
        LonghornNode: schedules_of_its_disks,
        Setting: all_schedules_when_it_is_used,
        Replica: schedules_that_hold_it,
        BackingImage: schedules_that_hold_it,
    }

    async def reconcile(self, schedule: DiskSchedule) -> None:
        """Decide; write what differs; tell what changed."""
        search = Search(self.runtime)
        for may_wait in (True, True, False):
            # Waiting gives others the time to ask: decide on what is newest, or the write would be in vain. But not for ever.
            named = await search.named_objects(schedule, may_wait=may_wait)
            latest = self.runtime.caches.of(DiskSchedule).get(schedule.metadata.name, schedule.metadata.namespace)
            if latest is None:
                return
            if latest is schedule:
                break
            schedule = latest
        await self._decide(schedule, named)

    async def _decide(self, schedule: DiskSchedule, named: NamedObjects) -> None:
        node = await node_of(self.runtime, schedule)
        policy = policy_of(await settings_for(self.runtime, schedule))
        now = self.runtime.process.clock.now()
        situation = situation_of(schedule, node, policy, named.replicas.get, named.images.get, dict.fromkeys(named.orphans, now))
        verdict = decide(situation, now)
        if not worth_writing(schedule.status, verdict.status):
            return
        try:
            await self.runtime.client.change(schedule, replace(schedule, status=verdict.status), guarded=True, subresource="status")
        except Conflict:
            # Others are asking right now, and every ask costs a verdict. A moment later all of them are decided in one.
            await asyncio.sleep(self.runtime.process.randomness.jitter(_A_MOMENT, 1.0))
            raise
        for event in events_of(situation, verdict):
            self.runtime.events.emit(schedule, event.type, event.reason, event.message)
