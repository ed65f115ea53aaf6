"""Caches, controllers, leases and events on the real embedded server: what the scripted one promises is what a real one does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import ClassVar

from tests.support.breakable_transport import Breakable
from tests.support.virtual_loop import until, virtual, virtual_process

from holdfast.api.core import ConfigMap, Event, Lease
from holdfast.api.meta import Object, ObjectMeta
from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.kube.cache import Change
from holdfast.kube.client import Client
from holdfast.kube.controller import Controller
from holdfast.kube.election import LeaderElection, Leadership
from holdfast.kube.ownership import PREFIX, SharedOwnership
from holdfast.kube.runtime import Runtime
from holdfast.process import Tasks

NAMESPACE = "default"


def config(name: str, value: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace=NAMESPACE), data={"value": value})


class Doubler(Controller[ConfigMap]):
    """Writes the double of a value beside it, and tells people."""

    kind: ClassVar[type[Object]] = ConfigMap

    async def reconcile(self, obj: ConfigMap) -> None:
        double = str(2 * int(obj.data["value"]))
        if obj.data.get("double") != double:
            await self.runtime.client.patch(ConfigMap, obj.metadata.name, NAMESPACE, {"data": {"double": double}})
            self.runtime.events.emit(obj, "Normal", "Doubled", f"it is {double} now")


class Machine:
    """One process with its own connection."""

    def __init__(self, server: Server, name: str, *, alone: bool = True) -> None:
        self.process = virtual_process(name)
        self.network = Breakable(server.transport())
        self.client = Client(self.network, self.process)
        self.runtime = Runtime(
            self.client,
            self.process,
            namespace=NAMESPACE,
            ownership=None if alone else lambda caches: SharedOwnership(self.client, self.process, caches, namespace=NAMESPACE),
        )
        self.configs = self.runtime.caches.of(ConfigMap)

    def values(self) -> dict[str, str]:
        return {held.metadata.name: held.data["value"] for held in self.configs.all()}


@asynccontextmanager
async def cluster() -> AsyncIterator[tuple[Server, Client, Tasks]]:
    """A server on virtual time, and somebody who writes to it."""
    server = await Server.open(virtual_process("api"), MemoryJournal())
    async with Tasks() as tasks:
        tasks.spawn(server.run(), name="embedded API")
        yield server, Client(server.transport(), virtual_process("somebody")), tasks
    await server.close()


@virtual
async def test_a_cache_is_true_again_after_a_gap_that_outlasted_the_history():
    """What was deleted in the gap is told by a difference and by nothing else."""
    async with cluster() as (server, somebody, tasks):
        for name in ("stays", "goes"):
            await somebody.create(config(name, "1"))
        machine = Machine(server, "m")
        gone: list[str] = []

        def heard(change: Change[ConfigMap]) -> None:
            if change.new is None:
                gone.append(change.object.metadata.name)

        machine.configs.on_change(heard)
        tasks.spawn(machine.runtime.caches.run(), name="caches")
        await machine.runtime.caches.wait_synced()
        await asyncio.sleep(5)
        machine.network.goes_down()
        for collection in server.store.collections():
            collection.history._max_events = 4
        await somebody.delete(ConfigMap, "goes", NAMESPACE)
        for n in range(20):
            await somebody.patch(ConfigMap, "stays", NAMESPACE, {"data": {"value": str(n)}})
        machine.network.comes_up()
        await until(lambda: machine.values() == {"stays": "19"}, within=60)

        assert gone == ["goes"]
        relists = machine.runtime.metrics.registry.get_sample_value("holdfast_watch_relists_total", {"kind": "configmaps"})
        assert relists == 1


@virtual
async def test_a_quiet_kind_is_not_listed_again_thanks_to_bookmarks():
    """Hours without news, then a cut: other kinds have moved on, this one goes on where the bookmark says."""
    async with cluster() as (server, somebody, tasks):
        await somebody.create(config("a", "1"))
        machine = Machine(server, "m")
        tasks.spawn(machine.runtime.caches.run(), name="caches")
        await machine.runtime.caches.wait_synced()
        await asyncio.sleep(3 * 3600)
        machine.network.goes_down()
        machine.network.comes_up()
        await somebody.patch(ConfigMap, "a", NAMESPACE, {"data": {"value": "2"}})
        await until(lambda: machine.values() == {"a": "2"}, within=10)

        registry = machine.runtime.metrics.registry
        assert registry.get_sample_value("rest_client_requests_total", {"method": "GET", "code": "200"}) == 1
        assert registry.get_sample_value("holdfast_watch_relists_total", {"kind": "configmaps"}) is None


@virtual
async def test_two_managers_do_all_the_work_once():
    """Leases, shares, rounds, own writes and events together; in the end nobody writes any more."""
    async with cluster() as (server, somebody, tasks):
        machines = [Machine(server, name, alone=False) for name in ("m0", "m1")]
        for machine in machines:
            tasks.spawn(machine.runtime.run([Doubler(machine.runtime)]), name=machine.process.name)
        await asyncio.sleep(10)
        for n in range(30):
            await somebody.create(config(f"c{n}", str(n)))
        await asyncio.sleep(10)
        configs = (await somebody.list(ConfigMap, NAMESPACE)).items
        events = (await somebody.list(Event, NAMESPACE)).items
        revisions = {found.metadata.resource_version for found in configs}
        await asyncio.sleep(600)

        doubles = {found.metadata.name: found.data["double"] for found in configs if found.metadata.name.startswith("c")}
        assert doubles == {f"c{n}": str(2 * n) for n in range(30)}
        assert len(events) == 30
        assert {event.count for event in events} == {1}
        assert {found.metadata.resource_version for found in (await somebody.list(ConfigMap, NAMESPACE)).items} == revisions
        leases = {lease.metadata.name for lease in (await somebody.list(Lease, NAMESPACE)).items}
        assert leases == {PREFIX + "m0", PREFIX + "m1"}


@virtual
async def test_a_leader_cut_off_from_the_server_is_followed_by_one_other():
    """A real server's conflicts decide who leads."""
    async with cluster() as (server, _somebody, tasks):
        leaders: list[str] = []

        async def lead(name: str, _leadership: Leadership) -> None:
            assert not leaders
            leaders.append(name)
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                leaders.remove(name)

        machines = [Machine(server, f"m{n}") for n in range(3)]
        for machine in machines:
            election = LeaderElection(machine.client, machine.process, namespace=NAMESPACE, name="the-one")
            tasks.spawn(election.run(partial(lead, machine.process.name)), name=machine.process.name)
        await until(lambda: bool(leaders))
        for _ in range(3):
            (first,) = leaders
            machine = next(machine for machine in machines if machine.process.name == first)
            machine.network.goes_down()
            await until(lambda: not leaders, within=60)
            await until(lambda: bool(leaders), within=60)
            assert leaders != [first]
            machine.network.comes_up()
