"""What a failing disk or node does to grants: nothing. It only takes no more."""

import pytest
from tests.support.builders import machine, node, replica, simulated_disk, size
from tests.support.faulty_transports import Deaf
from tests.support.world import World, said

from holdfast.agent.wishes import ANNOTATION
from holdfast.api.conditions import find
from holdfast.api.core import Lease
from holdfast.api.longhorn import LonghornNode
from holdfast.api.longhorn.disk_schedule import State
from holdfast.api.node_leases import lease_name

DISK = "n1/disk-1"


@pytest.fixture
async def world(world: World) -> World:
    """One disk of 100Gi, of which 60Gi are granted to a replica."""
    await world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await world.has(replica("r1", on=world.uuid(DISK), directory="v-r1"))
    await world.settles()
    await world.asks("r1", "60Gi", on=DISK)
    await world.settles()
    return world


async def test_a_disk_that_is_away_keeps_its_grants_and_takes_no_more(world):
    """Away is not gone: the bytes are still on the disk, wherever it is."""
    world.machines["n1"].pull("disk-1")
    await world.settles()
    await world.asks("r2", "1Gi", on=DISK)
    await world.settles()

    assert world.granted("r1", on=DISK) == world.books(DISK).status.storage_scheduled == size("60Gi")
    assert (world.entry("r2", on=DISK).state, world.entry("r2", on=DISK).reason) == (State.REJECTED, "disk-not-ready")
    schedulable = world.condition(DISK, "Schedulable")
    assert (schedulable.status, schedulable.reason) == ("False", "DiskNotReady")


async def test_a_disk_that_comes_back_goes_on(world):
    """Who was refused while the disk was away is granted when it is back."""
    world.machines["n1"].pull("disk-1")
    await world.settles()
    await world.asks("r2", "1Gi", on=DISK)
    await world.settles()

    world.machines["n1"].plug("disk-1")
    await world.settles()

    assert (world.granted("r1", on=DISK), world.granted("r2", on=DISK)) == (size("60Gi"), size("1Gi"))


async def test_shrink_and_release_go_on_while_a_disk_is_away(world):
    """Giving back needs no disk."""
    world.machines["n1"].pull("disk-1")
    await world.settles()

    await world.asks("r1", "20Gi", on=DISK)
    await world.settles()
    shrunk = world.granted("r1", on=DISK)
    await world.releases("r1", on=DISK)
    await world.settles()

    assert (shrunk, world.books(DISK).status.storage_scheduled) == (size("20Gi"), 0)


async def test_what_strangers_write_takes_no_grant_away(world):
    """D-08: foreign bytes show only in what is available, for new asks."""
    world.machines["n1"].fill("disk-1", size("70Gi"))
    await world.settles()
    await world.asks("r2", "1Gi", on=DISK)
    await world.settles()

    assert world.granted("r1", on=DISK) == size("60Gi")
    assert world.entry("r2", on=DISK).state is State.REJECTED
    over = world.condition(DISK, "OverLimit")
    assert over.status == "True"


async def test_bytes_written_into_a_grant_are_not_counted_twice(world):
    """A replica that fills what it was granted takes nothing from others."""
    world.machines["n1"].write("disk-1", "v-r1", size("50Gi"))
    await world.settles()
    await world.asks("r2", "40Gi", on=DISK)
    await world.settles()

    assert world.granted("r2", on=DISK) == size("40Gi")


@pytest.mark.takes_hours
async def test_a_node_that_is_lost_is_told_to_be_unready(world):
    """A lost node cannot speak: somebody else says that its disks take no more."""
    world.machines["n1"].fall()
    await world.passes(60)
    await world.asks("r2", "1Gi", on=DISK)
    await world.settles()

    ready = world.node_condition("n1", "Ready")
    assert (ready.status, ready.reason) == ("False", "AgentLost")
    assert world.granted("r1", on=DISK) == size("60Gi")
    assert (world.entry("r2", on=DISK).state, world.entry("r2", on=DISK).reason) == (State.REJECTED, "node-not-ready")


