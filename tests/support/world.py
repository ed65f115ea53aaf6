"""A small cluster to tell stories about: an API, managers with all controllers, and simulated machines with agents.

    await world.has(machine("n1", simulated_disk(total="100Gi")))
    await world.asks("r1", "60Gi", on="n1/disk-1")
    await world.settles()
    assert world.granted("r1", on="n1/disk-1") == size("60Gi")

A world needs nothing of its home but transports, so the same story runs wherever one leads (``real_world``: a real control plane, in
real time). What it shows between ``settles`` is what was there when the world last settled.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from msgspec import Struct
from tests.support.builders import NAMESPACE, Machine, size
from tests.support.virtual_loop import virtual_process

from holdfast.agent.agent import INTERVAL, Agent
from holdfast.agent.simulated import SimulatedDriver, uuid_of
from holdfast.api.conditions import find
from holdfast.api.core import Event, Namespace
from holdfast.api.longhorn import BackingImage, DiskSchedule, LonghornNode, Replica, Setting
from holdfast.api.longhorn.disk_schedule import ScheduledResource
from holdfast.api.meta import Condition, Object, ObjectMeta
from holdfast.api.struct import from_builtins
from holdfast.api.wire import Transport
from holdfast.controllers.asks import ask
from holdfast.controllers.roster import all_controllers
from holdfast.decide.explain import Explanation, explain
from holdfast.decide.tokens import Token
from holdfast.decide.values import AskKey, AskKind
from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.kube.ownership import SharedOwnership
from holdfast.kube.runtime import Runtime
from holdfast.plane.definitions import apply_missing
from holdfast.process import Process, Tasks
from holdfast.simulation.checker import Checker, Violation
from holdfast.simulation.record import Revision

KINDS: tuple[type[Object], ...] = (LonghornNode, DiskSchedule, Setting, Replica, BackingImage, Event)
#: Leases are renewed for ever; they are no part of what settles.

NO_TOKEN = Token()


class Pace(Struct, frozen=True):
    """How time passes in a world."""

    process: Callable[[str], Process]
    calm: float
    """Longer than the pause of an agent and than a few retries: what has not moved for so long has settled."""
    pause: float
    """Between the rounds of an agent."""


def _virtual_process(name: str) -> Process:
    return virtual_process(name, seed=sum(name.encode()))


VIRTUAL = Pace(_virtual_process, calm=15.0, pause=INTERVAL)

Transports = Callable[[], Transport]


class Manager:
    """A process that runs all controllers."""

    def __init__(self, process: Process, transport: Transport, tasks: Tasks, *, namespace: str, shares: bool) -> None:
        self.process = process
        self.process.at_death(transport.kill)
        client = Client(transport, self.process)

        def shared(caches: Caches) -> SharedOwnership:
            return SharedOwnership(client, self.process, caches, namespace=namespace)

        self.runtime = Runtime(client, self.process, namespace=namespace, ownership=shared if shares else None)
        self._work = tasks.spawn(self.runtime.run(all_controllers(self.runtime)), name=process.name)

    async def dies(self) -> None:
        """Its words are cut first, then its tasks."""
        self.process.die()
        self._work.cancel()
        await asyncio.wait([self._work])


class World:
    """The cluster of one scenario."""

    def __init__(self, transports: Transports, tasks: Tasks, *, namespace: str = NAMESPACE, pace: Pace = VIRTUAL) -> None:
        self.transports = transports
        self.namespace = namespace
        self.pace = pace
        person = pace.process("person")
        self.clock = person.clock
        self.client = Client(transports(), person)
        self.machines: dict[str, SimulatedDriver] = {}
        self.managers: dict[str, Manager] = {}
        self.checker = Checker()
        self.violations: list[Violation] = []
        self._tasks = tasks
        self._seen: dict[tuple[type[Object], str], Object] = {}

    def sees_revision(self, told: dict[str, Any]) -> None:
        """Every committed revision passes here, and is held to the ledger's promises by somebody who shares no code with it."""
        self.violations += self.checker.see(from_builtins(told, Revision))

    async def status_by_hand(self, disk: str, status: dict[str, Any]) -> None:
        """What a person writes into books is no promise of ours, and what that very revision breaks is his."""
        held = list(self.violations)
        await self.applies(DiskSchedule, self.uuid(disk), {"status": status}, subresource="status")
        self.violations = held

    # ---- what there is ----------------------------------------------------------------------------------------------------

    async def has(self, *things: Machine | Object) -> None:
        """Machines come with their agents; objects are created, with their status."""
        for thing in things:
            if isinstance(thing, Machine):
                self._starts_machine(thing)
            else:
                await self._creates(thing)

    def _starts_machine(self, machine: Machine) -> None:
        driver = SimulatedDriver(machine.name, {disk.name: disk.size for disk in machine.disks})
        process = self.pace.process(f"agent-{machine.name}")
        client = Client(self.transports(), process)
        agent = Agent(client, process, driver, node=machine.name, namespace=self.namespace, interval=self.pace.pause)
        self.machines[machine.name] = driver
        self._tasks.spawn(agent.run(), name=process.name)

    async def _creates(self, obj: Any) -> None:
        made = await self.client.create(_as_new(obj, self.namespace))
        if hasattr(obj, "status"):
            status = type(obj)(metadata=made.metadata, status=obj.status)
            await self.client.change(type(obj)(metadata=made.metadata), status, subresource="status")

    def starts_manager(self, name: str = "m1", transport: Transport | None = None, *, shares: bool = False) -> Manager:
        """Alone, it works on everything; one that ``shares`` leaves to others what is theirs."""
        process = self.pace.process(name)
        manager = Manager(process, transport or self.transports(), self._tasks, namespace=self.namespace, shares=shares)
        self.managers[name] = manager
        return manager

    # ---- what people and other controllers do -----------------------------------------------------------------------------

    async def asks(self, name: str, amount: str | int, *, on: str, token: Token = NO_TOKEN, kind: AskKind = AskKind.REPLICA) -> None:
        """As an asker does: one key, under a test of what stood there."""
        books = await self.client.get(DiskSchedule, self.uuid(on), self.namespace)
        patch = ask(books, AskKey(kind, name), size(amount), token)
        if patch is not None:
            await self.client.patch(DiskSchedule, self.uuid(on), self.namespace, patch)

    async def releases(self, name: str, *, on: str, token: Token = NO_TOKEN, kind: AskKind = AskKind.REPLICA) -> None:
        await self.asks(name, 0, on=on, token=token, kind=kind)

    async def applies(self, type_: type[Object], name: str, patch: dict[str, Any], *, subresource: str = "") -> None:
        """A merge patch, as from kubectl."""
        await self.client.patch(type_, name, self.namespace, patch, subresource=subresource)

    async def sets(self, name: str, value: str) -> None:
        """A setting."""
        await self.applies(Setting, name, {"value": value})

    async def deletes(self, type_: type[Object], name: str) -> None:
        await self.client.delete(type_, name, self.namespace)

    # ---- time -------------------------------------------------------------------------------------------------------------

    async def passes(self, seconds: float) -> None:
        """Time goes by, and what it brings about is seen."""
        await asyncio.sleep(seconds)
        await self.looks()

    async def settles(self, within: float = 3600.0) -> None:
        """Until nothing but leases has been written for a while."""
        async with asyncio.timeout(within):
            before = None
            while (revisions := await self.looks()) != before or self.is_behind():
                before = revisions
                await asyncio.sleep(self.pace.calm)

    def is_behind(self) -> bool:
        """Whether somebody has yet to hear of what was just seen. On virtual time nobody has: the calm is longer than anything takes."""
        return False

    async def written_during(self, seconds: float) -> set[str]:
        """The names of what is written while time goes by. Leases are renewed and events forgotten all the time: they do not count."""
        before = await self.looks()
        await asyncio.sleep(seconds)
        return {name for (type_, name), revision in (await self.looks()).items() if before.get((type_, name)) != revision}

    async def looks(self) -> dict[Any, str]:
        """See everything as it is now; the result tells every revision."""
        listings = [(await self.client.list(type_, self.namespace)).items for type_ in KINDS]
        self._seen = {(type(obj), obj.metadata.name): obj for listing in listings for obj in listing}
        return {place: obj.metadata.resource_version for place, obj in self._seen.items()}

    # ---- what is seen -----------------------------------------------------------------------------------------------------

    def uuid(self, disk: str) -> str:
        """The UUID of the disk ``node/name``; a UUID is taken as it is."""
        node, _, name = disk.partition("/")
        return uuid_of(node, name) if name else disk

    def sees(self, type_: type[Any], name: str) -> Any:
        """The object, or None."""
        return self._seen.get((type_, name))

    def sees_all(self, type_: type[Any]) -> list[Any]:
        return [obj for (kind, _), obj in self._seen.items() if kind is type_]

    def explains(self, disk: str) -> Explanation:
        """What a person is told about a disk."""
        books, kinds = self.books(disk), (Setting, Replica, BackingImage)
        settings, replicas, images = (self.sees_all(kind) for kind in kinds)
        return explain(books, self.sees(LonghornNode, books.spec.node_id), settings, replicas, images, self.clock.now())

    def books(self, disk: str) -> DiskSchedule:
        found = self.sees(DiskSchedule, self.uuid(disk))
        assert isinstance(found, DiskSchedule), f"disk {disk} has no books"
        return found

    def entry(self, name: str, *, on: str, kind: AskKind = AskKind.REPLICA) -> ScheduledResource:
        """The verdict on an ask."""
        status = self.books(on).status
        return (status.replicas if kind is AskKind.REPLICA else status.backing_images)[name]

    def granted(self, name: str, *, on: str) -> int:
        return self.entry(name, on=on).scheduled_size

    def condition(self, disk: str, type_: str) -> Condition:
        """A condition of a disk's books."""
        return said(self.books(disk).status.conditions, type_)

    def says(self, disk: str, type_: str) -> bool:
        """Whether the disk's books have the condition at all."""
        return find(self.books(disk).status.conditions, type_) is not None

    def node_condition(self, node: str, type_: str) -> Condition:
        """A condition of a Node."""
        return said(self.sees(LonghornNode, node).status.conditions, type_)

    def events(self, reason: str) -> list[str]:
        """The messages of all events with this reason."""
        return [obj.message for obj in self._seen.values() if isinstance(obj, Event) and obj.reason == reason]


def said(conditions: Iterable[Condition], type_: str) -> Condition:
    """The condition of a type, which must be there."""
    found = find(conditions, type_)
    assert found is not None, f"there is no condition {type_}"
    return found


def _as_new(obj: Any, namespace: str) -> Any:
    """The object as a person would send it: the server makes the rest."""
    metadata = ObjectMeta(
        name=obj.metadata.name, namespace=namespace, annotations=obj.metadata.annotations, finalizers=obj.metadata.finalizers
    )
    others = {name: getattr(obj, name) for name in obj.__struct_fields__ if name not in {"metadata", "status"}}
    return type(obj)(metadata=metadata, **others)


@contextlib.asynccontextmanager
async def embedded_world() -> AsyncIterator[World]:
    """A world on the embedded API, with nothing in it but the kinds."""
    server = await Server.open(virtual_process("server"), MemoryJournal())
    try:
        async with Tasks() as tasks:
            tasks.spawn(server.run(), name="server")
            world = World(server.transport, tasks)
            server.record(world.sees_revision)
            await world.client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
            await apply_missing(world.client)
            yield world
        assert world.violations == [], "\n".join(map(str, world.violations))
    finally:
        await server.close()
