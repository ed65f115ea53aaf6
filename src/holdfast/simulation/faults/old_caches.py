"""A program whose picture of the world is old: one of its watches, or all, tell nothing for a while."""

from typing import ClassVar

from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import Args, Happening
from holdfast.simulation.faults.crashes import program_of
from holdfast.simulation.world import World

_KINDS = ("", "diskschedules", "replicas", "nodes", "settings", "leases")


class Deafness(Happening):
    """It goes on working on what it knew."""

    name: ClassVar[str] = "old-cache"
    rate: ClassVar[float] = 3.0

    def draw(self, dice: Dice) -> Args:
        return (dice.below(1000), dice.below(len(_KINDS)), 1 + dice.below(25))

    async def happen(self, world: World, *args: int) -> None:
        number, kind, seconds = args
        world.weather.deafen(program_of(world, number), _KINDS[kind], seconds)
