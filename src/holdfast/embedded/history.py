"""The latest changes of one kind, for watchers and for consistent pages.

The history is bounded in number and in bytes; what falls out raises the floor, and who asks for changes from below the floor has
to list again (410). A watcher holds no queue: it holds its place here, so a slow one costs nothing and falls out like any other.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

from holdfast.embedded.entries import Entry, Key

EventType = Literal["ADDED", "MODIFIED", "DELETED"]


class Event:
    """A committed change. ``entry`` is what is told; ``before`` is what it replaced."""

    __slots__ = ("_line", "before", "entry", "key", "revision", "type")

    def __init__(self, type_: EventType, key: Key, entry: Entry, before: Entry | None) -> None:
        self.type = type_
        self.key = key
        self.entry = entry
        self.before = before
        self.revision = entry.revision
        self._line: bytes | None = None

    @property
    def line(self) -> bytes:
        """The event as it travels, encoded once for all watchers."""
        if self._line is None:
            self._line = line(self.type, self.entry.data)
        return self._line


def line(type_: str, data: bytes) -> bytes:
    """A watch event of any type."""
    return b'{"type":"%s","object":%s}\n' % (type_.encode(), data)


class History:
    """A window on the changes after ``floor``. Places are counted from the first change ever seen."""

    def __init__(self, floor: int, *, max_events: int, max_bytes: int) -> None:
        self.floor = floor
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._bytes = 0
        self._events: list[Event] = []
        self._forgotten = 0

    @property
    def end(self) -> int:
        """The place of the next change."""
        return self._forgotten + len(self._events)

    def append(self, event: Event) -> None:
        self._events.append(event)
        self._bytes += len(event.entry.data)
        if len(self._events) > self._max_events or self._bytes > self._max_bytes:
            self._forget()

    def _forget(self) -> None:
        # A quarter at a time, so that moving the rest of the list is paid rarely.
        dropped = 0
        while dropped < len(self._events) and (
            len(self._events) - dropped > self._max_events * 3 // 4 or self._bytes > self._max_bytes * 3 // 4
        ):
            self._bytes -= len(self._events[dropped].entry.data)
            self.floor = self._events[dropped].revision
            dropped += 1
        del self._events[:dropped]
        self._forgotten += dropped

    def place_after(self, revision: int) -> int | None:
        """Where the changes after ``revision`` begin; None when some of them are forgotten."""
        if revision < self.floor:
            return None
        return self._forgotten + bisect_right(self._events, revision, key=_revision)

    def read(self, place: int, limit: int) -> Sequence[Event] | None:
        """Up to ``limit`` changes from ``place`` on; None when they are forgotten."""
        start = place - self._forgotten
        return None if start < 0 else self._events[start : start + limit]

    def since(self, revision: int) -> Sequence[Event] | None:
        """All changes after ``revision``, oldest first; None when some of them are forgotten."""
        place = self.place_after(revision)
        return None if place is None else self._events[place - self._forgotten :]


def _revision(event: Event) -> int:
    return event.revision
