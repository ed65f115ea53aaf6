"""Keys that want work: each once, never the same in two hands.

A key that is added while it waits, waits once. A key that is added while it is worked on is handed out again after ``done``, so
no change that comes during the work is lost. A key may be added for later (the earliest time wins) or after a failure (later
each time, until it is forgotten).
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)

_FIRST_RETRY = 0.005
_LAST_RETRY = 60.0
_MOST_DOUBLINGS = 14  # 5 ms * 2^14 = 82 s: past the last retry; keeps the power small however often a key fails


class ShutDown(Exception):
    """The queue takes nothing more and has handed out all it had."""


class WorkQueue(Generic[K]):
    """For one event loop. ``key = await queue.get()``, work, ``queue.done(key)``."""

    def __init__(self) -> None:
        self._ready: deque[K] = deque()
        self._dirty: set[K] = set()  # wants work; also while it is worked on, when it was added meanwhile
        self._working: set[K] = set()
        self._later: dict[K, asyncio.TimerHandle] = {}
        self._failures: dict[K, int] = {}
        self._getters: deque[asyncio.Future[None]] = deque()
        self._is_shut = False
        self.adds = 0
        self.retries = 0

    def __len__(self) -> int:
        """Keys that wait to be handed out now."""
        return len(self._ready)

    @property
    def in_work(self) -> int:
        return len(self._working)

    @property
    def is_idle(self) -> bool:
        """Nothing waits and nothing is worked on; keys for later may be there."""
        return not self._ready and not self._working

    def add(self, key: K) -> None:
        if self._is_shut or key in self._dirty:
            return
        self.adds += 1
        self._dirty.add(key)
        if key not in self._working:
            self._hand_over(key)

    def add_after(self, key: K, seconds: float) -> None:
        """Add the key when this time has passed, unless an earlier time is set."""
        if self._is_shut:
            return
        if seconds <= 0:
            self.add(key)
            return
        loop = asyncio.get_running_loop()
        when = loop.time() + seconds
        set_already = self._later.get(key)
        if set_already is not None:
            if set_already.when() <= when:
                return
            set_already.cancel()
        self._later[key] = loop.call_at(when, self._due, key)

    def add_rate_limited(self, key: K) -> None:
        """Add the key after its own delay, which doubles with every call until ``forget``."""
        failures = self._failures.get(key, 0)
        self._failures[key] = min(failures + 1, _MOST_DOUBLINGS)
        self.retries += 1
        self.add_after(key, min(_FIRST_RETRY * 2**failures, _LAST_RETRY))

    def forget(self, key: K) -> None:
        """The key is well again: its next failure starts with the shortest delay."""
        self._failures.pop(key, None)

    async def get(self) -> K:
        """The next key; raises ``ShutDown`` when there will be none. Whoever gets a key must say ``done``."""
        while not self._ready:
            if self._is_shut and not (self._working & self._dirty):
                raise ShutDown
            getter = asyncio.get_running_loop().create_future()
            self._getters.append(getter)
            try:
                await getter
            except asyncio.CancelledError:
                if getter.done() and not getter.cancelled():
                    self._wake()  # we were woken for a key and leave: another one must take it
                else:
                    with contextlib.suppress(ValueError):  # whoever came to wake us has thrown our place away
                        self._getters.remove(getter)
                raise
        key = self._ready.popleft()
        self._dirty.discard(key)
        self._working.add(key)
        return key

    def done(self, key: K) -> None:
        """The work on a key has ended, well or not."""
        self._working.discard(key)
        if key in self._dirty:
            self._hand_over(key)
        elif self._is_shut:
            self._wake_all()

    def shut_down(self) -> None:
        """Take nothing more, drop what was for later, hand out what waits."""
        self._is_shut = True
        for timer in self._later.values():
            timer.cancel()
        self._later.clear()
        self._wake_all()

    def _due(self, key: K) -> None:
        del self._later[key]
        self.add(key)

    def _hand_over(self, key: K) -> None:
        self._ready.append(key)
        self._wake()

    def _wake(self) -> None:
        while self._getters:
            getter = self._getters.popleft()
            if not getter.done():
                getter.set_result(None)
                return

    def _wake_all(self) -> None:
        while self._getters:
            self._wake()
