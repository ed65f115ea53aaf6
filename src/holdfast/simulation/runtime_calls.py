"""A program's way to the API on which its requests are counted: nobody storms a server, least of all one that is away."""

from collections import deque
from contextvars import ContextVar
from typing import Any

from msgspec.structs import replace

from holdfast.api.wire import Answer, Request, Stream, Transport
from holdfast.simulation.runtime_history import Violates, now

#: In so many seconds...
_WINDOW = 10.0
#: ...so many requests of a program,
_MOST = 250
#: and so many openings of one watch.
_MOST_WATCHES = 12
#: What a program asks for that wants little.
_SMALL = {"limit": "2", "timeoutSeconds": "20"}

#: The tasks of the program that runs here; None in what others do for it.
TASKS: ContextVar[list[Any] | None] = ContextVar("tasks of a program", default=None)


class Calls:
    """Requests by what they are about, within the window."""

    def __init__(self, who: str, violates: Violates) -> None:
        self._who = who
        self._violates = violates
        self._made: dict[str, deque[float]] = {}

    def made(self, about: str, most: int) -> None:
        times = self._made.setdefault(about, deque())
        times.append(now())
        while times[0] < now() - _WINDOW:
            times.popleft()
        if len(times) > most:
            self._violates("no storm of requests", f"{self._who}: {about}", f"{len(times)} in {_WINDOW:.0f} s")
            times.clear()


class Counted:
    """A transport that counts.

    With ``is_small`` it also asks for less at a time: pages of two objects, and watches that end by themselves before long. So a small
    world shows in a minute what a large one shows in hours.
    """

    def __init__(self, way: Transport, calls: Calls, *, is_small: bool = False) -> None:
        self._way = way
        self._calls = calls
        self._instead = _SMALL if is_small else {}

    async def send(self, request: Request) -> Answer:
        self._calls.made("requests", _MOST)
        token = TASKS.set(None)  # what the server does is not the program's
        try:
            return await self._way.send(self._asked(request))
        finally:
            TASKS.reset(token)

    async def open(self, request: Request) -> Answer | Stream:
        self._calls.made("requests", _MOST)
        self._calls.made(f"watch of {request.path}", _MOST_WATCHES)
        token = TASKS.set(None)
        try:
            return await self._way.open(self._asked(request))
        finally:
            TASKS.reset(token)

    def _asked(self, request: Request) -> Request:
        if not (self._instead and request.query):
            return request
        return replace(request, query=tuple((name, self._instead.get(name, value)) for name, value in request.query))

    async def close(self) -> None:
        await self._way.close()

    def kill(self) -> None:
        self._way.kill()
