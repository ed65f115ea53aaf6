"""Many scripts through two homes at once; and of one on which they differ, as few steps as still show it."""

import asyncio
import itertools
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from tests.support.differential_answers import judged, normalised
from tests.support.differential_home import Home
from tests.support.differential_scripts import script_of
from tests.support.differential_steps import Step

from holdfast.process import Randomness, Tasks

#: Scripts on their way at a time.
_AT_ONCE = 24


class Difference(Struct):
    """A script on which two homes do not agree."""

    seed: int
    steps: list[Step]
    #: The number of a step, and what differs in its answers.
    at: list[tuple[int, list[str]]]
    homes: tuple[str, str]

    @property
    def gist(self) -> str:
        """Alike for differences that are likely one."""
        number, found = self.at[0]
        step = next(step for step in self.steps if step.number == number)
        places = [re.sub(r"[0-9]+", "", found) for found in found[:2]]
        return f"{step.words} {step.kind} {places}"

    def words(self) -> str:
        """The script as one reads it, and how to see it again."""
        lines = [f"seed {self.seed}: {self.homes[0]} != {self.homes[1]}"]
        found = dict(self.at)
        for step in self.steps:
            lines.append(step.line())
            lines += [f"       {difference}" for difference in found.get(step.number, ())]
        return "\n".join([*lines, f"  replay: make conformance N=1 SEED={self.seed}"])


class Runs:
    """Two homes side by side."""

    def __init__(self, one: Home, other: Home) -> None:
        self._one = one
        self._other = other
        #: Namespaces of earlier runs may be there still.
        self._names = (f"d{Randomness().suffix(6)}{number}x" for number in itertools.count())

    async def of_seeds(self, seeds: Iterable[int], *, shrink: bool = True) -> list[Difference]:
        """The seeds whose scripts the homes do not answer alike."""
        waiting: Iterator[int] = iter(seeds)
        found: list[Difference] = []

        async def work() -> None:
            for seed in waiting:
                difference = await self.of_script(seed, script_of(seed))
                if difference is not None:
                    found.append(difference)

        async with Tasks() as tasks:
            await asyncio.gather(*(tasks.spawn(work(), name="scripts") for _ in range(_AT_ONCE)))
        found.sort(key=lambda difference: difference.seed)
        if not shrink:
            return found
        # One mistake shows in many scripts; one of them is enough to read.
        unlike = {difference.gist: difference for difference in reversed(found)}
        return [await self._shortest(difference) for difference in sorted(unlike.values(), key=lambda one: one.seed)]

    async def of_script(self, seed: int, steps: list[Step]) -> Difference | None:
        """What the homes do not answer alike, if anything."""
        namespace = next(self._names)
        one, other = await asyncio.gather(self._one.run(steps, namespace), self._other.run(steps, namespace))
        pairs = zip(steps, normalised(one, namespace), normalised(other, namespace, notes_writers=True), strict=True)
        at = [(step.number, found) for step, a, b in pairs if (found := judged(a, b))]
        return Difference(seed, steps, at, (self._one.name, self._other.name)) if at else None

    async def _shortest(self, difference: Difference) -> Difference:
        """Without every step that can be dropped so that the answers still differ."""
        last = difference.at[0][0]
        steps = [step for step in difference.steps if step.number <= last]
        best = await self.of_script(difference.seed, steps) or difference
        for step in reversed(steps[:-1]):
            fewer = [kept for kept in best.steps if kept.number != step.number]
            shorter = await self.of_script(difference.seed, fewer)
            if shorter is not None and shorter.gist == difference.gist:
                best = shorter
        return best
