"""One thread for work that blocks, such as a database: calls run there one after the other, in the order in which they were made."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Thread:
    """A single worker thread, driven from the loop."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The result of ``work``, computed in the thread. A cancelled caller does not stop work that has begun."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: work(*args, **kwargs))

    def start(self, work: Callable[[], R]) -> asyncio.Future[R]:
        """Begin ``work`` at once, also where nobody can await; the future may be given callbacks."""
        return asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Wait for the work at hand and end the thread."""
        self._pool.shutdown(wait=True)
