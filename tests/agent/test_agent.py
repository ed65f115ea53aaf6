"""The agent of a node: tells what is there, in time, and costs nothing while nothing happens."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from tests.support.builders import NAMESPACE, machine, node, simulated_disk, size
from tests.support.faulty_transports import Outrun
from tests.support.virtual_loop import virtual_process
from tests.support.world import World, said

from holdfast.agent.agent import Agent
from holdfast.agent.driver import DiskInfo
from holdfast.agent.simulated import SimulatedDriver
from holdfast.agent.wishes import ANNOTATION
from holdfast.api.core import Lease
from holdfast.api.longhorn import LonghornNode
from holdfast.api.longhorn.node import DiskSpec
from holdfast.api.node_leases import lease_name
from holdfast.api.wire import Request, Transport, Unreachable
from holdfast.kube.client import Client
from holdfast.process import Tasks


@contextlib.asynccontextmanager
async def living(world: World, driver: SimulatedDriver, transport: Transport | None = None) -> AsyncIterator[None]:
    """An agent of n1 with a driver of one's own."""
    process = virtual_process("agent")
    agent = Agent(Client(transport or world.transports(), process), process, driver, node="n1", namespace=NAMESPACE)
    async with Tasks() as tasks:
        tasks.spawn(agent.run(), name="agent")
        yield


def machine_of_two() -> SimulatedDriver:
    return SimulatedDriver("n1", {"disk-1": size("100Gi"), "disk-2": size("50Gi")})


def disk_of(world: World, name: str):
    return world.sees(LonghornNode, "n1").status.disk_status[name]


async def test_a_node_that_is_not_there_is_made_with_its_disks(world):
    """A machine joins by starting its agent."""
    await world.has(machine("n1", simulated_disk("disk-1", "100Gi"), simulated_disk("disk-2", "50Gi")))
    await world.settles()

    found = world.sees(LonghornNode, "n1")
    assert set(found.spec.disks) == set(found.status.disk_status) == {"disk-1", "disk-2"}
    assert (found.spec.allow_scheduling, found.spec.disks["disk-1"].allow_scheduling) == (True, True)
    assert said(found.status.conditions, "Ready").status == "True"
    assert disk_of(world, "disk-2").storage_available == size("50Gi")


async def test_the_wishes_of_an_administrator_are_kept(world):
    """Spec belongs to people: an agent reads it and changes nothing in it."""
    wanted = node("n1", is_allowed=False)
    await world.has(wanted)
    await world.has(machine("n1", simulated_disk("disk-1"), simulated_disk("disk-2")))
    await world.settles()

    assert world.sees(LonghornNode, "n1").spec == wanted.spec
    assert set(world.sees(LonghornNode, "n1").status.disk_status) == {"disk-1"}


async def test_a_quiet_node_renews_its_lease_and_writes_nothing_else(world):
    """Thousands of nodes must not load an API by being there."""
    await world.has(machine())
    await world.settles()
    before = await world.client.get(Lease, lease_name("n1"), NAMESPACE)

    assert await world.written_during(3600) == set()
    assert (await world.client.get(Lease, lease_name("n1"), NAMESPACE)).spec.renew_time > before.spec.renew_time


async def test_what_is_written_is_told(world):
    """The ledger needs to know what is owed still."""
    await world.has(machine())
    await world.settles()

    world.machines["n1"].write("disk-1", "v-1", size("3Gi"))
    await world.settles()

    assert disk_of(world, "disk-1").written == {"v-1": size("3Gi")}
    assert disk_of(world, "disk-1").storage_available == size("97Gi")


async def test_a_change_of_the_node_is_answered_at_once(world):
    """A person who switches a fault does not wait for the next round."""
    await world.has(machine())
    await world.settles()

    await world.applies(LonghornNode, "n1", {"metadata": {"annotations": {ANNOTATION: '{"disks": {"disk-1": {"foreign": "30Gi"}}}'}}})
    await world.passes(0.5)

    assert disk_of(world, "disk-1").storage_available == size("70Gi")


async def test_a_bad_annotation_is_told_on_the_node(world):
    """A slip of the hand has an answer where the hand was."""
    await world.has(machine())
    await world.settles()

    await world.applies(LonghornNode, "n1", {"metadata": {"annotations": {ANNOTATION: "{oops"}}})
    await world.settles()

    assert world.node_condition("n1", "Simulation").reason == "Refused"
    assert world.node_condition("n1", "Ready").status == "True"


