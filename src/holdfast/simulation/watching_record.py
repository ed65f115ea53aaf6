"""The record of any API that can be watched: what an observer of the embedded server is told, put together from watches.

Each kind has a watch of its own, and all kinds of a cluster share one count of revisions, so their order is that of the revisions.
A watch may be late, though, and nobody tells that it has told everything. So a revision is handed on when it has waited a little for
those before it; one that comes later than that breaks the record, which is said, rather than to judge by an order that never was.
``catch_up`` waits for nothing but facts: all that the server lists has been told, and is handed on at once.

A record begins with what exists then, and knows nothing of what was before. If it is not whole it is no record: a watch that was cut
is taken up where it stood, and when the server has forgotten what happened since, the record ends with ``Gap``.
"""

import asyncio
import heapq
import logging
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import msgspec
from msgspec import Struct

from holdfast.api import kinds
from holdfast.api.errors import ApiError, Expired, Gone, Status, error_from
from holdfast.api.kinds import Kind
from holdfast.api.struct import decode
from holdfast.api.wire import Answer, Request, Transport, Unreachable
from holdfast.kube.backoff import Backoff
from holdfast.kube.client import Client
from holdfast.kube.refusals import refusal
from holdfast.kube.watching import Lines, query
from holdfast.process import Process, Tasks

Document = dict[str, Any]

log = logging.getLogger(__name__)

#: How long a revision waits for one before it, in seconds: far beyond what a watch of the same server is behind another.
HOLD_BACK = 0.5
#: A watch is asked to last so long, in seconds.
_WATCH_SECONDS = 300


class Gap(Exception):
    """Something happened that the record does not have."""


class _Told(Struct, order=True):
    """A revision that waits for its turn."""

    revision: int
    number: int
    since: float
    line: Document = msgspec.field(default_factory=dict)


class _Event(Struct):
    type: str
    object: Document


