"""Three managers that die and come back, and three hundred asks at random: every revision keeps the promise of the ledger.

The world holds every committed revision to that promise by a checker that shares no code with the ledger, and fails the test
at its end when one broke it.
"""

import pytest
from tests.support.builders import machine, simulated_disk, size
from tests.support.world import World

from holdfast.api.errors import Conflict, Invalid, NotFound
from holdfast.api.longhorn import DiskSchedule, Setting
from holdfast.decide import settings
from holdfast.process import Randomness

NODES = ("n1", "n2", "n3", "n4", "n5")
DISKS = [f"{node}/{disk}" for node in NODES for disk in ("disk-1", "disk-2")]
MANAGERS = ("m1", "m2", "m3")


@pytest.mark.parametrize("seed, shares", [(1, False), (2, False), (3, True), (4, True)])
async def test_a_storm_leaves_asks_and_grants_in_agreement(empty_world, seed, shares):
    """D-01, D-06, D-14: whatever happened, in the end each ask has its verdict, and nothing is written any more."""
    dice = Randomness(seed)
    for manager in MANAGERS:
        empty_world.starts_manager(manager, shares=shares)
    for node in NODES:
        await empty_world.has(machine(node, simulated_disk("disk-1", "100Gi"), simulated_disk("disk-2", "40Gi")))
    await empty_world.settles()
    await empty_world.sets(settings.ORPHAN_GRACE, "365h")  # asks of nobody shall outlive the storm

    for _ in range(300):
        await gust(empty_world, dice, shares=shares)
        await empty_world.passes(dice.below(20) / 100)
    for machine_ in empty_world.machines.values():
        machine_.rise()
    await empty_world.passes(60)  # longer than the Lease of a manager that died
    await empty_world.settles()

    assert empty_world.checker.disagreements() == []
    assert empty_world.checker.grants_seen > 20  # a storm in which nothing is granted shows nothing
    assert await empty_world.written_during(600) == set()


async def gust(world: World, dice: Randomness, *, shares: bool) -> None:
    """One thing that happens."""
    disk, name = DISKS[dice.below(len(DISKS))], f"r{dice.below(40)}"
    node, _, disk_name = disk.partition("/")
    match dice.below(40):
        case 0:
            manager = MANAGERS[dice.below(len(MANAGERS))]
            await world.managers[manager].dies()
            world.starts_manager(manager, shares=shares)
        case 1:
            world.machines[node].fill(disk_name, (dice.below(5) - 2) * size("10Gi"))
        case 2:
            drive = world.machines[node]
            (drive.plug if drive.disks[disk_name].is_away else drive.pull)(disk_name)
        case 3:
            await world.applies(Setting, settings.OVER_PROVISIONING, {"value": str(80 + 20 * dice.below(4))})
        case 4 if world.sees(DiskSchedule, world.uuid(disk)) is not None:
            await world.deletes(DiskSchedule, world.uuid(disk))
        case 5:
            drive = world.machines[node]
            (drive.fall if drive.is_up else drive.rise)()
            await world.passes(15)
        case _ if dice.below(3) == 0:
            await asks(world, name, 0, disk)
        case _:
            await asks(world, name, (1 + dice.below(30)) * size("1Gi"), disk)


async def asks(world: World, name: str, amount: int, disk: str) -> None:
    try:
        await world.asks(name, amount, on=disk)
    except (Conflict, Invalid, NotFound):
        return  # somebody was faster, or the books are just being opened anew: this asker has no more to say
