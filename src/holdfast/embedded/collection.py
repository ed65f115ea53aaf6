"""All committed objects of one kind, in key order, with the history of their changes."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Protocol
from weakref import WeakSet

from holdfast.embedded.entries import Entry, Key
from holdfast.embedded.history import Event, History

#: Sorts after every name.
_LAST = "\U0010ffff"


class Watcher(Protocol):
    """Whoever reads the history."""

    def wake(self) -> None:
        """There is more to read."""
        ...

    def finish(self) -> None:
        """Nothing will come any more."""
        ...


class Collection:
    """The state that readers see, never ahead of what is durable."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.entries: dict[Key, Entry] = {}
        #: Open watches, woken after each batch of changes. A client that just lets go of its watch is forgotten.
        self.watches: WeakSet[Watcher] = WeakSet()
        self._sorted: list[Key] | None = None

    def apply(self, event: Event) -> None:
        if event.type == "DELETED":
            del self.entries[event.key]
            self._sorted = None
        else:
            if event.type == "ADDED":
                self._sorted = None
            self.entries[event.key] = event.entry
        self.history.append(event)

    def wake(self) -> None:
        for watch in tuple(self.watches):
            watch.wake()

    def keys(self) -> list[Key]:
        if self._sorted is None:
            self._sorted = sorted(self.entries)
        return self._sorted

    def select(self, resource: str, namespace: str, after: tuple[str, str] | None = None) -> Iterator[tuple[Key, Entry]]:
        """The objects of a namespace (of all when empty), in key order, beyond ``after``."""
        yield from _cut(self.keys(), self.entries, resource, namespace, after)

    def select_at(
        self, revision: int, resource: str, namespace: str, after: tuple[str, str] | None = None
    ) -> Iterator[tuple[Key, Entry]] | None:
        """The same as it was at an older revision; None when that is forgotten."""
        since = self.history.since(revision)
        if since is None:
            return None
        if not since:
            return self.select(resource, namespace, after)
        entries: dict[Key, Entry] = dict(self.entries)
        for event in reversed(since):
            if event.before is None:
                entries.pop(event.key, None)
            else:
                entries[event.key] = event.before
        return _cut(sorted(entries), entries, resource, namespace, after)


def _cut(
    keys: list[Key], entries: dict[Key, Entry], resource: str, namespace: str, after: tuple[str, str] | None
) -> Iterator[tuple[Key, Entry]]:
    start, end = 0, len(keys)
    if namespace:
        start, end = bisect_left(keys, Key(resource, namespace, "")), bisect_right(keys, Key(resource, namespace, _LAST))
    if after is not None:
        start = max(start, bisect_right(keys, Key(resource, *after)))
    # A slice, so that changes made while a reader walks do not reach it.
    for key in keys[start:end]:
        if (entry := entries.get(key)) is not None:
            yield key, entry
