"""Time that moves only when nothing else can: tests wait for hours in no time, and the same way every time.

    @virtual
    async def test_a_lease_runs_out():
        await asyncio.sleep(3600)

A loop that could only wait for ever raises ``Deadlock`` and names the tasks that wait.
"""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from holdfast.process import Process, Randomness

P = ParamSpec("P")
R = TypeVar("R")

#: The wall clock at the start of virtual time.
EPOCH = 1_800_000_000.0


class Deadlock(AssertionError):
    """Nothing will ever run: every task waits, and no timer is set."""


class Livelock(AssertionError):
    """Something runs all the time and waits for nothing, so time never moves."""


#: Turns of the loop at one moment.
_MOST_TURNS = 300_000


class _Selector(selectors.DefaultSelector):
    """Never sleeps: where the loop would, time is moved instead."""

    skip: Callable[[float | None], None]
    turns = 0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        self.turns += 1
        if not ready and (timeout is None or timeout > 0):
            self.skip(timeout)
            self.turns = 0 if timeout is None or timeout > 1e-6 else self.turns
        if self.turns > _MOST_TURNS:
            # Raised here it ends the loop; pytest's own timeout would be swallowed by whatever callback runs at that moment.
            raise Livelock(f"{_MOST_TURNS} turns of the loop at one moment")
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop with its own time, which starts at 1000."""

    def __init__(self) -> None:
        selector = _Selector()
        selector.skip = self._skip
        self._virtual = 1000.0
        super().__init__(selector)

    def time(self) -> float:
        return self._virtual

    def _skip(self, seconds: float | None) -> None:
        if seconds is None:
            waiting = "\n".join(f"  {task.get_name()}: {task.get_coro()}" for task in asyncio.all_tasks(self))
            raise Deadlock(f"nothing will ever run; these tasks wait:\n{waiting}")
        self._virtual += seconds


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
