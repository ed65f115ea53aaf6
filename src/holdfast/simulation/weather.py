"""What goes wrong at the moment, and how much of it: the rates of a profile, who is cut off, who hears nothing.

``clear`` ends it all, for the time in which the world has to come to rest.
"""

import asyncio
from collections.abc import Iterable, Mapping

from holdfast.simulation.fault import WatchFault, WireFault


class Weather:
    """One for a world."""

    def __init__(self, factors: Mapping[str, float], without: Iterable[str] = ()) -> None:
        """``factors`` by the name of a fault, ``*`` for all others; what is in ``without`` does not happen at all."""
        self._factors = dict(factors)
        self._without = set(without)
        self._cut_off: dict[str, int] = {}
        self._deaf: dict[tuple[str, str], float] = {}
        self.is_calm = False

    def never(self, fault: str) -> None:
        """What nobody promises anything about here. To be said before programs start."""
        self._without.add(fault)

    def rate(self, fault: WireFault | WatchFault) -> float:
        if fault.name in self._without:
            return 0.0
        return fault.rate * self._factors.get(fault.name, self._factors.get("*", 1.0))

    def clear(self) -> None:
        self.is_calm = True
        self._cut_off.clear()
        self._deaf.clear()

    def cut_off(self, program: str) -> None:
        """The program reaches nobody."""
        self._cut_off[program] = self._cut_off.get(program, 0) + 1

    def connect(self, program: str) -> None:
        if self._cut_off.get(program):
            self._cut_off[program] -= 1

    def is_cut_off(self, program: str) -> bool:
        return bool(self._cut_off.get(program))

    def deafen(self, program: str, plural: str, seconds: float) -> None:
        """The program's watches of a kind (of all, when none is named) tell nothing for a while, and then everything."""
        until = asyncio.get_running_loop().time() + seconds
        self._deaf[program, plural] = max(until, self._deaf.get((program, plural), 0.0))

    async def heard(self, program: str, plural: str) -> None:
        """When the program hears what its watch of a kind was told now."""
        while True:
            until = max(self._deaf.get((program, plural), 0.0), self._deaf.get((program, ""), 0.0))
            now = asyncio.get_running_loop().time()
            if until <= now:
                return
            await asyncio.sleep(min(until - now, 1.0))  # it may clear up before
