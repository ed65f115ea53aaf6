"""The two clocks of a process.

Wall time is for people and for what other processes read; it may jump. Monotonic time is for durations: leases, backoff and
timeouts are measured with it and with nothing else. ``asyncio.sleep`` and ``asyncio.timeout`` follow the loop's clock, which
is this monotonic one, so code that waits needs no clock at all.
"""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """What a process may know about time."""

    def now(self) -> float:
        """Seconds since the epoch, wall time."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment, never going back."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()
