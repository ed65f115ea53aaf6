"""All chance of a simulation, from one seed.

A stream of dice belongs to one purpose, named by ``of``: who draws from his own stream disturbs nobody else's draws, so a fault
that is switched off leaves all others where they were. That is what makes a failing run small enough to read.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

from holdfast.process import Randomness

T = TypeVar("T")


class Dice:
    """One stream of draws."""

    def __init__(self, seed: int, *names: object) -> None:
        self._seed = seed
        self._names = names
        self._drawn: Randomness | None = None

    def of(self, *names: object) -> "Dice":
        """A stream of its own for a purpose; the same names give the same stream."""
        return Dice(self._seed, *self._names, *names)

    @property
    def randomness(self) -> Randomness:
        """This stream, as a process takes it."""
        if self._drawn is None:
            self._drawn = Randomness(self.number())
        return self._drawn

    def number(self) -> int:
        """What this stream starts from. Not ``hash``, which differs from one Python to the next."""
        text = "/".join(map(str, (self._seed, *self._names)))
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")

    def chance(self, probability: float) -> bool:
        return self.fraction() < probability

    def fraction(self) -> float:
        """In [0, 1)."""
        return self.randomness.fraction()

    def below(self, bound: int) -> int:
        """A whole number in [0, bound)."""
        return self.randomness.below(bound)

    def between(self, least: float, most: float) -> float:
        return least + (most - least) * self.fraction()

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.below(len(choices))]

    def weighted(self, choices: Sequence[tuple[T, float]]) -> T:
        """One of the choices, each as likely as its weight says."""
        mark = self.fraction() * sum(weight for _, weight in choices)
        for choice, weight in choices:
            mark -= weight
            if mark < 0:
                return choice
        return choices[-1][0]

    def shuffle(self, things: list[T]) -> None:
        for last in range(len(things) - 1, 0, -1):
            other = self.below(last + 1)
            things[last], things[other] = things[other], things[last]
