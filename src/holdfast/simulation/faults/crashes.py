"""Programs that die: at a moment, or in the middle of a request."""

from typing import ClassVar

from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import Args, Happening
from holdfast.simulation.wire import Doom
from holdfast.simulation.world import World


def program_of(world: World, number: int) -> str:
    """One of the programs that may die."""
    names = sorted(world.programs)
    return names[number % len(names)]


class Crash(Happening):
    """A program dies where it stands, and comes back."""

    name: ClassVar[str] = "crash"
    rate: ClassVar[float] = 3.0

    async def happen(self, world: World, *args: int) -> None:
        number, seconds = args
        name = program_of(world, number)
        await world.crashes(name)
        world.lasts(seconds, lambda: world.runs(world.programs[name]))


class CrashInARequest(Happening):
    """A program dies within one of its next requests: before the server has it, or after it acted."""

    name: ClassVar[str] = "crash-in-a-request"
    rate: ClassVar[float] = 4.0

    def draw(self, dice: Dice) -> Args:
        return (dice.below(1000), dice.below(8), dice.below(2), 1 + dice.below(20))

    async def happen(self, world: World, *args: int) -> None:
        number, requests, acts, seconds = args
        name = program_of(world, number)
        world.dooms(name, Doom(requests, bool(acts)))
        world.lasts(seconds, lambda: world.runs(world.programs[name]))
