"""Work for the thread can be begun where nobody can await."""

import asyncio
from functools import partial

from holdfast.process import Thread


async def test_work_begins_at_once_and_in_order():
    """A callback may start the next batch: what was started first is done first."""
    thread = Thread("worker")
    done: list[int] = []

    futures = [thread.start(partial(done.append, number)) for number in range(5)]
    await asyncio.gather(*futures)

    assert done == [0, 1, 2, 3, 4]
    thread.close()


async def test_a_failure_reaches_whoever_looks_at_the_future():
    """The journal learns of a full disk in this way."""
    thread = Thread("worker")

    failed = await asyncio.gather(thread.start(lambda: 1 // 0), return_exceptions=True)

    assert isinstance(failed[0], ZeroDivisionError)
    thread.close()
