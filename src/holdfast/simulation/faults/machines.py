"""What befalls nodes and their disks."""

from typing import ClassVar

from holdfast.agent.simulated import SimulatedDriver
from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import Args, Happening
from holdfast.simulation.world import World


def disk_of(world: World, number: int) -> tuple[SimulatedDriver, str]:
    """One of all disks of all nodes, whichever are plugged in."""
    disks = [(machine, disk) for _, machine in sorted(world.machines.items()) for disk in sorted(machine.disks)]
    return disks[number % len(disks)]


class DiskAway(Happening):
    """A disk is pulled, and plugged in again."""

    name: ClassVar[str] = "disk-away"
    rate: ClassVar[float] = 0.7
    needs: ClassVar[str] = "nodes"

    async def happen(self, world: World, *args: int) -> None:
        number, seconds = args
        machine, disk = disk_of(world, number)
        machine.pull(disk)
        world.lasts(seconds, lambda: machine.plug(disk))


class DiskFills(Happening):
    """Somebody writes to a disk without asking, or deletes what he wrote. That stays as it is."""

    name: ClassVar[str] = "disk-fills"
    rate: ClassVar[float] = 1.5
    needs: ClassVar[str] = "nodes"

    def draw(self, dice: Dice) -> Args:
        return (dice.below(1000), dice.below(60) - 20)

    async def happen(self, world: World, *args: int) -> None:
        number, gib = args
        machine, disk = disk_of(world, number)
        machine.fill(disk, gib * 2**30)


class NodeLost(Happening):
    """A node is silent, sometimes for longer than its Lease allows."""

    name: ClassVar[str] = "node-lost"
    rate: ClassVar[float] = 0.5
    needs: ClassVar[str] = "nodes"

    def draw(self, dice: Dice) -> Args:
        return (dice.below(1000), 5 + dice.below(80))

    async def happen(self, world: World, *args: int) -> None:
        number, seconds = args
        machine = world.machines[sorted(world.machines)[number % len(world.machines)]]
        machine.fall()
        world.lasts(seconds, machine.rise)
