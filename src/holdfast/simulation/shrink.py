"""Cuts a failing run down to a small one that fails in the same way.

What is taken away, as long as the same promise is still broken: what happens after it broke, halves and then single steps, faults
of a kind, and those who take part. Every attempt is a whole run, so there is a bound on them; what is found by then is told.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import asdict, replace

from holdfast.simulation.fault import names_on_the_wire
from holdfast.simulation.run import Outcome, run
from holdfast.simulation.script import Cast, Script, Step

#: How many runs a search may take.
MOST_RUNS = 150


class Search:
    """The smallest failing run so far."""

    def __init__(self, failing: Outcome, tell: Callable[[str], None], most_runs: int = MOST_RUNS) -> None:
        self.best = failing
        self.runs = 0
        self._promises = {violation.promise for violation in failing.violations}
        self._tell = tell
        self._most_runs = most_runs

    @property
    def is_over(self) -> bool:
        return self.runs >= self._most_runs

    def takes(self, script: Script) -> bool:
        """Whether this one fails in the same way; it is the best one then."""
        if self.is_over:
            return False
        self.runs += 1
        outcome = run(script)
        if not self._promises & {violation.promise for violation in outcome.violations}:
            return False
        self.best = outcome
        self._tell(f"{len(script.steps)} steps, {len(script.without)} faults less, {_size(script.cast)} who take part ({self.runs} runs)")
        return True


def shrunk(failing: Outcome, tell: Callable[[str], None] = lambda _: None, *, most_runs: int = MOST_RUNS) -> Outcome:
    """The smallest run found that breaks one of the same promises."""
    search = Search(failing, tell, most_runs)
    before = None
    while before is not search.best and not search.is_over:
        before = search.best
        _fewer_faults(search)
        _fewer_steps(search)
        _smaller_cast(search)
    return search.best


def _fewer_faults(search: Search) -> None:
    every = names_on_the_wire()
    if every - search.best.script.without and search.takes(replace(search.best.script, without=every)):
        return
    for name in sorted(every - search.best.script.without):
        search.takes(replace(search.best.script, without=search.best.script.without | {name}))


def _fewer_steps(search: Search) -> None:
    """Takes away pieces, large ones first."""
    size = max(1, len(search.best.script.steps) // 2)
    while not search.is_over:
        for steps in _without_one_piece(search.best.script.steps, size):
            if search.takes(replace(search.best.script, steps=steps)):
                break
        else:
            if size == 1:
                return
            size = max(1, size // 2)


def _without_one_piece(steps: tuple[Step, ...], size: int) -> Iterator[tuple[Step, ...]]:
    """The last ones first: what comes after a failure had no part in it."""
    for start in range(len(steps) - size, -size, -size):
        yield (*steps[: max(start, 0)], *steps[start + size :])


def _smaller_cast(search: Search) -> None:
    for name, count in asdict(search.best.script.cast).items():
        for fewer in range(min(count, 1), count):
            if search.takes(replace(search.best.script, cast=replace(search.best.script.cast, **{name: fewer}))):
                break


def _size(cast: Cast) -> int:
    return sum(asdict(cast).values())
