"""A cancellation that nobody asked for.

``CancelledError`` means "stop" only to a task that was told to stop. It also comes out of an await on something else that was
cancelled (a future shared with a task that has ended), and then a worker that took it for its own end would be gone without a
word, and its owner with one hand less for ever.
"""

import asyncio


class StrayCancel(Exception):
    """What was awaited had been cancelled; the task that waited had not."""


def unless_asked(cancelled: asyncio.CancelledError) -> StrayCancel:
    """The failure to handle instead, or the cancellation itself, raised, when it is meant for the current task."""
    task = asyncio.current_task()
    if task is None or task.cancelling():
        raise cancelled
    return StrayCancel("something that was awaited had been cancelled")
