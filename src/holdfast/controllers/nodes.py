"""Nodes: every disk that a node reports has its books, and a disk that holds something cannot be lost unnoticed.

Creates a DiskSchedule for each entry of ``status.diskStatus`` that has a UUID. The books of a disk have no owner reference: they
must outlive the Node. How they are kept, moved and closed is DiskClaims' part.

A disk that was taken out of ``spec.disks`` while its books hold asks or grants cannot be kept there by force. Its books stay,
and the Node says in the condition DisksReleased what they hold, until it is released or the disk is put back.
"""

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from msgspec.structs import replace

from holdfast.api.conditions import Conditions, find, forgotten, observed, told
from holdfast.api.errors import AlreadyExists, NotFound
from holdfast.api.kinds import FINALIZER
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec
from holdfast.api.meta import Object, ObjectMeta
from holdfast.api.timestamps import timestamp
from holdfast.controllers.books import SCHEDULES_BY_NODE, held_by, is_claimed
from holdfast.kube.cache import Change
from holdfast.kube.caches import Caches
from holdfast.kube.controller import Controller, Mapper, same_object, sees_both
from holdfast.kube.keys import Key

DISKS_RELEASED = "DisksReleased"

_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")


@sees_both
def nodes_it_concerns(caches: Caches, change: Change[DiskSchedule]) -> Iterable[Key]:
    """The nodes that the schedule names or named; none when it only keeps its books for a disk that its node wants."""
    versions = [schedule for schedule in (change.old, change.new) if schedule is not None]
    claims = {(schedule.metadata.namespace, schedule.spec.node_id, schedule.spec.name) for schedule in versions if schedule.spec.node_id}
    if len(versions) == 2 and len(claims) == 1:
        namespace, node_id, disk = next(iter(claims))
        node = caches.of(LonghornNode).get(node_id, namespace)
        if node is not None and disk in node.spec.disks:
            return ()
    return [Key(namespace, node_id) for namespace, node_id, _ in sorted(claims)]


class Nodes(Controller[LonghornNode]):
    """Opens books for disks, and says what stands in the way of a removal."""

    kind: ClassVar[type[Object]] = LonghornNode
    reacts_to: ClassVar[Mapping[type[Object], Mapper]] = {LonghornNode: same_object, DiskSchedule: nodes_it_concerns}

    async def reconcile(self, node: LonghornNode) -> None:
        """Open what is missing; tell what is left behind."""
        schedules = self.runtime.caches.of(DiskSchedule)
        for name, disk in sorted(node.status.disk_status.items()):
            uuid = disk.disk_uuid
            if is_claimed(node, name, uuid) and schedules.get(uuid, node.metadata.namespace) is None:
                await self._open_books(node, name, uuid)
        await self._tell_left_behind(node)

    async def _open_books(self, node: LonghornNode, name: str, uuid: str) -> None:
        if not _OBJECT_NAME.fullmatch(uuid):
            words = f"disk {name} has no books: its UUID {uuid!r:.80} cannot name an object"
            self.runtime.events.emit(node, "Warning", "BadDiskUUID", words)
            return
        if not await self._is_claimed_now(node, name, uuid):
            return  # with an old copy the books of a disk that was taken out would be opened as fast as others close them
        books = DiskSchedule(
            metadata=ObjectMeta(name=uuid, namespace=node.metadata.namespace, finalizers=(FINALIZER,)),
            spec=DiskScheduleSpec(name=name, node_id=node.metadata.name),
        )
        try:
            await self.runtime.client.create(books)
        except AlreadyExists:
            return  # another manager was first, or another disk with this UUID: DiskClaims knows which

    async def _is_claimed_now(self, node: LonghornNode, name: str, uuid: str) -> bool:
        try:
            live = await self.runtime.client.get(LonghornNode, node.metadata.name, node.metadata.namespace)
        except NotFound:
            return False
        return is_claimed(live, name, uuid)

    async def _tell_left_behind(self, node: LonghornNode) -> None:
        cached = self._taken_out(node)
        if self._told(node, cached) == node.status.conditions:
            return
        # Our copies may be old, and whoever has newer ones would take back what we say, and we again: read those few books live.
        left_behind = [await self._live(schedule) for schedule in cached]
        conditions = self._told(node, [schedule for schedule in left_behind if schedule is not None])
        if conditions == node.status.conditions:
            return
        after = replace(node, status=replace(node.status, conditions=conditions))
        await self.runtime.client.change(node, after, guarded=True, subresource="status")
        told_now = find(conditions, DISKS_RELEASED)
        if told_now is not None:
            self.runtime.events.emit(node, "Warning", "DiskInUse", told_now.message)

    def _taken_out(self, node: LonghornNode) -> list[DiskSchedule]:
        """The books of disks that the node does not want any more, by name."""
        books = self.runtime.caches.of(DiskSchedule).by(SCHEDULES_BY_NODE, node.metadata.name)
        return sorted((each for each in books if each.spec.name not in node.spec.disks), key=lambda each: each.metadata.name)

    async def _live(self, schedule: DiskSchedule) -> DiskSchedule | None:
        try:
            return await self.runtime.client.get(DiskSchedule, schedule.metadata.name, schedule.metadata.namespace)
        except NotFound:
            return None

    def _told(self, node: LonghornNode, taken_out: Iterable[DiskSchedule]) -> Conditions:
        """The node's conditions, with what these books of it hold."""
        left_behind = [
            f"disk {schedule.spec.name} ({schedule.metadata.name}) holds {held}"
            for schedule in taken_out
            if schedule.spec.node_id == node.metadata.name and (held := held_by(schedule))
        ]
        if not left_behind:
            return forgotten(node.status.conditions, DISKS_RELEASED)
        words = "; ".join(sorted(left_behind)) + ": release it, or put the disk back into spec.disks"
        seen = told(DISKS_RELEASED, holds=False, reason="DiskInUse", message=words)
        return observed(node.status.conditions, seen, timestamp(self.runtime.process.clock.now()))
