"""Time limits of many calls, watched by one timer.

A timer for each call costs more than to write the request, and almost none ever goes off: answers come in milliseconds, limits are
minutes. So a call only notes when its time is up, and one timer looks at the earliest of them.
"""

import asyncio
import contextlib


class Deadlines:
    """The calls under way, and when each has to be over. Used within one loop."""

    def __init__(self) -> None:
        self._calls: dict[asyncio.Timeout, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, call: asyncio.Timeout, seconds: float) -> None:
        """End ``call``, which has no limit of its own, after so many seconds. ``discard`` it when it is over."""
        loop = asyncio.get_running_loop()
        deadline = self._calls[call] = loop.time() + seconds
        if self._timer is None or deadline < self._timer.when():
            self._wait_until(deadline)

    def discard(self, call: asyncio.Timeout) -> None:
        del self._calls[call]

    def end_all(self) -> None:
        """All calls under way have had their time."""
        for call in self._calls:
            _end(call)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait_until(self, deadline: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(deadline, self._look)

    def _look(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for call, deadline in self._calls.items():
            if deadline <= now:
                _end(call)
        later = [deadline for deadline in self._calls.values() if deadline > now]
        if later:
            self._wait_until(min(later))


def _end(call: asyncio.Timeout) -> None:
    with contextlib.suppress(RuntimeError):  # it is ending already
        call.reschedule(0)
