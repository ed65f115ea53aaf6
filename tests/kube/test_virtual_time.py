"""The loop on which other tests rest."""

import asyncio

import pytest
from tests.support.virtual_loop import Deadlock, Livelock, run_virtual, virtual


@virtual
async def test_hours_pass_in_no_time_and_in_order():
    """Timers fire in their order, each at its time."""
    loop = asyncio.get_running_loop()
    fired: list[tuple[str, float]] = []
    start = loop.time()
    loop.call_later(7200, lambda: fired.append(("late", loop.time() - start)))
    loop.call_later(1, lambda: fired.append(("soon", loop.time() - start)))
    await asyncio.sleep(10_000)

    assert [(name, round(when)) for name, when in fired] == [("soon", 1), ("late", 7200)]


def test_a_wait_for_ever_is_told_at_once():
    """A test that hangs says nothing; one that names who waits does."""

    async def waits_for_ever():
        await asyncio.get_running_loop().create_future()

    with pytest.raises(Deadlock, match="waits_for_ever"):
        run_virtual(waits_for_ever())


def test_a_loop_without_a_wait_is_told_too():
    """Where time moves only when nothing runs, a busy loop would run until the machine is switched off."""

    async def spins():
        while True:  # noqa: ASYNC110 - the mistake that this is about
            await asyncio.sleep(0)

    with pytest.raises(Livelock):
        run_virtual(spins())
