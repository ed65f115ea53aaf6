"""Somebody sets a machine's clock."""

from typing import ClassVar

from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import Args, Happening
from holdfast.simulation.faults.crashes import program_of
from holdfast.simulation.world import World


class ClockStep(Happening):
    """Forward or back, by up to a minute. It stays so."""

    name: ClassVar[str] = "clock-step"
    rate: ClassVar[float] = 0.7

    def draw(self, dice: Dice) -> Args:
        return (dice.below(1000), dice.below(121) - 60)

    async def happen(self, world: World, *args: int) -> None:
        number, seconds = args
        world.programs[program_of(world, number)].clock.step(seconds)
