"""Running a piece of work from a command line: until it ends, until it fails, or until somebody says stop.

Ctrl-C and SIGTERM cancel the work, which then puts things away. A second Ctrl-C does not wait for that.
"""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of a piece of work. Ctrl-C raises ``KeyboardInterrupt``."""
    with asyncio.Runner() as runner:
        return runner.run(work)


def run_until_stopped(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run something that has no end of its own; being stopped is how it ends well."""
    run(_until_stopped(work))


async def _until_stopped(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    is_stopped = False

    def stop() -> None:
        nonlocal is_stopped
        is_stopped = True
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)  # the next one is meant for the whole process
        if task is not None:
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        await work()
    except asyncio.CancelledError:
        if not is_stopped:
            raise


async def forever() -> None:
    """Until cancelled."""
    await asyncio.get_running_loop().create_future()
