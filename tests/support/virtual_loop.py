"""Time that moves only when nothing else can: tests wait for hours in no time, and the same way every time.

    @virtual
    async def test_a_lease_runs_out():
        await asyncio.sleep(3600)

A loop that could only wait for ever raises ``Deadlock`` and names the tasks that wait.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from holdfast.process import Process, Randomness
from holdfast.simulation.clocks import EPOCH
from holdfast.simulation.loop import Deadlock, Livelock, VirtualLoop

__all__ = ["EPOCH", "Deadlock", "Livelock", "VirtualClock", "VirtualLoop", "run_virtual", "turns", "until", "virtual", "virtual_process"]

P = ParamSpec("P")
R = TypeVar("R")


class VirtualClock:
    """A machine's clocks on virtual time; a rate other than 1 makes them run fast or slow."""

    def __init__(self, *, rate: float = 1.0, wall: float = EPOCH) -> None:
        self._rate = rate
        self.wall = wall
        self.stands_still = False

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time() * self._rate

    def now(self) -> float:
        return self.wall if self.stands_still else self.wall + self.monotonic()


def virtual_process(name: str = "test", *, seed: int = 1, rate: float = 1.0) -> Process:
    """A process whose clocks follow the virtual loop and whose dice are loaded."""
    return Process(name, VirtualClock(rate=rate), Randomness(seed))


def run_virtual(work: Coroutine[Any, Any, R]) -> R:
    """The result of ``work``, run on virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


def virtual(test: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, R]:
    """Run this test on virtual time."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        return run_virtual(test(*args, **kwargs))

    return run


async def until(condition: Callable[[], bool], *, within: float = 600.0) -> None:
    """Wait for a state, looking whenever time moves; fails when it does not come."""
    async with asyncio.timeout(within):
        while not condition():  # noqa: ASYNC110 - any state of anything may be waited for, and virtual time costs nothing
            await asyncio.sleep(0.01)


async def turns(count: int = 20) -> None:
    """Let everything run that can without time moving."""
    for _ in range(count):
        await asyncio.sleep(0)
