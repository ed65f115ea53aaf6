"""The API server goes away and comes back, or a program can not reach it, or its disk is full."""

import asyncio
from typing import ClassVar

from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import Args, Happening
from holdfast.simulation.faults.crashes import program_of
from holdfast.simulation.world import World


class ApiCrash(Happening):
    """The server dies in the middle of everything. What it had acknowledged is there when it is back."""

    name: ClassVar[str] = "api-crash"
    rate: ClassVar[float] = 1.0

    async def happen(self, world: World, *args: int) -> None:
        _, seconds = args
        world.trace.say("api", "dies")
        await world.api.crash()
        world.lasts(seconds, lambda: world.later(world.api.start(), name="start of the api"))


class CutOff(Happening):
    """One program reaches nobody for a while, long enough to lose its Leases now and then."""

    name: ClassVar[str] = "cut-off"
    rate: ClassVar[float] = 1.0

    async def happen(self, world: World, *args: int) -> None:
        number, seconds = args
        name = program_of(world, number)
        world.weather.cut_off(name)
        world.lasts(seconds, lambda: world.weather.connect(name))


class FullJournal(Happening):
    """For a while the server can store nothing, or only now and then."""

    name: ClassVar[str] = "full-journal"
    rate: ClassVar[float] = 0.5

    def draw(self, dice: Dice) -> Args:
        return (dice.below(10), 1 + dice.below(5))

    async def happen(self, world: World, *args: int) -> None:
        share, seconds = args
        journal = world.api.journal
        journal.failure_rate = (1 + share) / 10

        def end() -> None:
            journal.failure_rate = 0.0

        world.lasts(seconds, end)
        await asyncio.sleep(0)
