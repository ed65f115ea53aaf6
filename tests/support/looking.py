"""Waiting for what happens in other processes, of which nobody tells: look, and look again."""

import asyncio
import os
from collections.abc import Callable

#: Far beyond what anything takes.
PATIENCE = 40


async def until_true(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - there is no event: the other process does not know us
            await asyncio.sleep(0.02)


def is_there(pid: int) -> bool:
    """Whether a process has this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
