"""Three managers as real processes on one API, 300 asks and releases, managers killed and started again.

Every revision is recorded, and a checker that shares no code with the deciders reads the record.
"""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.program import PATIENCE, Started, surroundings

from holdfast.agent.agent import Agent
from holdfast.agent.simulated import SimulatedDriver
from holdfast.api.core import Namespace
from holdfast.api.errors import Conflict, Invalid
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.meta import ObjectMeta
from holdfast.controllers.asks import ask, release, standing
from holdfast.decide.tokens import Token
from holdfast.decide.values import AskKey, AskKind
from holdfast.embedded.http import serve
from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.kube.client import Client
from holdfast.plane.definitions import apply_missing
from holdfast.process import Process, Randomness, Tasks
from holdfast.simulation.checker import Checker, Violation
from holdfast.simulation.record import Revision

NAMESPACE = "longhorn-system"
DISKS, CHANGES, GIB = 10, 300, 2**30


class Cluster:
    """An API over HTTPS with ten disks of 100Gi, the record of it, and managers as processes."""

    def __init__(self, server: Server, kubeconfig: Path, home: Path) -> None:
        self.client = Client(server.transport(), Process("person"))
        self.checker = Checker()
        self.violations: list[Violation] = []
        self.managers: list[Started] = []
        self._environment = surroundings(home, KUBECONFIG=str(kubeconfig))
        self.renewals = 0
        self.other_writes: list[str] = []
        self._grew = asyncio.Event()
        server.record(self._see)

    def _see(self, revision: dict[str, Any]) -> None:
        seen = msgspec.convert(revision, Revision)
        self.violations += self.checker.see(seen)
        if seen.object["kind"] == "Lease":
            self.renewals += 1
        else:
            self.other_writes.append(f"{seen.type} {'/'.join(seen.key)}")
        self._grew.set()

    async def until(self, holds: Any) -> None:
        """Wait for a state of the record, looking at each growth of it."""
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self._grew.clear()
                await self._grew.wait()

    def start_manager(self, name: str) -> Started:
        manager = Started(
            "manager", "--metrics-port", "0", "--name", name, environment=self._environment, listen_to="stderr", last_line="Metrics:"
        )
        self.managers.append(manager)
        return manager

    async def comes_to_rest(self) -> None:
        """Wait until nothing but heartbeats is written while every agent renews its Lease a few times."""
        async with asyncio.timeout(PATIENCE):
            while True:
                renewals, written = self.renewals, len(self.other_writes)
                await self.until(lambda before=renewals: self.renewals >= before + 2 * DISKS)
                if len(self.other_writes) == written:
                    return

    def disks(self) -> list[str]:
        return sorted(schedule["metadata"]["name"] for schedule in self.checker.objects("DiskSchedule"))


@pytest.fixture
async def cluster(tmp_path) -> AsyncIterator[Cluster]:
    async with AsyncExitStack() as stack:
        process = Process("api")
        server = await Server.open(process, MemoryJournal())
        stack.push_async_callback(server.close)
        tasks = await stack.enter_async_context(Tasks())
        tasks.spawn(server.run(), name="api")
        front = await stack.enter_async_context(serve(server, process, port=0, data_dir=tmp_path))
        cluster = Cluster(server, front.kubeconfig, tmp_path)
        await cluster.client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
        await apply_missing(cluster.client)
        for number in range(DISKS):
            name = f"n{number}"
            driver = SimulatedDriver(name, {"disk-1": 100 * GIB})
            client = Client(server.transport(), Process(name))
            tasks.spawn(Agent(client, Process(name), driver, node=name, namespace=NAMESPACE).run(), name=name)
        try:
            yield cluster
        finally:
            for manager in cluster.managers:
                manager.stop()


async def change_something(cluster: Cluster, uuids: list[str], randomness: Randomness, epochs: dict[str, int]) -> None:
    """One random ask, growth, shrink or release, written as controllers do; a lost race is looked at again."""
    uuid, name = uuids[randomness.below(DISKS)], f"r{randomness.below(12)}"
    key = AskKey(AskKind.REPLICA, name)
    for _ in range(20):
        schedule = await cluster.client.get(DiskSchedule, uuid, NAMESPACE)
        epochs[name] = epochs.get(name, 0) + 1
        token = Token(f"uid-of-{name}", 1, epochs[name])
        wants_less = standing(schedule, key).bytes is not None and randomness.below(3) == 0
        patch = release(schedule, key, token) if wants_less else ask(schedule, key, (1 + randomness.below(60)) * GIB, token)
        if patch is None:
            return
        try:
            await cluster.client.patch(DiskSchedule, uuid, NAMESPACE, patch)
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


@pytest.mark.timeout(180)
async def test_the_promise_holds_at_every_revision(cluster: Cluster) -> None:
    """D-01, D-06, D-88: however many decide, whoever dies, no revision promises a byte twice, and the books close."""
    randomness, epochs = Randomness(20), dict[str, int]()
    async with managers_that_die(cluster, 3) as replace_one, Tasks() as tasks:
        await cluster.until(lambda: len(cluster.disks()) == DISKS)
        uuids = cluster.disks()
        for number in range(CHANGES):
            await change_something(cluster, uuids, randomness, epochs)
            if number % 75 == 40:
                tasks.spawn(replace_one(number // 75), name="a manager dies")
            if randomness.below(3) == 0:
                await cluster.until(lambda: not cluster.checker.disagreements())
        await cluster.until(lambda: not cluster.checker.disagreements())

        assert cluster.violations == []
        assert cluster.checker.grants_seen > CHANGES // 4

        await cluster.comes_to_rest()
        assert cluster.checker.disagreements() == []
