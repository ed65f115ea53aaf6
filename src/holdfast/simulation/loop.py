"""Time that moves only when nothing else can, and callbacks in any order.

A simulated hour passes in no time, and the same way each time. With dice, what is ready at one moment runs in the order that they
say, and a timer fires up to a millisecond late: an order of events that a busy machine might show once a year comes up in a few
hundred seeds.

A world that can only wait for ever raises ``Deadlock`` and names who waits for what; one that is always busy and waits for nothing
raises ``Livelock``.
"""

import asyncio
import selectors
from asyncio import Handle
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any, TypeVarTuple

from holdfast.simulation.dice import Dice

Ts = TypeVarTuple("Ts")

#: Turns of the loop at one moment.
_MOST_TURNS = 300_000
#: A timer is late by less than this, in seconds.
_LATENESS = 0.001


class Deadlock(AssertionError):
    """Nothing will ever run: every task waits, and no timer is set."""


class Livelock(AssertionError):
    """Something runs all the time and waits for nothing, so time never moves."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop with its own time, which starts at 1000."""

    _ready: deque[Handle]  # asyncio's own; there is no public way to another order

    def __init__(self, dice: Dice | None = None) -> None:
        selector = _Selector(self._turn, self._skip)
        self._dice = dice
        self._virtual = 1000.0
        super().__init__(selector)

    def time(self) -> float:
        return self._virtual

    def call_at(self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None) -> asyncio.TimerHandle:
        late = self._dice.fraction() * _LATENESS if self._dice else 0.0
        return super().call_at(when + late, callback, *args, context=context)

    def _turn(self) -> None:
        """Before what is ready runs."""
        if self._dice is not None and len(self._ready) > 1:
            order = list(self._ready)
            self._dice.shuffle(order)
            self._ready.clear()
            self._ready.extend(order)

    def _skip(self, seconds: float | None) -> None:
        if seconds is None:
            waiting = "\n".join(sorted(f"  {task.get_name()}: {_place(task)}" for task in asyncio.all_tasks(self)))
            raise Deadlock(f"nothing will ever run; these tasks wait:\n{waiting}")
        self._virtual += seconds


class _Selector(selectors.DefaultSelector):
    """Never sleeps: where the loop would, time is moved instead."""

    def __init__(self, turn: Callable[[], None], skip: Callable[[float | None], None]) -> None:
        super().__init__()
        self._turn = turn
        self._skip = skip
        self._turns = 0

    def select(self, timeout: float | None = None) -> Any:
        # With dice nothing comes from outside, but the loop's own socket may: looking costs a call of the system each turn.
        ready = super().select(0) if timeout is None or timeout > 0 or self._turns % 64 == 0 else []
        self._turns += 1
        if not ready and (timeout is None or timeout > 0):
            self._skip(timeout)
            self._turns = 0 if timeout is None or timeout > 1e-6 else self._turns
        if self._turns > _MOST_TURNS:
            # Raised here it ends the loop; a time limit from outside would be swallowed by whatever callback runs at that moment.
            raise Livelock(f"{_MOST_TURNS} turns of the loop at one moment")
        self._turn()
        return ready


def _place(task: asyncio.Task[Any]) -> str:
    """Where a task waits: the innermost line of its own code."""
    frames = task.get_stack()
    if not frames:
        return "has not begun"
    code = frames[-1].f_code
    return f"{code.co_qualname} in {code.co_filename.rpartition('/')[2]}, line {frames[-1].f_lineno}"
