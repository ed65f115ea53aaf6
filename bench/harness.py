"""How every benchmark measures and tells.

The thing and its reference take turns in the same run, several rounds; the median of each counts. What travels to another
machine is the ratio, so a goal is a bound on the ratio where there is a reference, else on the value. A benchmark never fails on
time: ``bench check`` says which goals are missed.
"""

import json
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

BUILD = Path(__file__).parent.parent / "build" / "bench"
ROUNDS = 5


class Area:
    """The results of one area, printed as they come and written at the end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.results: list[dict[str, Any]] = []

    def say(self, text: str) -> None:
        print(f"  {text}", file=sys.stderr, flush=True)

    def add(
        self,
        name: str,
        value: float,
        unit: str,
        *,
        better: str,
        reference: str = "",
        reference_value: float | None = None,
        ratio: float | None = None,
        goal: float | None = None,
    ) -> None:
        """Record one figure. Where no ratio is given it is value / reference_value."""
        if ratio is None and reference_value:
            ratio = value / reference_value
        self.results.append(
            {
                "name": name,
                "value": value,
                "unit": unit,
                "reference": reference,
                "reference_value": reference_value,
                "ratio": ratio,
                "better": better,
                "goal": goal,
            }
        )

    def finish(self) -> None:
        BUILD.mkdir(parents=True, exist_ok=True)
        (BUILD / f"{self.name}.json").write_text(json.dumps(self.results, indent=1) + "\n")
        print(table(self.results))


def take_turns(*contenders: Callable[[], float], rounds: int = ROUNDS) -> list[list[float]]:
    """What each contender measured, round by round, in turns; the first round warms up and does not count."""
    measured: list[list[float]] = [[] for _ in contenders]
    for turn in range(rounds + 1):
        for place, contender in enumerate(contenders):
            figure = contender()
            if turn:
                measured[place].append(figure)
    return measured


def median(figures: list[float]) -> float:
    return statistics.median(figures)


def is_met(result: dict[str, Any]) -> bool | None:
    """Whether the goal is met; None where there is none."""
    goal, figure = result["goal"], result["ratio"] if result["ratio"] is not None else result["value"]
    if goal is None:
        return None
    return bool(figure >= goal if result["better"] == "higher" else figure <= goal)


def shown(figure: float | None, unit: str = "") -> str:
    if figure is None:
        return ""
    text = f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}"
    return f"{text} {unit}".strip()


def rows(results: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for result in results:
        sign = ">=" if result["better"] == "higher" else "<="
        met = is_met(result)
        goal = "" if met is None else f"{sign} {result['goal']:g} {'met' if met else 'MISSED'}"
        reference = f"{result['reference']}: {shown(result['reference_value'], result['unit'])}" if result["reference"] else ""
        yield result["name"], shown(result["value"], result["unit"]), reference, shown(result["ratio"]), goal


def table(results: list[dict[str, Any]]) -> str:
    """A Markdown table of results."""
    head = ("what", "measured", "reference, same run", "ratio", "goal")
    lines = [head, *rows(results)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines]
    return "\n".join([text[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *text[1:]])
