"""The loop of the simulation: time that moves when nothing can run, in an order that the dice say."""

import asyncio

import pytest

from holdfast.process import Tasks
from holdfast.simulation.dice import Dice
from holdfast.simulation.loop import Deadlock, VirtualLoop


def order_of(seed: int) -> str:
    """In which order six tasks that are ready at once come to run."""

    async def all_at_once() -> str:
        ran: list[str] = []

        async def runs(name: str) -> None:
            await asyncio.sleep(0)
            ran.append(name)

        async with Tasks() as tasks:
            started = [tasks.spawn(runs(name), name=name) for name in "abcdef"]
            await asyncio.wait(started)
        return "".join(ran)

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(Dice(seed))) as runner:
        return runner.run(all_at_once())


def test_seeds_bring_many_orders():
    """A race is found only where its order comes up."""
    assert len({order_of(seed) for seed in range(60)}) > 40


def test_a_seed_brings_one_order():
    """A failure that can not be repeated can not be mended."""
    assert order_of(17) == order_of(17)


def test_timers_of_one_moment_come_in_any_order():
    """Two programs that wait equally long do not come back in the order of their births."""

    def first(seed: int) -> str:
        async def wait_equally() -> str:
            woken: list[str] = []
            loop = asyncio.get_running_loop()
            for name in "ab":
                loop.call_later(5, woken.append, name)
            await asyncio.sleep(6)
            return woken[0]

        with asyncio.Runner(loop_factory=lambda: VirtualLoop(Dice(seed))) as runner:
            return runner.run(wait_equally())

    assert {first(seed) for seed in range(20)} == {"a", "b"}


def test_a_stuck_world_names_who_waits_and_where():
    """Who waits for what is the whole answer; a time-out would say nothing."""

    async def waits_for_nobody() -> None:
        await asyncio.Event().wait()

    async def world() -> None:
        async with Tasks() as tasks:
            await tasks.spawn(waits_for_nobody(), name="the one who waits")

    with (
        pytest.raises(Deadlock, match=r"the one who waits: .*waits_for_nobody in test_virtual_order\.py"),
        asyncio.Runner(loop_factory=VirtualLoop) as runner,
    ):
        runner.run(world())


def test_streams_of_dice_do_not_disturb_each_other():
    """A fault that is switched off must leave the draws of all others where they were, or nothing could be cut down."""
    alone, beside = Dice(5), Dice(5)
    beside.of("other").below(10)

    assert [alone.of("mine").fraction() for _ in range(3)] == [beside.of("mine").fraction() for _ in range(3)]
    assert Dice(5).of("mine").fraction() != Dice(6).of("mine").fraction()
