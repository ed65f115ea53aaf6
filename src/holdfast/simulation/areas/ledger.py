"""The ledger of disks: managers, node agents, askers, and people who do as they like.

Whatever happens, no disk ever promises a byte twice, and when the world is quiet asks and grants agree.
"""

from typing import Any, ClassVar, Final

from holdfast.agent.agent import Agent
from holdfast.agent.simulated import SimulatedDriver, uuid_of
from holdfast.api.errors import AlreadyExists, ApiError
from holdfast.api.kinds import FINALIZER
from holdfast.api.longhorn import DiskSchedule, LonghornNode, Replica, Setting
from holdfast.api.longhorn.replica import ReplicaSpec
from holdfast.api.meta import Object, ObjectMeta
from holdfast.api.struct import Int64
from holdfast.controllers.roster import all_controllers
from holdfast.decide import settings
from holdfast.decide.orphans import PLACEMENT, placement_of
from holdfast.kube.client import Client
from holdfast.kube.runtime import Runtime
from holdfast.plane.manager import Manager
from holdfast.process import Process
from holdfast.simulation.asker import Asker
from holdfast.simulation.clocks import DriftingClock
from holdfast.simulation.deeds import unless_refused
from holdfast.simulation.dice import Dice
from holdfast.simulation.programs import Life
from holdfast.simulation.script import Cast
from holdfast.simulation.world import NAMESPACE, Deed, World

GIB: Final = 2**30
_DISK_SIZE: Final = 100 * GIB
#: So many names for replicas: few enough that they come back.
_NAMES: Final = 5
_VALUES: Final = {
    settings.OVER_PROVISIONING: ("200", "100", "50", "200", "many"),
    settings.MINIMAL_AVAILABLE: ("25", "0", "10", "0", "101"),
    settings.LIMIT: ("written-aware", "storage-available", "longhorn", "none"),
    settings.AGING: ("0", "20", "600"),
}


class LedgerCast(Cast, frozen=True):
    managers: int
    nodes: int
    disks: int
    """Of each node."""
    askers: int
    sharing: int
    """1: managers share the work, as they do. 0: each works on everything, for nothing may rest on their sharing."""


class LedgerArea:
    """See above."""

    name: ClassVar[str] = "ledger"
    seconds: ClassVar[float] = 60.0
    stirs: ClassVar[bool] = True
    deeds: ClassVar[dict[str, float]] = {
        "creates": 8,
        "resizes": 5,
        "deletes": 5,
        "writes": 2,
        "moves-by-hand": 1,
        "asks-by-hand": 2,
        "edits-by-hand": 1,
        "removes-by-hand": 1,
        "sets": 4,
        "deletes-books": 0.5,
        "closes-disk": 0.7,
        "takes-disk-out": 0.5,
    }

    def cast(self, dice: Dice) -> LedgerCast:
        return LedgerCast(
            managers=1 + dice.below(3),
            nodes=1 + dice.below(2),
            disks=1 + dice.below(2),
            askers=1 + dice.below(2),
            sharing=dice.below(2),
        )

    def count(self, dice: Dice) -> int:
        return 5 + dice.below(25)

    async def play(self, world: World) -> None:
        cast = world.script.cast
        if not isinstance(cast, LedgerCast):
            raise TypeError(cast)
        user = User(world)
        await user.begins()
        for number in range(1, cast.nodes + 1):
            await _starts_node(world, f"n{number}", cast.disks)
        for number in range(1, cast.managers + 1):
            await world.starts(f"m{number}", _manages if cast.sharing else _manages_all)
        for number in range(1, cast.askers + 1):
            await world.starts(f"a{number}", _asks)
        await world.plays(user.deeds)
        await world.quiet()
        await world.is_stirred(user.deeds)


AREA: Final = LedgerArea()


async def _manages(life: Life) -> None:
    await Manager(life.client, life.process, namespace=NAMESPACE).run()


async def _manages_all(life: Life) -> None:
    runtime = Runtime(life.client, life.process, namespace=NAMESPACE)
    await runtime.run(all_controllers(runtime))


async def _asks(life: Life) -> None:
    runtime = Runtime(life.client, life.process, namespace=NAMESPACE)
    await runtime.run([Asker(runtime)])


async def _starts_node(world: World, name: str, disks: int) -> None:
    driver = SimulatedDriver(name, {f"disk-{number}": _DISK_SIZE for number in range(1, disks + 1)})
    world.machines[name] = driver

    async def speaks(life: Life) -> None:
        await Agent(life.client, life.process, driver, node=name, namespace=NAMESPACE).run()

    await world.starts(name, speaks)


