"""Candidates for one lease, each a process with its own clock, and a record of who believes to lead."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.support.informers import NAMESPACE
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import VirtualClock

from holdfast.api.core import Lease
from holdfast.kube.client import Client
from holdfast.kube.election import LeaderElection, Leadership
from holdfast.kube.retry import IMPATIENT
from holdfast.process import Process, Randomness, Tasks

LEASE = "holdfast-sweep"


class Candidate:
    """One process that wants to lead."""

    def __init__(self, api: ScriptedApi, name: str, belief: "Belief", *, seed: int = 1, rate: float = 1.0) -> None:
        self.name = name
        self.clock = VirtualClock(rate=rate)
        self.process = Process(name, self.clock, Randomness(seed))
        self.transport = api.transport()
        self.client = Client(self.transport, self.process, patience=IMPATIENT)
        self.election = LeaderElection(self.client, self.process, namespace=NAMESPACE, name=LEASE)
        self.belief = belief
        self.leaderships: list[Leadership] = []
        self.run: asyncio.Task[None] | None = None

    async def work(self, leadership: Leadership) -> None:
        """Believe to lead until told otherwise."""
        self.leaderships.append(leadership)
        self.belief.begins(self.name, leadership.epoch)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.belief.ends(self.name)

    @property
    def leads(self) -> bool:
        return self.name in self.belief.leaders

    def start(self, tasks: Tasks) -> None:
        self.run = tasks.spawn(self.election.run(self.work), name=self.name)

    async def stop(self) -> None:
        """An orderly end."""
        self.election.step_down()
        if self.run is not None:
            await self.run

    async def die(self) -> None:
        """As a kill does: first nothing leaves any more, then nothing runs."""
        self.transport.kill()
        if self.run is not None:
            self.run.cancel()
            await asyncio.wait([self.run])


class Belief:
    """Who believes to lead; two at once is what must never be."""

    def __init__(self) -> None:
        self.leaders: set[str] = set()
        self.epochs: list[int] = []

    def begins(self, name: str, epoch: int) -> None:
        assert not self.leaders, f"{name} leads beside {self.leaders}"
        assert epoch > max(self.epochs, default=0), "an epoch is never used twice"
        self.leaders.add(name)
        self.epochs.append(epoch)

    def ends(self, name: str) -> None:
        self.leaders.discard(name)


class Contest:
    """Some candidates for one lease."""

    def __init__(self, api: ScriptedApi, tasks: Tasks) -> None:
        self.api = api
        self.belief = Belief()
        self._tasks = tasks
        self._count = 0

    def enters(self, name: str, *, rate: float = 1.0) -> Candidate:
        self._count += 1
        candidate = Candidate(self.api, name, self.belief, seed=self._count, rate=rate)
        candidate.start(self._tasks)
        return candidate

    @property
    def lease(self) -> Lease:
        return self.api.of(Lease)[0]


@asynccontextmanager
async def contest() -> AsyncIterator[Contest]:
    async with Tasks() as tasks:
        yield Contest(ScriptedApi(), tasks)
