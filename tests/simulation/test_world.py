"""A world brings everybody back before it judges, and lets no failure pass in silence."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from tests.support.virtual_loop import run_virtual

from holdfast.api.core import ConfigMap
from holdfast.api.meta import ObjectMeta
from holdfast.process import Tasks
from holdfast.simulation.programs import Life
from holdfast.simulation.run import foundation
from holdfast.simulation.script import Cast, Script, Step
from holdfast.simulation.trace import Trace
from holdfast.simulation.wire import Doom
from holdfast.simulation.world import World, forever


@pytest.fixture(autouse=True)
def _ground():
    foundation()  # has a loop of its own, so it is laid before another one runs


@contextlib.asynccontextmanager
async def a_world(*steps: Step) -> AsyncIterator[World]:
    script = Script(area="none", seed=1, profile="calm", cast=Cast(), steps=steps, seconds=10.0)
    async with Tasks() as tasks:
        world = World(script, {"*": 0.0}, foundation(), Trace(keeps=True), tasks)
        await world.api.start()
        yield world


async def idles(_life: Life) -> None:
    await forever()


def test_who_died_is_back_when_the_world_is_quiet():
    """Rest is judged of a world in which everybody lives."""

    async def story() -> None:
        async with a_world() as world:
            program = await world.starts("p", idles)
            await world.crashes("p")
            assert not program.is_running
            await world.quiet(5.0)

            assert (program.is_running, program.lives, world.violations) == (True, 2, [])

    run_virtual(story())


def test_a_death_that_comes_when_all_is_quiet_already_is_not_the_end():
    """A program was doomed within a request that was still under way: nobody brought it back, and its work was left undone."""

    async def story() -> None:
        async with a_world() as world:

            async def asks_for_ever(life: Life) -> None:
                while True:
                    await life.client.list(ConfigMap, "default")
                    await asyncio.sleep(1)

            program = await world.starts("p", asks_for_ever)
            await asyncio.sleep(2.5)
            world.later(world.quiet(5.0), name="quiet")
            await asyncio.sleep(0.1)
            await world.crashes("p")
            await asyncio.sleep(1)

            assert program.is_running

    run_virtual(story())


def test_a_doom_that_has_not_struck_is_lifted():
    """After the last fault nothing goes wrong any more."""

    async def story() -> None:
        async with a_world() as world:
            program = await world.starts("p", idles)
            world.dooms("p", Doom(0, acts=True))
            await world.quiet(5.0)

            assert program.life is not None
            await program.life.client.list(ConfigMap, "default")
            assert program.lives == 1

    run_virtual(story())


def test_what_lasts_is_undone_after_its_time_or_when_all_is_to_be_quiet():
    """A disk that stays away, or a program that stays cut off, would never come to rest."""

    async def story() -> None:
        async with a_world() as world:
            undone: list[str] = []
            world.lasts(3, lambda: undone.append("soon"))
            world.lasts(3000, lambda: undone.append("late"))
            await asyncio.sleep(4)
            assert undone == ["soon"]
            await world.quiet(5.0)

            assert undone == ["soon", "late"]

    run_virtual(story())


def test_a_program_that_ends_by_a_mistake_is_told():
    """Whatever it is: a program of ours goes on."""

    async def stumbles(_life: Life) -> None:
        raise KeyError("oops")

    async def story() -> None:
        async with a_world() as world:
            await world.starts("p", stumbles)
            await asyncio.sleep(1)

            assert [each.promise for each in world.violations] == ["a program goes on"]
            assert "oops" in world.violations[0].numbers

    run_virtual(story())


def test_who_writes_without_end_never_comes_to_rest():
    """And is named: the world waits for quiet, but not for ever."""

    async def story() -> None:
        async with a_world() as world:

            async def writes_for_ever(life: Life) -> None:
                await life.client.create(ConfigMap(metadata=ObjectMeta(name="c", namespace="default")))
                for number in range(10_000):
                    await life.client.patch(ConfigMap, "c", "default", {"data": {"n": str(number)}})
                    await asyncio.sleep(2)

            await world.starts("p", writes_for_ever)
            await world.quiet(5.0)

            assert [each.promise for each in world.violations] == ["comes to rest"]
            assert "ConfigMap c" in world.violations[0].numbers

    run_virtual(story())


def test_two_who_undo_each_other_are_told_at_once():
    """Hundreds of writes a second are a quarrel, also when each of them keeps every other promise."""

    async def story() -> None:
        async with a_world() as world:

            async def insists(life: Life) -> None:
                for number in range(60):
                    await life.client.patch(ConfigMap, "c", "default", {"data": {life.process.name: str(number)}})

            hand = await world.starts("hand", idles)
            assert hand.life is not None
            await hand.life.client.create(ConfigMap(metadata=ObjectMeta(name="c", namespace="default")))
            for name in "ab":
                await world.starts(name, insists)
            await asyncio.sleep(5)

            assert {each.promise for each in world.violations} == {"nobody writes in a circle"}

    run_virtual(story())


def test_steps_happen_at_their_times():
    """The script is what happens, and when."""

    async def story() -> None:
        came: list[tuple[int, float]] = []
        async with a_world(Step(1.0, "notes", (1, 0, 0)), Step(4.0, "notes", (2, 0, 0))) as world:

            async def notes(world: World, one: int, _two: int, _three: int) -> None:
                came.append((one, round(world.seconds)))

            await world.plays({"notes": notes})
            assert round(world.seconds) == 10  # what came last has its effect, too

        assert came == [(1, 1), (2, 4)]

    run_virtual(story())
