"""All committed objects of one kind, in key order, with the history of their changes."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Protocol
from weakref import WeakValueDictionary

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
        # In the order in which they came, so that a run can be repeated. A client that just lets go of its watch is forgotten.
        self._watches: WeakValueDictionary[int, Watcher] = WeakValueDictionary()
        self._joined = 0
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

    @property
    def watches(self) -> list[Watcher]:
        """The open ones."""
        return list(self._watches.values())

    def join(self, watch: Watcher) -> int:
        """Wake ``watch`` after each batch of changes from now on, until it leaves by this number."""
        self._joined += 1
        self._watches[self._joined] = watch
        return self._joined

    def leave(self, number: int) -> None:
        self._watches.pop(number, None)

    def wake(self) -> None:
        for watch in self.watches:
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
        then: dict[Key, Entry | None] = {}
        for event in reversed(since):
            then[event.key] = event.before
        missing = [key for key, entry in then.items() if entry is not None and key not in self.entries]
        keys = sorted([*self.keys(), *missing]) if missing else self.keys()
        return _cut(keys, _Then(then, self.entries), resource, namespace, after)


class _Then:
    """The entries of an earlier revision: what has changed since, over what is there now."""

    def __init__(self, then: dict[Key, Entry | None], now: dict[Key, Entry]) -> None:
        self._then = then
        self._now = now

    def get(self, key: Key) -> Entry | None:
        return self._then[key] if key in self._then else self._now.get(key)


def _cut(
    keys: list[Key], entries: _Then | dict[Key, Entry], resource: str, namespace: str, after: tuple[str, str] | None
) -> Iterator[tuple[Key, Entry]]:
    start, end = 0, len(keys)
    if namespace:
        start, end = bisect_left(keys, Key(resource, namespace, "")), bisect_right(keys, Key(resource, namespace, _LAST))
    if after is not None:
        start = max(start, bisect_right(keys, Key(resource, *after)))
    # A slice, so that changes made while a reader walks do not move what it walks over.
    for key in keys[start:end]:
        if (entry := entries.get(key)) is not None:
            yield key, entry