async def test_a_status_that_was_edited_by_hand_is_told_again(world):
    """What is on a disk is known by its agent alone."""
    await world.has(machine())
    await world.settles()

    nonsense = {"diskStatus": {"disk-1": {"storageMaximum": 1, "diskUUID": "other"}, "ghost": {"diskUUID": "g"}}, "conditions": None}
    await world.applies(LonghornNode, "n1", {"status": nonsense}, subresource="status")
    await world.settles()

    assert set(world.sees(LonghornNode, "n1").status.disk_status) == {"disk-1"}
    assert (disk_of(world, "disk-1").storage_maximum, disk_of(world, "disk-1").disk_uuid) == (size("100Gi"), world.uuid("n1/disk-1"))
    assert world.node_condition("n1", "Ready").status == "True"


async def test_a_disk_that_hangs_does_not_silence_the_others(world):
    """One bad disk is one bad disk: its node lives, and its neighbours are told as they are."""

    class Hanging(SimulatedDriver):
        async def disk_info(self, name: str, disk: DiskSpec) -> DiskInfo:
            if name == "disk-1":
                await asyncio.get_running_loop().create_future()
            return await super().disk_info(name, disk)

    async with living(world, Hanging("n1", {"disk-1": size("100Gi"), "disk-2": size("50Gi")})):
        await world.passes(30)

    hung = said(disk_of(world, "disk-1").conditions, "Ready")
    assert (hung.status, hung.reason) == ("False", "DiskServiceUnreachable")
    assert said(disk_of(world, "disk-2").conditions, "Ready").status == "True"
    assert await world.client.get(Lease, lease_name("n1"), NAMESPACE)


async def test_a_report_that_was_outrun_is_made_again(world):
    """A conflict costs a moment, not a report."""
    outrun: list[Request] = []

    async def somebody_labels_it(request: Request) -> None:
        if request.method == "PATCH" and request.path.endswith("/n1/status") and len(outrun) < 3:
            outrun.append(request)
            await world.applies(LonghornNode, "n1", {"metadata": {"labels": {"try": str(len(outrun))}}})

    async with living(world, machine_of_two(), Outrun(world.transports(), somebody_labels_it)):
        await world.settles()

    assert len(outrun) == 3
    assert disk_of(world, "disk-1").storage_available == size("100Gi")


async def test_an_api_that_is_away_for_a_while_is_told_later(world):
    """An agent outlives the API's bad hours."""
    is_away = True

    async def cut(request: Request) -> None:
        if is_away:
            raise Unreachable("no route")

    async with living(world, machine_of_two(), Outrun(world.transports(), cut)):
        await world.passes(300)
        before = world.sees(LonghornNode, "n1")
        is_away = False
        await world.passes(120)

    assert before is None
    assert disk_of(world, "disk-1").storage_available == size("100Gi")


async def test_two_agents_of_one_node_do_not_quarrel(world):
    """While a new one takes over from an old one, both say the same."""
    async with living(world, machine_of_two()), living(world, machine_of_two()):
        await world.settles()

        assert await world.written_during(600) == set()


async def test_a_machine_that_is_down_says_nothing(world):
    """Neither a report nor a sign of life."""
    await world.has(machine())
    await world.settles()
    world.machines["n1"].fall()
    await world.passes(20)
    lease = await world.client.get(Lease, lease_name("n1"), NAMESPACE)

    world.machines["n1"].fill("disk-1", size("50Gi"))
    await world.passes(600)

    assert disk_of(world, "disk-1").storage_available == size("100Gi")
    assert (await world.client.get(Lease, lease_name("n1"), NAMESPACE)).spec == lease.spec


async def test_the_lease_ends_with_its_node(world):
    """A machine that was taken out for good leaves nothing behind."""
    async with living(world, machine_of_two()):
        await world.settles()

    await world.deletes(LonghornNode, "n1")
    await world.passes(60)

    assert [lease.metadata.name for lease in (await world.client.list(Lease, NAMESPACE)).items] == []


async def test_a_driver_that_fails_costs_a_round_and_not_the_node(world):
    """A mistake in one look must not end the agent."""

    class Stumbling(SimulatedDriver):
        stumbles = 3

        async def disk_info(self, name: str, disk: DiskSpec) -> DiskInfo:
            if self.stumbles:
                self.stumbles -= 1
                raise ZeroDivisionError
            return await super().disk_info(name, disk)

    async with living(world, Stumbling("n1", {"disk-1": size("100Gi")})):
        await world.passes(60)

    assert disk_of(world, "disk-1").storage_available == size("100Gi")