class WatchingRecord:
    """Tells an observer of every revision of some kinds: ``{"revision": ..., "type": ..., "object": ...}``, as the embedded server does."""

    def __init__(
        self,
        transport: Transport,
        process: Process,
        observer: Callable[[Document], None],
        *,
        namespace: str = "",
        watched: Sequence[Kind] = kinds.CUSTOM,
        hold_back: float = HOLD_BACK,
    ) -> None:
        """Objects of one namespace, or of all. The transport is the record's own, for as long as it runs."""
        self._transport = transport
        self._process = process
        self._client = Client(transport, process)
        self._observer = observer
        self._namespace = namespace
        self._watched = tuple(watched)
        self._hold_back = hold_back
        self._waiting: list[_Told] = []
        self._told = 0
        self._number = 0
        self._broken = ""
        self._heard_to: dict[Kind, int] = {}
        self._now: dict[Kind, dict[tuple[str, str], int]] = {kind: {} for kind in self._watched}
        self._heard = asyncio.Event()
        self._begun = asyncio.Event()

    async def run(self) -> None:
        """Record until cancelled. What exists at the start is told as added. Raises ``Gap`` when the record can not be whole."""
        async with Tasks() as tasks:
            listed = [(kind, await self._list(kind)) for kind in self._watched]
            self._begun.set()
            for kind, revision in listed:
                tasks.spawn(self._follow(kind, revision), name=f"record of {kind.resource}")
            await self._hand_on()

    async def begins(self) -> None:
        """Until everything that existed has been read: what happens from now on will be in the record."""
        await self._begun.wait()

    async def catch_up(self) -> None:
        """Until the observer has been told of all that the server knew when this was called."""
        known_to = []
        for kind in self._watched:
            there, revision = await self._read(kind)
            while not self._has(kind, there, revision):
                self._raise_if_broken()
                self._heard.clear()
                await self._heard.wait()
            known_to.append(revision)
        while self._waiting and self._waiting[0].revision <= min(known_to):
            self._tell(heapq.heappop(self._waiting))

    async def hears(self) -> None:
        """Until there is something that the observer has not been told: ``catch_up`` will."""
        while not self._waiting:
            self._raise_if_broken()
            self._heard.clear()
            await self._heard.wait()

    def _has(self, kind: Kind, there: list[Document], revision: int) -> bool:
        """Whether the watch has told all that a list shows, and the deletion of what it does not show."""
        listed = {_place(obj) for obj in there}
        is_told = all(_revision_of(obj) <= self._heard_to[kind] for obj in there)
        return is_told and not any(place not in listed and told <= revision for place, told in self._now[kind].items())

    async def _list(self, kind: Kind) -> int:
        there, revision = await self._read(kind)
        for obj in there:
            self._take(kind, "ADDED", obj)
        self._heard_to[kind] = revision
        return revision

    async def _read(self, kind: Kind) -> tuple[list[Document], int]:
        found = decode((await self._client.send(Request("GET", kind.path(self._namespace)))).body, dict)
        whole = {"apiVersion": kind.api_version, "kind": kind.name}  # lists of built-in kinds leave it out
        return [whole | obj for obj in found.get("items") or ()], int(found["metadata"]["resourceVersion"])

    async def _follow(self, kind: Kind, since: int) -> None:
        backoff = Backoff(self._process, first=0.05)
        while True:
            try:
                await self._watch(kind, since)
            except (Expired, Gone) as gone:
                self._breaks(f"the server has forgotten what happened to {kind.resource} after revision {since}: {gone}")
                return
            except (Unreachable, ApiError) as failure:
                log.info("record of %s: %s", kind.resource, failure)
            if self._heard_to[kind] > since:
                since = self._heard_to[kind]  # taken up where it was cut
                backoff.reset()
            await asyncio.sleep(backoff.delay())

    async def _watch(self, kind: Kind, since: int) -> None:
        request = Request("GET", kind.path(self._namespace), query(str(since), "", "", _WATCH_SECONDS))
        opened = await self._transport.open(request)
        if isinstance(opened, Answer):
            raise refusal(request, opened)
        lines = Lines()
        try:
            async for piece in opened:
                for line in lines.feed(piece):
                    if line and not line.isspace():
                        self._hear(kind, decode(line, _Event))
        finally:
            await opened.close()

    def _hear(self, kind: Kind, event: _Event) -> None:
        if event.type == "ERROR":
            status = msgspec.convert(event.object, Status)
            raise error_from(status.code or 500, status, f"the watch of {kind.resource} ended with an error")
        self._heard_to[kind] = _revision_of(event.object)
        if event.type != "BOOKMARK":
            self._take(kind, event.type, event.object)
        self._heard.set()

    def _take(self, kind: Kind, type_: str, obj: Document) -> None:
        revision, known = _revision_of(obj), self._now[kind]
        if type_ == "DELETED":
            known.pop(_place(obj), None)
        else:
            known[_place(obj)] = revision
        self._number += 1
        line = {"revision": revision, "type": type_, "object": obj}
        heapq.heappush(self._waiting, _Told(revision, self._number, self._process.clock.monotonic(), line))
        self._heard.set()

    def _breaks(self, why: str) -> None:
        self._broken = self._broken or why
        self._heard.set()

    def _raise_if_broken(self) -> None:
        if self._broken:
            raise Gap(self._broken)

    async def _hand_on(self) -> NoReturn:
        while True:
            self._raise_if_broken()
            now = self._process.clock.monotonic()
            while self._waiting and self._waiting[0].since + self._hold_back <= now:
                self._tell(heapq.heappop(self._waiting))
            await asyncio.sleep(self._hold_back / 5)

    def _tell(self, told: _Told) -> None:
        if told.revision < self._told:
            self._breaks(
                f"revision {told.revision} came after revision {self._told} had been told: a watch is further behind than it may be"
            )
            self._raise_if_broken()
        self._told = told.revision
        self._observer(told.line)


def _revision_of(obj: Document) -> int:
    return int(obj["metadata"]["resourceVersion"])


def _place(obj: Document) -> tuple[str, str]:
    metadata = obj["metadata"]
    return metadata.get("namespace", ""), metadata["name"]
