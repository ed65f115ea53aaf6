"""The only source of randomness, so that a simulation can replace all of it by one seed."""

import random


class Randomness:
    """Draws for names, tokens and jitter. Without a seed it is the operating system's."""

    def __init__(self, seed: int | None = None) -> None:
        self._random: random.Random = random.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311 - a seed asks for a repeatable run

    def uuid(self) -> str:
        digits = f"{self._random.getrandbits(128):032x}"
        # Version 4 of variant 1, as RFC 9562 marks them.
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{'89ab'[int(digits[16], 16) & 3]}{digits[17:20]}-{digits[20:]}"

    def suffix(self, length: int = 5) -> str:
        """Letters for a generated name, from the set that Kubernetes uses: no vowels, so no words."""
        return "".join(self._random.choices("bcdfghjklmnpqrstvwxz2456789", k=length))

    def token(self, bits: int = 256) -> str:
        """A secret in hexadecimal digits."""
        return f"{self._random.getrandbits(bits):0{bits // 4}x}"

    def jitter(self, seconds: float, factor: float = 0.5) -> float:
        """Between ``seconds`` and ``seconds * (1 + factor)``."""
        return seconds * (1 + factor * self._random.random())

    def fraction(self) -> float:
        """In [0, 1)."""
        return self._random.random()

    def below(self, bound: int) -> int:
        """A whole number in [0, bound)."""
        return self._random.randrange(bound)
