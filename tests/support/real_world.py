"""The world of a scenario on a real control plane, in real time.

Nothing is waited for but facts, as far as there are any: a real world has settled when nothing was written for a moment, no write is on
its way, every agent has looked at its disks since, and every manager has in its caches what the server has. Stories about hours can
not be told here.
"""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from tests.support.real_control_plane import ControlPlane
from tests.support.world import KINDS, Manager, Pace, World

from holdfast.api.core import Event
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.wire import Answer, Request, Stream, Transport
from holdfast.process import Process, Tasks
from holdfast.simulation.watching_record import WatchingRecord

REAL = Pace(Process, calm=0.15, pause=0.05)


class Traffic:
    """What is on its way to the server, and what it was asked for."""

    def __init__(self) -> None:
        self.writes = 0
        self.reads: Counter[str] = Counter()


class Counted:
    """A transport whose requests are counted."""

    def __init__(self, inner: Transport, traffic: Traffic) -> None:
        self._inner = inner
        self._traffic = traffic

    async def send(self, request: Request) -> Answer:
        if request.method == "GET":
            self._traffic.reads[request.path] += 1
            return await self._inner.send(request)
        self._traffic.writes += 1
        try:
            return await self._inner.send(request)
        finally:
            self._traffic.writes -= 1

    async def open(self, request: Request) -> Answer | Stream:
        return await self._inner.open(request)

    async def close(self) -> None:
        await self._inner.close()

    def kill(self) -> None:
        self._inner.kill()


class RealWorld(World):
    """A world that knows what its members have heard."""

    record: WatchingRecord

    def __init__(self, plane: ControlPlane, tasks: Tasks, namespace: str) -> None:
        self.traffic = Traffic()
        self.opened: list[Transport] = []
        self._plane = plane
        self._looked: dict[str, int] = {}
        self._last: dict[Any, str] = {}
        super().__init__(self._transport, tasks, namespace=namespace, pace=REAL)

    def _transport(self) -> Transport:
        self.opened.append(Counted(self._plane.transport(), self.traffic))
        return self.opened[-1]

    async def looks(self) -> dict[Any, str]:
        """As everywhere; and remember how often agents had looked when something last changed."""
        seen = await super().looks()
        if seen != self._last:
            self._last, self._looked = seen, self._rounds()
        return seen

    async def settles(self, within: float = 60.0) -> None:
        self._last = {}  # whatever a story has just done, everybody looks once more
        await super().settles(within)

    def is_behind(self) -> bool:
        rounds = self._rounds()
        # The first round that begins after a change sees it, and the second begins when the first has ended.
        has_looked = all(rounds[name] >= self._looked.get(name, 0) + 2 for name in rounds)
        return not has_looked or self.traffic.writes > 0 or any(self._is_deaf(manager) for manager in self.managers.values())

    def _rounds(self) -> dict[str, int]:
        """How often the agent of each machine has begun to look."""
        return {name: self.traffic.reads[f"/apis/longhorn.io/v1beta2/namespaces/{self.namespace}/nodes/{name}"] for name in self.machines}

    def _is_deaf(self, manager: Manager) -> bool:
        """Whether its caches differ from what was last seen."""
        if manager.process.is_dead:
            return False
        kinds = [type_ for type_ in KINDS if type_ is not Event]
        held = {
            (type_, obj.metadata.name): obj.metadata.resource_version for type_ in kinds for obj in manager.runtime.caches.of(type_).all()
        }
        return held != {place: revision for place, revision in self._last.items() if place[0] is not Event}

    async def status_by_hand(self, disk: str, status: dict[str, Any]) -> None:
        await self.record.catch_up()
        held = list(self.violations)
        await self.applies(DiskSchedule, self.uuid(disk), {"status": status}, subresource="status")
        await self.record.catch_up()
        self.violations = held


@contextlib.asynccontextmanager
async def real_world(plane: ControlPlane, namespace: str) -> AsyncIterator[World]:
    """A world in a namespace with nothing in it, on an API that knows our kinds."""
    opened: list[Transport] = []
    try:
        async with Tasks() as tasks:
            world = RealWorld(plane, tasks, namespace)
            opened = world.opened
            world.record = WatchingRecord(world.transports(), Process("record"), world.sees_revision, namespace=namespace)
            tasks.spawn(world.record.run(), name="record")
            await world.record.begins()
            yield world
            await world.record.catch_up()
        assert world.violations == [], "\n".join(map(str, world.violations))
    finally:
        for transport in opened:
            await transport.close()
