"""DiskClaims: whose disk a DiskSchedule is the books of, and when books may be closed.

- A disk has one claimant: ``spec.nodeID`` and ``spec.name``. It changes, under the schedule's resourceVersion, only when a live
  read shows that the old claimant is gone or no longer has this UUID. Until then a second disk with the same UUID is refused
  by its own agent (DuplicateUUID).
- A disk that is away keeps its claim and its books: away is not gone. Only a ``spec.disks`` without the disk counts, or a Node
  that does not exist, or another disk found in its place.
- Books are deleted only when they are empty, under uid and resourceVersion, and the finalizer goes under the same test. Who
  deletes them by hand waits for the last release; new books are opened for a disk that still exists.
- Books that were made by hand get their finalizer when the disk is known. Those of an unknown disk are left alone.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

from msgspec.structs import replace

from holdfast.api.errors import NotFound
from holdfast.api.kinds import FINALIZER
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.meta import Object
from holdfast.api.names import can_name_an_object
from holdfast.controllers.books import NODES_BY_DISK, claims, held_by, is_claimed, is_empty, schedules_of_its_disks
from holdfast.decide import words
from holdfast.kube.cache import Change, key_of
from holdfast.kube.caches import Caches
from holdfast.kube.controller import Controller, Mapper, sees_both
from holdfast.kube.keys import Key


@sees_both
def when_its_claim_may_change(_: Caches, change: Change[DiskSchedule]) -> Iterable[Key]:
    """The schedule itself, unless only its asks and grants have changed and it holds some before and after."""
    if change.old is not None and change.new is not None and _as_claimed(change.old) == _as_claimed(change.new):
        return ()
    return (key_of(change.object),)


def _as_claimed(schedule: DiskSchedule) -> object:
    metadata, spec = schedule.metadata, schedule.spec
    return metadata.uid, metadata.deletion_timestamp, metadata.finalizers, spec.node_id, spec.name, is_empty(schedule)


class Claimant(NamedTuple):
    """A disk entry of a Node."""

    node: str
    disk: str


class DiskClaims(Controller[DiskSchedule]):
    """Moves claims, and closes books that nobody needs."""

    kind: ClassVar[type[Object]] = DiskSchedule
    reacts_to: ClassVar[Mapping[type[Object], Mapper]] = {DiskSchedule: when_its_claim_may_change, LonghornNode: schedules_of_its_disks}

    async def reconcile(self, schedule: DiskSchedule) -> None:
        """One step at a time: each write brings the key back."""
        if schedule.metadata.deletion_timestamp:
            await self._close(schedule)
        elif self._seen_claiming(schedule):
            await self._take_charge(schedule)
        elif (heir := self._heir(schedule)) is not None:
            await self._move(schedule, heir)
        elif FINALIZER in schedule.metadata.finalizers and is_empty(schedule):
            await self._retire(schedule)

    def _seen_claiming(self, schedule: DiskSchedule) -> bool:
        node = self.runtime.caches.of(LonghornNode).get(schedule.spec.node_id, schedule.metadata.namespace)
        return node is not None and is_claimed(node, schedule.spec.name, schedule.metadata.name)

    def _heir(self, schedule: DiskSchedule) -> Claimant | None:
        """Who else has the disk; the first by name, so that two managers choose the same."""
        nodes = self.runtime.caches.of(LonghornNode).by(NODES_BY_DISK, schedule.metadata.name)
        heirs = [Claimant(node.metadata.name, name) for node in nodes for name in claims(node, schedule.metadata.name)]
        return min(heirs, default=None)

    async def _take_charge(self, schedule: DiskSchedule) -> None:
        """Books of a known disk have our finalizer, also when a person made them."""
        if FINALIZER not in schedule.metadata.finalizers:
            metadata = replace(schedule.metadata, finalizers=(*schedule.metadata.finalizers, FINALIZER))
            await self.runtime.client.change(schedule, replace(schedule, metadata=metadata), guarded=True)

    async def _move(self, schedule: DiskSchedule, heir: Claimant) -> None:
        if not await self._is_given_up(schedule) or not await self._has(heir, schedule):
            return  # an old copy misled us, or a node is about to tell more: its change brings the key back
        spec = replace(schedule.spec, node_id=heir.node, name=heir.disk)
        await self.runtime.client.change(schedule, replace(schedule, spec=spec), guarded=True)
        told = f"the disk is now {words.shown(heir.disk)} of node {heir.node}"
        self.runtime.events.emit(schedule, "Normal", "ClaimMoved", told)

    async def _retire(self, schedule: DiskSchedule) -> None:
        if await self._is_given_up(schedule):
            metadata = schedule.metadata
            await self.runtime.client.delete(
                DiskSchedule, metadata.name, metadata.namespace, uid=metadata.uid, resource_version=metadata.resource_version
            )

    async def _close(self, schedule: DiskSchedule) -> None:
        if FINALIZER not in schedule.metadata.finalizers:
            return
        if not is_empty(schedule):
            told = f"deletion waits until this is released: {held_by(schedule)}"
            self.runtime.events.emit(schedule, "Warning", "DeletionWaits", told)
            return
        finalizers = tuple(finalizer for finalizer in schedule.metadata.finalizers if finalizer != FINALIZER)
        closed = replace(schedule, metadata=replace(schedule.metadata, finalizers=finalizers))
        await self.runtime.client.change(schedule, closed, guarded=True)

    async def _is_given_up(self, schedule: DiskSchedule) -> bool:
        """Whether the claimant, read live, is gone or has no place for this disk any more."""
        spec = schedule.spec
        if not can_name_an_object(spec.node_id):
            return True  # empty, or edited by hand into something that no Node is called
        try:
            node = await self.runtime.client.get(LonghornNode, spec.node_id, schedule.metadata.namespace)
        except NotFound:
            return True
        if spec.name not in node.spec.disks:
            return True
        disk = node.status.disk_status.get(spec.name)
        return disk is not None and disk.disk_uuid not in {"", schedule.metadata.name}

    async def _has(self, heir: Claimant, schedule: DiskSchedule) -> bool:
        try:
            node = await self.runtime.client.get(LonghornNode, heir.node, schedule.metadata.namespace)
        except NotFound:
            return False
        return is_claimed(node, heir.disk, schedule.metadata.name)
