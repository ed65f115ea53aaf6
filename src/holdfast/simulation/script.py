"""A run, written down before it begins: who takes part, what happens when, and what may go wrong on the way.

All of it is drawn from the seed, and all of it is data: a run that fails can be cut down, step by step, to one that is small enough
to read, and it stays a run that anybody can repeat.
"""

from msgspec import Struct

from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import Args, happenings


class Step(Struct, frozen=True):
    """Something that somebody does, or that befalls the world, ``at`` so many seconds from the start."""

    at: float
    what: str
    args: Args


class Cast(Struct, frozen=True):
    """How many of what take part. An area has its own."""


class Script(Struct, frozen=True, kw_only=True):
    """One run."""

    area: str
    seed: int
    profile: str
    cast: Cast
    steps: tuple[Step, ...]
    seconds: float
    intensity: float = 1.0
    """How much of what the profile has goes wrong: on a good day nothing, for a crash also mends what nobody else would have noticed."""
    without: frozenset[str] = frozenset()
    """Faults on the wire that do not happen."""


def draw_steps(
    dice: Dice, deeds: dict[str, float], cast: Cast, factors: dict[str, float], *, count: int, seconds: float, late: bool = False
) -> tuple[Step, ...]:
    """``count`` deeds of users, drawn by their weights, and what befalls the world meanwhile, in the order of time.

    A ``late`` one comes when the world is at rest: what it does not wake sleeps on, and nothing else will hide that.
    """
    steps = []
    users = dice.of("deeds")
    for _ in range(count):
        what = users.weighted(tuple(deeds.items()))
        steps.append(Step(_moment(users, seconds), what, (users.below(1000), users.below(1000), users.below(1000))))
    for name, happening in happenings().items():
        if happening.needs and not getattr(cast, happening.needs, 0):
            continue
        fate = dice.of(name)
        expected = happening.rate * seconds / 60 * factors.get(name, factors.get("*", 1.0))
        times = int(expected) + fate.chance(expected % 1)
        steps += [Step(_moment(fate, seconds), name, happening.draw(fate)) for _ in range(times)]
    if late:
        what = users.weighted(tuple(deeds.items()))
        steps.append(Step(seconds + 1, what, (users.below(1000), users.below(1000), users.below(1000))))
    return tuple(sorted(steps, key=lambda step: (step.at, step.what, step.args)))


def _moment(dice: Dice, seconds: float) -> float:
    return round(dice.between(0, seconds), 3)
