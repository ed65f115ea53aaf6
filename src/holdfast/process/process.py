"""A process as its own code sees it: a name, clocks, randomness, and a death.

The simulation hands the same code another ``Process`` for each of its machines. Nothing above this room reads a clock, draws a
random number or starts a task in any other way; lint holds it.

Crash semantics: when a process dies, what carries its words out (its transports) dies first, then its tasks. So nothing can be
written from a ``finally``, and code need not be careful there.
"""

from collections.abc import Callable

from holdfast.process.clock import Clock, SystemClock
from holdfast.process.randomness import Randomness


class Process:
    """The surroundings of one running program."""

    def __init__(self, name: str, clock: Clock | None = None, randomness: Randomness | None = None) -> None:
        self.name = name
        self.clock: Clock = clock or SystemClock()
        self.randomness = randomness or Randomness()
        self._last_words: list[Callable[[], None]] = []
        self.is_dead = False

    def at_death(self, silence: Callable[[], None]) -> None:
        """Register what must fall silent before anything else ends: a transport's ``kill``."""
        self._last_words.append(silence)

    def die(self) -> None:
        """Silence everything that speaks for this process. Its tasks are cancelled by their owner after this."""
        self.is_dead = True
        for silence in self._last_words:
            silence()
