"""Holds a cache against what its handlers are told, and against the store.

A mirror is a handler that keeps what it was told and nothing else. If every change is told once, with the right old and new object,
the mirror is the cache at every moment; and what it shows may only ever be newer than what it has shown.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from holdfast.api.meta import Object
from holdfast.simulation.runtime_history import History, Place, Violates

ValuesOf = Callable[[Any], Iterable[str]]


class Shown(Protocol):
    """A cache, as its readers see it."""

    def get(self, name: str, namespace: str = "") -> Any: ...

    def all(self) -> Sequence[Any]: ...

    def by(self, index: str, value: str) -> Sequence[Any]: ...


class Told(Protocol):
    """A change, as handlers hear of it."""

    @property
    def old(self) -> Any: ...

    @property
    def new(self) -> Any: ...


class Mirror:
    """Of one cache of one program. Pass ``hears`` to the cache as a handler, before or after it is filled."""

    def __init__(self, who: str, cache: Shown, history: History, violates: Violates) -> None:
        self.held: dict[Place, Object] = {}
        #: The indexes that the cache has, with what they file an object under.
        self.indexes: dict[str, ValuesOf] = {}
        self._who = who
        self._cache = cache
        self._history = history
        self._violates = violates
        self._newest: dict[str, int] = {}
        self._gone: set[str] = set()

    def hears(self, change: Told) -> None:
        old, new = change.old, change.new
        if old is None and new is None:
            self._broken("handlers hear every change once", "nothing", "a change of nothing")
            return
        place = _place(new if new is not None else old)
        self._follows(place, old, new)
        if new is None:
            self.held.pop(place, None)
            self._gone.add(old.metadata.uid)
        else:
            self._is_newer(new)
            self.held[place] = new
        if self._cache.get(place[1], place[0]) is not new:
            self._broken(
                "handlers hear what the cache shows", place[1], f"told {_said(new)}, shown {_said(self._cache.get(place[1], place[0]))}"
            )
        self._looks_up(value for obj in (old, new) if obj is not None for value in self._values(obj))

    def _follows(self, place: Place, old: Any, new: Any) -> None:
        held = self.held.get(place)
        if _said(held) != _said(old):
            self._broken("handlers hear every change once", place[1], f"{_said(new)} after {_said(old)}, and told before was {_said(held)}")
        if old is not None and new is not None and old.metadata.uid != new.metadata.uid:
            self._broken("an object made anew is another one", place[1], f"{_said(new)} was told as a change of {_said(old)}")

    def _is_newer(self, new: Object) -> None:
        uid, revision = new.metadata.uid, int(new.metadata.resource_version)
        shown = self._newest.get(uid, 0)
        if uid in self._gone:
            self._broken("a deleted object stays away", new.metadata.name, f"{_said(new)} is back")
        elif revision <= shown:
            self._broken("a cache never goes back", new.metadata.name, f"{_said(new)} after version {shown}")
        self._newest[uid] = max(shown, revision)
        if not self._history.has_had(new):
            self._broken("a cache shows what was stored", new.metadata.name, f"there never was a {_said(new)}")

    def _values(self, obj: Object) -> Iterable[tuple[str, str]]:
        for index, values_of in self.indexes.items():
            for value in filed_under(values_of, obj):
                yield index, value

    def _looks_up(self, looked: Iterable[tuple[str, str]]) -> None:
        for index, value in dict.fromkeys(looked):
            wanted = sorted(_said(obj) for obj in self.held.values() if value in filed_under(self.indexes[index], obj))
            found = sorted(map(_said, self._cache.by(index, value)))
            if wanted != found:
                self._broken("an index shows what the cache holds", f"{index} {value}", f"{found} instead of {wanted}")

    def at_rest(self, type_: type[Object]) -> None:
        """The cache is the store, when nothing is under way."""
        stored = self._history.all(type_)
        shown = {_place(obj): obj for obj in self._cache.all()}
        for place in sorted(stored.keys() | shown.keys()):
            if stored.get(place) != shown.get(place):
                numbers = f"{_said(shown.get(place))} is shown, {_said(stored.get(place))} is stored"
                self._broken("at rest a cache is the store", f"{type_.__name__} {place[1]}", numbers)
        if {place: _said(obj) for place, obj in self.held.items()} != {place: _said(obj) for place, obj in shown.items()}:
            self._broken("handlers hear every change once", type_.__name__, "what they were told does not add up to the cache")
        self._looks_up(value for obj in shown.values() for value in self._values(obj))

    def _broken(self, promise: str, subject: str, numbers: str) -> None:
        self._violates(promise, f"{self._who}: {subject}", numbers)


def filed_under(values_of: ValuesOf, obj: Object) -> tuple[str, ...]:
    """A function that can not read an object files it nowhere."""
    try:
        return tuple(values_of(obj))
    except ValueError:
        return ()


def _place(obj: Object) -> Place:
    return obj.metadata.namespace, obj.metadata.name


def _said(obj: Object | None) -> str:
    return "nothing" if obj is None else f"{obj.metadata.name} {obj.metadata.uid[:4]} version {obj.metadata.resource_version}"
