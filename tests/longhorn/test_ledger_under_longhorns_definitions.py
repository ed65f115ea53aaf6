"""The ledger where Longhorn's own definitions are served, which know less of a Node than ours do."""

import pytest
from tests.support.builders import machine, replica, simulated_disk, size
from tests.support.real_world import real_world
from tests.support.world import World

from holdfast.api.longhorn.disk_schedule import State

DISK = "n1/disk-1"


@pytest.fixture
async def world(_longhorn_plane, _real_home, place_at_the_real_home):
    async with real_world(_longhorn_plane, place_at_the_real_home) as world:
        world.starts_manager()
        await world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
        await world.has(replica("r1", on=world.uuid(DISK), directory="v-r1"))
        await world.settles()
        yield world


async def test_asks_are_decided(world: World):
    """Holdfast can be tried on a cluster whose definitions Longhorn installed."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.asks("r2", "60Gi", on=DISK)
    await world.settles()

    assert (world.entry("r1", on=DISK).state, world.entry("r2", on=DISK).state) == (State.SCHEDULED, State.REJECTED)


async def test_bytes_whose_number_is_not_kept_count_as_unwritten(world: World):
    """How much a replica has written is a field of ours, and dropped there. Then the ledger promises less, and comes to rest."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.settles()
    world.machines["n1"].write("disk-1", "v-r1", size("50Gi"))
    await world.settles()
    await world.asks("r2", "40Gi", on=DISK)
    await world.settles()

    assert world.granted("r1", on=DISK) == size("60Gi")
    assert (world.entry("r2", on=DISK).state, world.entry("r2", on=DISK).reason) == (State.REJECTED, "free-space")
