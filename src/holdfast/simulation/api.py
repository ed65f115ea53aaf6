"""The embedded API server as one more program that can die.

A request that has reached it is a task of the server: that its sender dies does not undo it. When the server dies, whoever waits for
an answer hears that nobody is there, and does not know what became of his request. What it had acknowledged is in the journal, and
the next server opens on that.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from holdfast.api.wire import Answer, Request, Stream, Unreachable
from holdfast.embedded.journal import Change, Kept
from holdfast.embedded.server import Server
from holdfast.embedded.transport import InProcess
from holdfast.kube.unreachable import NotSent
from holdfast.process import Process, Tasks
from holdfast.simulation.journal import VirtualJournal

Observer = Callable[[dict[str, Any]], None]


class Api:
    """The one server of a world, one life after the other. The observer is told of every revision that became durable."""

    def __init__(self, process: Process, journal: VirtualJournal, tasks: Tasks, observer: Observer) -> None:
        self.journal = journal
        self.served = 0
        #: So many changes of each kind are remembered for watches and pages; None for as many as a real one does.
        self.history_events: int | None = None
        self._process = process
        self._tasks = tasks
        self._observer = observer
        self._life: _Life | None = None
        self._starting = asyncio.Lock()  # there is one data folder
        journal.on_silent_commit = self._tell_silent

    @property
    def is_up(self) -> bool:
        return self._life is not None

    async def start(self) -> None:
        if self._life is None:
            bounds = {} if self.history_events is None else {"history_events": self.history_events}
            server = await Server.open(self._process, self.journal, **bounds)
            server.record(self._observer)
            self._life = _Life(server, self._tasks.spawn(server.run(), name="api"))

    async def crash(self) -> None:
        life, self._life = self._life, None
        if life is not None:
            self.journal.crash()
            await life.end()

    async def send(self, request: Request) -> Answer:
        """An answer, or ``Unreachable`` when the server dies before it has answered."""
        found = await self._asked(request)
        if not isinstance(found, Answer):
            await found.close()
            return Answer(400, {}, b"")  # a watch is opened, not sent
        return found

    async def open(self, request: Request) -> Answer | Stream:
        return await self._asked(request)

    async def _asked(self, request: Request) -> Answer | Stream:
        if self._life is None:
            raise NotSent("connection refused")
        self.served += 1
        return await self._life.answer(request, self._tasks)

    def _tell_silent(self, change: Change, before: Kept | None) -> None:
        data = change.data or (before.data if before else b"")
        obj = msgspec.json.decode(data)
        obj["metadata"]["resourceVersion"] = str(change.revision)
        type_ = "DELETED" if change.data is None else "MODIFIED" if before else "ADDED"
        self._observer({"revision": change.revision, "type": type_, "object": obj})


class _Life:
    """From one start to the next crash."""

    def __init__(self, server: Server, background: asyncio.Task[None]) -> None:
        self._server = server
        self._background = background
        self._way = InProcess(server)
        self._waiting: dict[asyncio.Future[Answer | Stream], asyncio.Task[Answer | Stream]] = {}
        self._is_over = False

    async def answer(self, request: Request, tasks: Tasks) -> Answer | Stream:
        outcome: asyncio.Future[Answer | Stream] = asyncio.get_running_loop().create_future()
        is_watch = any(name == "watch" for name, _ in request.query)
        work: asyncio.Task[Answer | Stream] = tasks.spawn((self._way.open if is_watch else self._way.send)(request), name="request")
        self._waiting[outcome] = work

        def done(work: asyncio.Task[Answer | Stream]) -> None:
            self._waiting.pop(outcome, None)
            if not outcome.done() and not work.cancelled():
                outcome.set_result(work.result())

        work.add_done_callback(done)
        return await outcome

    async def end(self) -> None:
        waiting = dict(self._waiting)
        for outcome in waiting:
            if not outcome.done():
                outcome.set_exception(Unreachable("the server went away before it answered"))
        self._way.kill()
        left = [self._background, *waiting.values()]
        for task in left:
            task.cancel()
        await asyncio.wait(left)
