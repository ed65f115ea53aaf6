"""A stand-in for the controllers that place replicas: it asks, grows, moves and releases by the rules of the ledger.

One Replica, one ask. The rules are those for writers of asks: only the own key, under a test of what was seen; a move only when the
disk refused this very token, after the ask is gone, and to a disk whose books show room; the finalizer goes when a live read shows
that nothing of this replica is asked any more.

The wanted size can change, so an ask has to say which wish it is of, or two copies of one asker, one of them with an old Replica, write
theirs over each other for as long as that lasts. Here the Replica's generation is the epoch of the token.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from msgspec.structs import replace

from holdfast.api.conditions import is_true
from holdfast.api.errors import NotFound
from holdfast.api.json_patch import test
from holdfast.api.kinds import FINALIZER
from holdfast.api.longhorn import DiskSchedule, Replica
from holdfast.api.longhorn.disk_schedule import State
from holdfast.api.meta import Object
from holdfast.controllers.asks import ask, release, standing, withdraw
from holdfast.decide.orphans import PLACEMENT, placement_of
from holdfast.decide.tokens import Token
from holdfast.decide.values import AskKey, AskKind
from holdfast.kube.cache import Change, key_of
from holdfast.kube.caches import Caches
from holdfast.kube.controller import Controller, Mapper
from holdfast.kube.keys import Key


def who_may_care(caches: Caches, change: Change[DiskSchedule]) -> Iterable[Key]:
    """Those that are placed there and, since room may have come, those that any disk refused: a small world has few."""
    disk = change.object.metadata.name
    keys = dict.fromkeys(key_of(replica) for replica in caches.of(Replica).all() if replica.spec.disk_id == disk)
    for books in caches.of(DiskSchedule).all():
        for name, entry in books.status.replicas.items():
            if entry.state is State.REJECTED:
                keys[Key(books.metadata.namespace, name)] = None
    return keys


class Asker(Controller[Replica]):
    """Keeps the asks of replicas."""

    kind: ClassVar[type[Object]] = Replica
    reacts_to: ClassVar[Mapping[type[Object], Mapper]] = {DiskSchedule: who_may_care}
    workers: ClassVar[int] = 2

    async def reconcile(self, replica: Replica) -> None:
        key, token = (
            AskKey(AskKind.REPLICA, replica.metadata.name),
            Token(replica.metadata.uid, placement_of(replica), replica.metadata.generation),
        )
        books = self.runtime.caches.of(DiskSchedule).get(replica.spec.disk_id, replica.metadata.namespace)
        if replica.metadata.deletion_timestamp:
            await self._let_go(replica, books, key, token)
        elif books is not None:
            await self._keep(replica, books, key, token)

    async def _keep(self, replica: Replica, books: DiskSchedule, key: AskKey, token: Token) -> None:
        entry = books.status.replicas.get(key.name)
        is_refused = entry is not None and entry.state is State.REJECTED and not entry.scheduled_size and entry.token == str(token)
        if is_refused and standing(books, key).token == str(token) and (better := self._with_room(replica, books)):
            await self._move(replica, books, key, better)
            return
        patch = ask(books, key, replica.spec.volume_size, token)
        if patch is not None and standing(books, key).bytes is None and not await self._is_newest(replica):
            return  # with an old copy an ask of nobody would come back as fast as it is swept
        if patch is not None:
            await self._patch_books(books, patch)

    def _with_room(self, replica: Replica, books: DiskSchedule) -> DiskSchedule | None:
        size = replica.spec.volume_size
        others = [other for other in self.runtime.caches.of(DiskSchedule).all() if other.metadata.name != books.metadata.name]
        fitting = [other for other in others if _room(other) >= size]
        return min(fitting, key=lambda other: (-_room(other), other.metadata.name), default=None)

    async def _move(self, replica: Replica, books: DiskSchedule, key: AskKey, to: DiskSchedule) -> None:
        if not await self._is_newest(replica):
            return  # with an old copy the ask would go and come back, over and over: its place on the other disk is never written
        patch = withdraw(key, standing(books, key))
        if patch is not None:
            # What was refused when we read it may have been granted since: only the version that we saw may lose its ask.
            await self._patch_books(books, [test("/metadata/resourceVersion", books.metadata.resource_version), *patch])
        metadata = replace(replica.metadata, annotations={**replica.metadata.annotations, PLACEMENT: str(placement_of(replica) + 1)})
        spec = replace(replica.spec, disk_id=to.metadata.name, node_id=to.spec.node_id)
        await self.runtime.client.change(replica, replace(replica, metadata=metadata, spec=spec), guarded=True)

    async def _is_newest(self, replica: Replica) -> bool:
        try:
            live = await self.runtime.client.get(Replica, replica.metadata.name, replica.metadata.namespace)
        except NotFound:
            return False
        return live.metadata.resource_version == replica.metadata.resource_version

    async def _let_go(self, replica: Replica, books: DiskSchedule | None, key: AskKey, token: Token) -> None:
        if FINALIZER not in replica.metadata.finalizers:
            return
        patch = None if books is None else release(books, key, token)
        if books is not None and patch is not None:
            await self._patch_books(books, patch)
        try:
            live = await self.runtime.client.get(DiskSchedule, replica.spec.disk_id, replica.metadata.namespace)
        except NotFound:
            live = None
        if live is not None and Token.parse(standing(live, key).token).uid == replica.metadata.uid:
            return  # the change of the books brings us back
        left = tuple(name for name in replica.metadata.finalizers if name != FINALIZER)
        metadata = replace(replica.metadata, finalizers=left)
        await self.runtime.client.change(replica, replace(replica, metadata=metadata), guarded=True)

    async def _patch_books(self, books: DiskSchedule, patch: list[dict[str, object]]) -> None:
        await self.runtime.client.patch(DiskSchedule, books.metadata.name, books.metadata.namespace, patch)


def _room(books: DiskSchedule) -> int:
    """What the books themselves say is left: the numbers by which that disk decides. A closed disk has none."""
    if not is_true(books.status.conditions, "Schedulable"):
        return 0
    return books.status.limit.bytes - books.status.storage_scheduled
