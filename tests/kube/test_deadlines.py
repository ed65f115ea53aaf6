"""Time limits of calls: each call has its own, whatever the others do."""

import asyncio

from tests.support.virtual_loop import virtual

from holdfast.kube.deadlines import Deadlines
from holdfast.process import Tasks


async def outcome(deadlines: Deadlines, seconds: float, *, lasts: float) -> tuple[str, float]:
    """How a call ended that may take so many seconds, and after how many."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    try:
        async with asyncio.timeout(None) as call:
            deadlines.add(call, seconds)
            try:
                await asyncio.sleep(lasts)
            finally:
                deadlines.discard(call)
    except TimeoutError:
        return "late", round(loop.time() - begun, 3)
    return "done", round(loop.time() - begun, 3)


@virtual
async def test_each_call_ends_at_its_own_time() -> None:
    """A watch may be silent for minutes; a request beside it may not, however the two are mixed."""
    deadlines = Deadlines()
    async with Tasks() as tasks:
        calls = [
            tasks.spawn(outcome(deadlines, seconds, lasts=lasts), name="call")
            for seconds, lasts in ((660.0, 1000.0), (60.0, 1000.0), (60.0, 5.0), (1.0, 0.5), (5.0, 1000.0))
        ]
        found = [await call for call in calls]
    assert found == [("late", 660.0), ("late", 60.0), ("done", 5.0), ("done", 0.5), ("late", 5.0)]


@virtual
async def test_a_call_that_begins_later_ends_later() -> None:
    """The timer of the first call must not end the second, nor forget it."""
    deadlines = Deadlines()
    assert await outcome(deadlines, 60.0, lasts=50.0) == ("done", 50.0)
    assert await outcome(deadlines, 60.0, lasts=1000.0) == ("late", 60.0)
    assert await outcome(deadlines, 60.0, lasts=59.0) == ("done", 59.0)


@virtual
async def test_many_calls_leave_one_timer() -> None:
    """A heap of timers that will never go off is what this is for."""
    deadlines = Deadlines()
    for _ in range(200):
        await outcome(deadlines, 60.0, lasts=0.0)
    loop = asyncio.get_running_loop()
    assert len(loop._scheduled) == 1  # type: ignore[attr-defined]  # what every asyncio loop of Python's own keeps


@virtual
async def test_all_calls_can_be_ended_at_once() -> None:
    """A client that is closed waits for nobody."""
    deadlines = Deadlines()
    async with Tasks() as tasks:
        calls = [tasks.spawn(outcome(deadlines, 60.0, lasts=1000.0), name="call") for _ in range(3)]
        await asyncio.sleep(1)
        deadlines.end_all()
        assert [await call for call in calls] == [("late", 1.0)] * 3
