"""The garbage collector and large caches.

The collector walks over everything that it tracks, and a pause is felt by whoever waits for an answer. Cached objects are
untracked (``api.struct``), so little is left to walk over: ``relax`` keeps the collector from doing so while the caches fill, and
``settle`` takes what is left out of its way once they are full. Pauses are measured, because a mistake here shows nowhere else.
"""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from holdfast.kube.metrics import Metrics

#: Allocations between two young collections. Python's 700 is for scripts; a watch that decodes thousands of objects passes it all the time.
_YOUNG = 50_000


def relax() -> None:
    """Call it at the start of a process that lives long: the collector comes seldom, also while thousands of objects are made."""
    gc.set_threshold(_YOUNG, 20, 20)


def settle() -> None:
    """Call it once the caches are full (``Runtime(after_sync=settle)``), in a process that lives long.

    What exists now is never walked over again. It is still freed when its last reference goes; only garbage in circles would stay,
    and cached objects make none.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def pauses_measured(metrics: Metrics) -> Iterator[None]:
    """Tell every pause of the collector to the metrics, as long as this lasts. Inside a running loop only: its clock is used."""
    clock = asyncio.get_running_loop().time
    started = clock()

    def told(phase: str, _info: dict[str, Any]) -> None:
        nonlocal started
        if phase == "start":
            started = clock()
        else:
            metrics.collector_paused(clock() - started)

    gc.callbacks.append(told)
    try:
        yield
    finally:
        gc.callbacks.remove(told)
