"""A watch: the changes of one kind after a revision, as lines, until the client goes or the time is up.

A watch holds no queue. It holds its place in the history of its kind and reads on from there whenever it is asked for more, so a
slow client costs nothing; one that is so slow that its place is forgotten gets a 410 and lists again.

With selectors, what a client is told is what happened to *its* selection: an object that comes into it is ADDED, one that leaves
it is DELETED, however it did so.
"""

import asyncio
import math
from collections.abc import Iterator, Sequence
from typing import Any

from holdfast.api.errors import ApiError, Expired
from holdfast.embedded.collection import Collection
from holdfast.embedded.entries import encode
from holdfast.embedded.history import Event, line
from holdfast.embedded.presentation import Presentation
from holdfast.embedded.selection import Selection
from holdfast.embedded.store import Store

#: Seconds between bookmarks on a watch that asked for them.
BOOKMARK_SECONDS = 30.0
#: Changes taken into one piece of the stream: bounds what one turn of the loop costs and what one client holds.
_PIECE = 512


class Watch:
    """One open watch. An ``api.wire.Stream``."""

    def __init__(
        self,
        store: Store,
        collection: Collection,
        selection: Selection,
        presentation: Presentation,
        *,
        place: int,
        opening: list[bytes],
        seconds: float,
        bookmarks: bool,
    ) -> None:
        self._store = store
        self._collection = collection
        self._selection = selection
        self._presentation = presentation
        self._place = place
        self._opening = opening
        self._ends_at = asyncio.get_running_loop().time() + seconds
        self._bookmarks = bookmarks
        self._bookmark_at = asyncio.get_running_loop().time() + BOOKMARK_SECONDS
        self._is_over = False
        self._has_told = bool(opening)
        self._wake_up: asyncio.Future[None] | None = None
        # Heard of from the first moment, not from the first read on: ``end`` reaches a watch that nobody reads.
        self._number = collection.join(self)

    def __aiter__(self) -> "Watch":
        return self

    async def __anext__(self) -> bytes:
        while not self._is_over:
            if self._opening:
                opening, self._opening = self._opening, []
                return b"".join(opening)
            piece = self._read()
            if piece:
                return piece
            if self._collection.history.end > self._place:
                # What was read does not concern this client. Read on before anything is said about "up to here": but others first.
                await asyncio.sleep(0)
                continue
            now = asyncio.get_running_loop().time()
            if now >= self._ends_at:
                self.end()
                # Where the client goes on: without this it would ask again for what passed it by.
                if self._bookmarks:
                    return self._bookmark()
                break
            if self._bookmarks and now >= self._bookmark_at:
                self._bookmark_at = now + BOOKMARK_SECONDS
                return self._bookmark()
            await self._wait()
        raise StopAsyncIteration

    async def close(self) -> None:
        self.end()

    def end(self) -> None:
        """No more lines."""
        self._is_over = True
        self._collection.leave(self._number)
        self.wake()

    def finish(self) -> None:
        """No more lines after those that are there to be read."""
        self._ends_at = -math.inf
        self.wake()

    def wake(self) -> None:
        if self._wake_up is not None and not self._wake_up.done():
            self._wake_up.set_result(None)

    async def _wait(self) -> None:
        """Until something changed, or a time has come."""
        loop = asyncio.get_running_loop()
        self._wake_up = loop.create_future()
        until = min(self._ends_at, self._bookmark_at) if self._bookmarks else self._ends_at
        timer = loop.call_at(max(until, loop.time()), self.wake)
        try:
            await self._wake_up
        finally:
            timer.cancel()
            self._wake_up = None

    def _read(self) -> bytes:
        events = self._collection.history.read(self._place, _PIECE)
        if events is None:
            self.end()
            return error_line(Expired("too old resource version: the watch fell behind what is remembered; list again"))
        self._place += len(events)
        return b"".join(self._lines(events))

    def _lines(self, events: Sequence[Event]) -> Iterator[bytes]:
        for event in events:
            told = self._told(event)
            if told is None:
                continue
            type_, data = told
            if type_ == event.type and data is event.entry.data and self._presentation.is_as_kept(data):
                yield event.line
            else:
                yield line(type_, self._presentation.object(data, is_first=not self._has_told))
            self._has_told = True

    def _told(self, event: Event) -> tuple[str, bytes] | None:
        selection = self._selection
        if selection.namespace and event.key.namespace != selection.namespace:
            return None
        if selection.is_all:
            return event.type, event.entry.data
        was = event.before is not None and selection.matches(event.key, event.before)
        if event.type == "DELETED":
            return ("DELETED", event.entry.data) if was else None
        if selection.matches(event.key, event.entry):
            return "MODIFIED" if was else "ADDED", event.entry.data
        if was and event.before is not None:
            return "DELETED", event.before.at_revision(event.revision)
        return None

    def _bookmark(self) -> bytes:
        return bookmark_line(self._presentation, self._store.revision)


class Farewell:
    """A stream of one piece: a watch that is refused in the way clients expect it, by an ERROR event."""

    def __init__(self, piece: bytes) -> None:
        self._pieces = [piece]

    def __aiter__(self) -> "Farewell":
        return self

    async def __anext__(self) -> bytes:
        if not self._pieces:
            raise StopAsyncIteration
        return self._pieces.pop()

    async def close(self) -> None:
        self._pieces.clear()


def error_line(failure: ApiError) -> bytes:
    return line("ERROR", encode(failure.status()))


def bookmark_line(presentation: Presentation, revision: int, annotations: dict[str, str] | None = None) -> bytes:
    """Nothing up to this revision is left to tell."""
    metadata: dict[str, Any] = {"resourceVersion": str(revision)}
    if annotations:
        metadata["annotations"] = annotations
    bookmark = {"apiVersion": presentation.resource.stored_api_version, "kind": presentation.resource.kind, "metadata": metadata}
    return line("BOOKMARK", presentation.object(encode(bookmark)))
