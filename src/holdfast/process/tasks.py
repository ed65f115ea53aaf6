"""Tasks that have an owner.

A task is started by an owner, and the owner does not end before its tasks have. A task that fails ends its owner's scope: no
failure is lost, no task is left behind.
"""

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self


class Tasks:
    """A scope for tasks: ``async with Tasks() as tasks: tasks.spawn(...)``.

    Leaving the scope cancels what still runs and waits for it. A task's failure cancels the body of the scope and is raised
    from it; further failures ride along as an ExceptionGroup.
    """

    def __init__(self) -> None:
        self._running: dict[asyncio.Task[Any], None] = {}  # in the order of their start: a set's order differs from run to run
        self._failures: list[BaseException] = []
        self._body: asyncio.Task[Any] | None = None
        self._interrupted = False
        self._closed = False

    async def __aenter__(self) -> Self:
        self._body = asyncio.current_task()
        return self

    def spawn(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[Any]:
        """Start a task of this scope."""
        if self._closed:
            work.close()
            message = f"the scope of task {name!r} has ended"
            raise RuntimeError(message)
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running[task] = None
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.pop(task, None)
        if task.cancelled() or (failure := task.exception()) is None:
            return
        self._failures.append(failure)
        if self._body is not None and not self._interrupted and not self._closed:
            self._interrupted = True
            self._body.cancel()

    async def __aexit__(self, kind: type[BaseException] | None, failure: BaseException | None, traceback: TracebackType | None) -> bool:
        self._closed = True
        cancelled_from_outside = isinstance(failure, asyncio.CancelledError)
        if self._interrupted and self._body is not None:
            # Our own cancel is spent here; what remains was asked for by somebody else and must go on.
            cancelled_from_outside = self._body.uncancel() > 0
        await self._cancel_all()
        failures = self._failures
        if failure is not None and not isinstance(failure, asyncio.CancelledError):
            failures = [failure, *failures]
        if cancelled_from_outside and not failures:
            return False
        if not failures:
            return self._interrupted
        if len(failures) == 1:
            if failures[0] is failure:
                return False
            raise failures[0]
        message = "several tasks failed"
        raise BaseExceptionGroup(message, failures)

    async def _cancel_all(self) -> None:
        while self._running:
            for task in self._running:
                task.cancel()
            await asyncio.wait(self._running)
