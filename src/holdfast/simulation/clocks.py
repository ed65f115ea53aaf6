"""The clocks of one simulated machine: wall time that is off and may be set, and a monotonic one that runs a little fast or slow."""

import asyncio

#: The wall clock when virtual time begins.
EPOCH = 1_800_000_000.0


class DriftingClock:
    """``offset`` is in seconds; ``rate`` is how fast it runs, 1 for exactly."""

    def __init__(self, *, offset: float = 0.0, rate: float = 1.0) -> None:
        self._offset = offset
        self._rate = rate

    def now(self) -> float:
        return EPOCH + self._offset + self.monotonic()

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time() * self._rate

    def step(self, seconds: float) -> None:
        """Somebody sets the wall clock."""
        self._offset += seconds
