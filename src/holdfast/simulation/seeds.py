"""Many seeds, over as many processes as there are cores, in the order of the seeds."""

import multiprocessing
import os
from collections.abc import Iterator, Sequence

from msgspec import Struct

from holdfast.simulation.run import Outcome, run, script_of

#: Seeds that a process takes at once.
_PIECE = 4


class Tally(Struct):
    """What has come of the seeds so far."""

    seeds: int = 0
    requests: int = 0
    revisions: int = 0

    def counts(self, outcome: Outcome) -> None:
        self.seeds += 1
        self.requests += outcome.requests
        self.revisions += outcome.revisions


def play(area: str, seeds: Sequence[int], profile: str = "usual", *, processes: int = 0) -> Iterator[Outcome]:
    """The outcome of each seed, as they come. Without a number of processes, one for each core."""
    work = [(area, seed, profile) for seed in seeds]
    processes = min(processes or os.cpu_count() or 1, len(work))
    if processes <= 1:
        yield from map(_played, work)
        return
    # Made anew and not forked: a process that has run a loop or a thread before would hand on half of it.
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(_played, work, chunksize=_PIECE)


def _played(work: tuple[str, int, str]) -> Outcome:
    return run(script_of(*work))