@pytest.mark.takes_hours
async def test_a_node_that_comes_back_speaks_for_itself_again(world):
    """And who waited is granted."""
    world.machines["n1"].fall()
    await world.passes(60)
    await world.asks("r2", "1Gi", on=DISK)
    await world.settles()

    world.machines["n1"].rise()
    await world.settles()

    assert world.node_condition("n1", "Ready").status == "True"
    assert world.granted("r2", on=DISK) == size("1Gi")


@pytest.mark.takes_hours
async def test_a_manager_that_starts_late_still_misses_a_lost_node(world):
    """What is known about silence dies with a manager; the next one starts to listen anew."""
    await world.managers["m1"].dies()
    world.machines["n1"].fall()
    await world.passes(600)

    world.starts_manager("m2")
    await world.passes(60)

    assert world.node_condition("n1", "Ready").reason == "AgentLost"


async def test_a_wrong_word_about_a_living_node_is_taken_back(world):
    """Its agent knows better."""
    node = world.sees(LonghornNode, "n1")
    conditions = [{"type": "Ready", "status": "False", "reason": "AgentLost"}]
    await world.applies(LonghornNode, node.metadata.name, {"status": {"conditions": conditions}}, subresource="status")
    await world.settles()

    assert world.node_condition("n1", "Ready").status == "True"


@pytest.mark.takes_hours
async def test_a_lease_that_was_deleted_is_made_again(world):
    """Tidying hands must not make a node look lost."""
    await world.deletes(Lease, lease_name("n1"))
    await world.passes(300)

    assert await world.client.get(Lease, lease_name("n1"), "longhorn-system")
    assert world.node_condition("n1", "Ready").status == "True"


async def test_faults_can_be_switched_with_kubectl_alone(world):
    """A person tries the ledger out with an annotation."""
    fault = '{"disks": {"disk-1": {"away": true}}}'
    await world.applies(LonghornNode, "n1", {"metadata": {"annotations": {ANNOTATION: fault}}})
    await world.settles()
    node = world.sees(LonghornNode, "n1")
    away = said(node.status.disk_status["disk-1"].conditions, "Ready")
    reminder = said(node.status.conditions, "Simulation")

    await world.applies(LonghornNode, "n1", {"metadata": {"annotations": {ANNOTATION: None}}})
    await world.settles()
    node = world.sees(LonghornNode, "n1")

    assert (away.status, reminder.message) == ("False", "simulated: disk-1 is away")
    assert said(node.status.disk_status["disk-1"].conditions, "Ready").status == "True"
    assert find(node.status.conditions, "Simulation") is None


async def test_a_disk_where_scheduling_is_disabled_only_gives_back(world):
    """An administrator can empty a disk: it takes nothing new, and releases go on."""
    await world.applies(LonghornNode, "n1", {"spec": {"disks": {"disk-1": {"allowScheduling": False}}}})
    await world.settles()
    await world.asks("r2", "1Gi", on=DISK)
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()

    assert world.granted("r1", on=DISK) == size("10Gi")
    assert world.entry("r2", on=DISK).reason == "disk-scheduling-disabled"


@pytest.mark.takes_hours
async def test_a_manager_that_does_not_hear_a_lease_calls_nobody_lost(empty_world):
    """An old copy is no proof of silence: the server is asked before anybody is spoken for."""
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await empty_world.settles()

    empty_world.starts_manager("m1", Deaf(empty_world.transports(), "leases"))
    await empty_world.passes(600)

    assert empty_world.node_condition("n1", "Ready").status == "True"
    assert not empty_world.events("AgentLost")


@pytest.mark.takes_hours
async def test_a_node_without_an_agent_of_ours_is_nobody_elses_to_judge(empty_world):
    """Where nobody ever promised to be heard, silence means nothing."""
    await empty_world.has(node("n1"))
    empty_world.starts_manager("m1")
    await empty_world.passes(600)
    await empty_world.asks("r1", "1Gi", on=DISK)
    await empty_world.settles()

    assert empty_world.node_condition("n1", "Ready").status == "True"
    assert empty_world.granted("r1", on=DISK) == size("1Gi")
