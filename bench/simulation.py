"""The simulation: how many worlds a second, how many API requests and revisions go through them, and how time runs there.

The reference is the clock on the wall: a world's minute against the seconds that it took.
"""

import time
from statistics import median

from bench.harness import ROUNDS, Area
from holdfast.simulation.run import areas, foundation, run, script_of

#: Seeds of one area in one round.
SEEDS = 20


def main() -> None:
    area = Area("simulation")
    foundation()  # is made once a process
    figures: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in areas()}
    for turn in range(ROUNDS):
        for name, told in figures.items():
            seeds = range(1 + turn * SEEDS, 1 + (turn + 1) * SEEDS)
            began = time.perf_counter()
            outcomes = [run(script_of(name, seed)) for seed in seeds]
            seconds = time.perf_counter() - began
            requests, revisions = (sum(getattr(outcome, what) for outcome in outcomes) for what in ("requests", "revisions"))
            told.append((SEEDS / seconds, requests / seconds, revisions / seconds, sum(each.seconds for each in outcomes) / seconds))
        area.say(f"round {turn + 1} of {ROUNDS}: " + ", ".join(f"{name} {told[-1][0]:.1f} seeds/s" for name, told in figures.items()))
    for name, told in figures.items():
        seeds_rate, requests_rate, revisions_rate, speed = (median(column) for column in zip(*told, strict=True))
        area.add(f"{name}: worlds, one core", seeds_rate, "seeds/s", better="higher")
        area.add(f"{name}: API requests", requests_rate, "/s", better="higher")
        area.add(f"{name}: revisions, each checked", revisions_rate, "/s", better="higher")
        area.add(f"{name}: simulated time", speed, "s/s", better="higher", reference="the clock on the wall", reference_value=1.0)
    area.finish()


if __name__ == "__main__":
    main()
