"""Three managers as real processes on one API, embedded or real, hundreds of asks and releases, managers killed and started again.

Every revision is recorded, and a checker that shares no code with the deciders reads the record.
"""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.homes import Home, embedded_home, in_the_real_tier, real_home
from tests.support.program import Started, surroundings

from holdfast.agent.agent import Agent
from holdfast.agent.simulated import SimulatedDriver
from holdfast.api.errors import Conflict, Invalid
from holdfast.api.longhorn import DiskSchedule
from holdfast.controllers.asks import ask, release, standing
from holdfast.decide.tokens import Token
from holdfast.decide.values import AskKey, AskKind
from holdfast.process import Process, Randomness, Tasks
from holdfast.simulation.checker import Checker, Violation
from holdfast.simulation.record import Revision

DISKS, GIB = 10, 2**30
#: A real control plane takes longer for each, on the same machine.
CHANGES, CHANGES_ON_REAL = 300, 120
#: A manager that is killed leaves its keys lying until its Lease has run out, and several are killed.
PATIENCE = 120


class Cluster:
    """An API with ten disks of 100Gi, the record of it, and managers as processes."""

    home: Home

    def __init__(self, folder: Path, changes: int) -> None:
        self.changes = changes
        self.checker = Checker()
        self.violations: list[Violation] = []
        self.managers: list[Started] = []
        self.renewals = 0
        self.other_writes: list[str] = []
        self._folder = folder

    def is_at(self, home: Home) -> None:
        self.home = home
        self.client = home.client("person")

    def sees(self, revision: dict[str, Any]) -> None:
        seen = msgspec.convert(revision, Revision)
        self.violations += self.checker.see(seen)
        if seen.object["kind"] == "Lease":
            self.renewals += 1
        else:
            self.other_writes.append(f"{seen.type} {'/'.join(seen.key)}")

    async def until(self, holds: Any) -> None:
        """Wait for a state of the record, looking at each growth of it."""
        async with asyncio.timeout(PATIENCE):
            await self.home.catch_up()
            while not holds():
                await self.home.news()
                await self.home.catch_up()

    def start_manager(self, name: str) -> Started:
        command = ("manager", "--metrics-port", "0", "--name", name, "--namespace", self.home.namespace)
        environment = surroundings(self._folder, KUBECONFIG=str(self.home.kubeconfig))
        manager = Started(*command, environment=environment, listen_to="stderr", last_line="Metrics:")
        self.managers.append(manager)
        return manager

    async def comes_to_rest(self) -> None:
        """Wait until nothing but heartbeats is written, for as many of them as there are agents."""
        async with asyncio.timeout(PATIENCE):
            while True:
                renewals, written = self.renewals, len(self.other_writes)
                await self.until(lambda before=renewals: self.renewals >= before + DISKS)
                if len(self.other_writes) == written:
                    return

    def disks(self) -> list[str]:
        return sorted(schedule["metadata"]["name"] for schedule in self.checker.objects("DiskSchedule"))


@pytest.fixture
async def embedded(tmp_path) -> AsyncIterator[Cluster]:
    cluster = Cluster(tmp_path, CHANGES)
    async with embedded_home(tmp_path, cluster.sees) as home, furnished(cluster, home):
        yield cluster


@pytest.fixture
async def real(control_plane, kinds, namespace, tmp_path) -> AsyncIterator[Cluster]:
    cluster = Cluster(tmp_path, CHANGES_ON_REAL)
    async with real_home(control_plane, namespace, cluster.sees) as home, furnished(cluster, home):
        yield cluster


@asynccontextmanager
async def furnished(cluster: Cluster, home: Home) -> AsyncIterator[None]:
    """With ten machines; what the test started is ended."""
    cluster.is_at(home)
    async with Tasks() as tasks:
        for number in range(DISKS):
            name = f"n{number}"
            driver = SimulatedDriver(name, {"disk-1": 100 * GIB})
            agent = Agent(home.client(name), Process(name), driver, node=name, namespace=home.namespace)
            tasks.spawn(agent.run(), name=name)
        try:
            yield
        finally:
            for manager in cluster.managers:
                manager.stop()


@pytest.fixture(params=["embedded", in_the_real_tier("real")])
def cluster(request) -> Cluster:
    found: Cluster = request.getfixturevalue(request.param)
    return found


async def change_something(cluster: Cluster, uuids: list[str], randomness: Randomness, epochs: dict[str, int]) -> None:
    """One random ask, growth, shrink or release, written as controllers do; a lost race is looked at again."""
    uuid, name = uuids[randomness.below(DISKS)], f"r{randomness.below(12)}"
    key = AskKey(AskKind.REPLICA, name)
    for _ in range(20):
        schedule = await cluster.client.get(DiskSchedule, uuid, cluster.home.namespace)
        epochs[name] = epochs.get(name, 0) + 1
        token = Token(f"uid-of-{name}", 1, epochs[name])
        wants_less = standing(schedule, key).bytes is not None and randomness.below(3) == 0
        patch = release(schedule, key, token) if wants_less else ask(schedule, key, (1 + randomness.below(60)) * GIB, token)
        if patch is None:
            return
        try:
            await cluster.client.patch(DiskSchedule, uuid, cluster.home.namespace, patch)
        except (Conflict, Invalid):
            continue
        return


@asynccontextmanager
async def managers_that_die(cluster: Cluster, count: int) -> AsyncIterator[Any]:
    """A way to kill one without a word and to start another in its place."""
    running = [await asyncio.get_running_loop().run_in_executor(None, cluster.start_manager, f"m{number}") for number in range(count)]

    async def replace_one(which: int) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, running[which % count].ends_by, signal.SIGKILL)
        running[which % count] = await loop.run_in_executor(None, cluster.start_manager, f"m{which % count}")

    yield replace_one


@pytest.mark.timeout(420)
async def test_the_promise_holds_at_every_revision(cluster: Cluster) -> None:
    """D-01, D-06, D-88: however many decide, whoever dies, no revision promises a byte twice, and the books close."""
    randomness, epochs = Randomness(20), dict[str, int]()
    async with managers_that_die(cluster, 3) as replace_one, Tasks() as tasks:
        await cluster.until(lambda: len(cluster.disks()) == DISKS)
        uuids = cluster.disks()
        for number in range(cluster.changes):
            await change_something(cluster, uuids, randomness, epochs)
            if number % 75 == 40:
                tasks.spawn(replace_one(number // 75), name="a manager dies")
            if randomness.below(3) == 0:
                await cluster.until(lambda: not cluster.checker.disagreements())
        await cluster.until(lambda: not cluster.checker.disagreements())

        assert cluster.violations == []
        assert cluster.checker.grants_seen > cluster.changes // 4

        await cluster.comes_to_rest()
        assert cluster.checker.disagreements() == []