class User:
    """People at the command line. They see what the server has, and mind no refusal."""

    def __init__(self, world: World) -> None:
        self._world = world
        process = Process("user", DriftingClock(), world.dice.of("user").randomness)
        self._client = Client(world.transport("user"), process)
        does = {
            "creates": self._creates,
            "resizes": self._resizes,
            "deletes": self._deletes,
            "writes": self._writes,
            "moves-by-hand": self._moves_by_hand,
            "asks-by-hand": self._asks_by_hand,
            "edits-by-hand": self._edits_by_hand,
            "removes-by-hand": self._removes_by_hand,
            "sets": self._sets,
            "deletes-books": self._deletes_books,
            "closes-disk": self._closes_disk,
            "takes-disk-out": self._takes_disk_out,
        }
        self.deeds: dict[str, Deed] = {name: unless_refused(deed) for name, deed in does.items()}

    async def begins(self) -> None:
        """Times that fit into a simulated minute."""
        for name, value in ((settings.ORPHAN_GRACE, "15"), (settings.AGING, "20")):
            await self._client.create(Setting(metadata=ObjectMeta(name=name, namespace=NAMESPACE), value=value))

    def _disk(self, number: int) -> tuple[str, str, str]:
        """Node, name and UUID of one of the disks."""
        disks = [(node, disk) for node, machine in sorted(self._world.machines.items()) for disk in sorted(machine.disks)]
        node, disk = disks[number % len(disks)]
        return node, disk, uuid_of(node, disk)

    async def _creates(self, one: int, two: int, three: int) -> None:
        node, _, uuid = self._disk(two)
        metadata = ObjectMeta(name=_name(one), namespace=NAMESPACE, finalizers=(FINALIZER,), annotations={PLACEMENT: "1"})
        spec = ReplicaSpec(volume_size=_size(three), node_id=node, disk_id=uuid, data_directory_name=f"{_name(one)}-data")
        await self._client.create(Replica(metadata=metadata, spec=spec))

    async def _resizes(self, one: int, two: int, _: int) -> None:
        await self._patch(Replica, _name(one), {"spec": {"volumeSize": str(_size(two))}})

    async def _deletes(self, one: int, _two: int, _three: int) -> None:
        await self._client.delete(Replica, _name(one), NAMESPACE)

    async def _writes(self, one: int, two: int, _: int) -> None:
        """A granted replica is written to."""
        for machine, disk in ((m, d) for _, m in sorted(self._world.machines.items()) for d in sorted(m.disks)):
            books = await self._books(uuid_of(machine.node, disk))
            entry = books.status.replicas.get(_name(one)) if books else None
            held = machine.disks[disk].written.get(f"{_name(one)}-data", 0)
            if entry is not None and held < entry.scheduled_size:
                machine.write(disk, f"{_name(one)}-data", min(entry.scheduled_size - held, _size(two)))

    async def _moves_by_hand(self, one: int, two: int, _: int) -> None:
        """To another disk, counted as it has to be, and without a thought for what was asked of the first."""
        node, _name_of_disk, uuid = self._disk(two)
        replica = await self._client.get(Replica, _name(one), NAMESPACE)
        if replica.spec.disk_id != uuid and not replica.metadata.deletion_timestamp:
            count = {"resourceVersion": replica.metadata.resource_version, "annotations": {PLACEMENT: str(placement_of(replica) + 1)}}
            await self._patch(Replica, _name(one), {"metadata": count, "spec": {"nodeID": node, "diskID": uuid}})

    async def _asks_by_hand(self, one: int, two: int, three: int) -> None:
        await self._patch(DiskSchedule, self._disk(two)[2], {"spec": {"replicas": {_name(one): int(_size(three))}}})

    async def _edits_by_hand(self, one: int, two: int, three: int) -> None:
        patch = {"spec": {"replicas": {_name(one): int(_size(three))}, "tokens": {_name(one): None}}}
        self._world.checker.past.by_hand.add((self._disk(two)[2], _name(one)))
        await self._patch(DiskSchedule, self._disk(two)[2], patch)

    async def _removes_by_hand(self, one: int, two: int, _: int) -> None:
        patch = {"spec": {"replicas": {_name(one): None}, "tokens": {_name(one): None}}}
        self._world.checker.past.by_hand.add((self._disk(two)[2], _name(one)))
        await self._patch(DiskSchedule, self._disk(two)[2], patch)

    async def _sets(self, one: int, two: int, _: int) -> None:
        name = sorted(_VALUES)[one % len(_VALUES)]
        value = _VALUES[name][two % len(_VALUES[name])]
        try:
            await self._client.create(Setting(metadata=ObjectMeta(name=name, namespace=NAMESPACE), value=value))
        except AlreadyExists:
            await self._patch(Setting, name, {"value": value})

    async def _deletes_books(self, _: int, two: int, _three: int) -> None:
        await self._client.delete(DiskSchedule, self._disk(two)[2], NAMESPACE)

    async def _closes_disk(self, one: int, two: int, _: int) -> None:
        node, disk, _uuid = self._disk(two)
        await self._patch(LonghornNode, node, {"spec": {"disks": {disk: {"allowScheduling": bool(one % 2)}}}})

    async def _takes_disk_out(self, one: int, two: int, _: int) -> None:
        """Out of the Node, or in again."""
        node, disk, _uuid = self._disk(two)
        wanted = {"diskType": "filesystem", "path": f"/simulated/{node}/{disk}", "allowScheduling": True}
        await self._patch(LonghornNode, node, {"spec": {"disks": {disk: wanted if one % 3 else None}}})

    async def _books(self, uuid: str) -> DiskSchedule | None:
        try:
            return await self._client.get(DiskSchedule, uuid, NAMESPACE)
        except ApiError:
            return None

    async def _patch(self, type_: type[Object], name: str, patch: dict[str, Any]) -> None:
        await self._client.patch(type_, name, NAMESPACE, patch)


def _name(number: int) -> str:
    return f"r{number % _NAMES + 1}"


def _size(number: int) -> Int64:
    return Int64((1 + number % 75) * GIB)
