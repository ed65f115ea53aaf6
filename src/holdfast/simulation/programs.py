"""Programs of a world: each lives, may die at any moment, and comes back with nothing in its memory.

When a program dies its wire dies first and then its tasks: nothing that a ``finally`` does reaches the server.
"""

import asyncio
from collections.abc import Awaitable, Callable

from holdfast.kube.client import Client
from holdfast.process import Process
from holdfast.simulation.clocks import DriftingClock
from holdfast.simulation.dice import Dice
from holdfast.simulation.wire import Wire


class Life:
    """A program from one start to the next crash."""

    def __init__(self, process: Process, wire: Wire, dice: Dice) -> None:
        self.process = process
        self.wire = wire
        self.dice = dice
        self.client = Client(wire, process)


Body = Callable[[Life], Awaitable[None]]


class Program:
    """A name, what it does, and whether it does so now. ``clock`` is its machine's, which outlives it."""

    def __init__(self, name: str, body: Body, clock: DriftingClock) -> None:
        self.name = name
        self.body = body
        self.clock = clock
        self.lives = 0
        self.life: Life | None = None
        self.task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        return self.task is not None

    def begin(self, life: Life, task: asyncio.Task[None]) -> None:
        self.life, self.task = life, task

    async def die(self) -> None:
        life, task, self.life, self.task = self.life, self.task, None, None
        if life is None or task is None:
            return
        life.process.die()
        task.cancel()
        await asyncio.wait([task])
