"""How long to wait after a failure: longer each time, never twice the same, and short again after a success."""

from holdfast.process import Process


class Backoff:
    """Delays that double from ``first`` up to ``longest``, each with up to half of itself on top so that many waiters spread out."""

    def __init__(self, process: Process, *, first: float = 0.2, longest: float = 30.0) -> None:
        self._process = process
        self._first = first
        self._longest = longest
        self._next = first

    def delay(self) -> float:
        """Seconds to wait now; the next ones are longer."""
        seconds, self._next = self._next, min(self._next * 2, self._longest)
        return self._process.randomness.jitter(seconds)

    def reset(self) -> None:
        """What was tried has worked."""
        self._next = self._first
