"""What we know of the objects of one kind: read without waiting, told about by a watch and by our own writes.

Revisions order everything, and three rules keep the cache from ever going back in time:

- The watch tells changes in the order of their revisions. What it tells again, or tells late about an object of which we hold
  a newer copy (our own write came first), is ignored.
- An own write is taken at once, unless the watch has already passed its revision: then whatever became of it is known, and
  taking it could bring back an object that is gone for good.
- An own deletion leaves a tombstone with the uid, so that an event from before it cannot bring the object back. An object made
  anew under the name has another uid and is welcome. The watch takes the tombstone away when it tells of the deletion; nothing else
  it says can: how far it has come does not tell whether that was before the deletion or after.

Handlers hear of every change once, with the old and the new object, in the same turn of the loop; they must be quick (put a key
into a queue). One that raises is logged and counted, and hurts nobody else. Nothing bounds a cache: it holds what there is.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic

from msgspec import Struct

from holdfast.api.meta import Object, ObjectT
from holdfast.kube.index import Index, Place
from holdfast.kube.keys import Key

__all__ = ["Cache", "Change", "Handler", "Key", "key_of", "revision_of"]

log = logging.getLogger(__name__)

_REMEMBERED = 1000  # deletions that the watch told before our own call for them returned: a few at a time
_TURN = 1000  # objects of a listing taken in one turn of the loop: about 5 ms with handlers and indexes


def key_of(obj: Object) -> Key:
    return Key(obj.metadata.namespace, obj.metadata.name)


class Change(Struct, Generic[ObjectT], frozen=True, gc=False):
    """One object before and after: no ``old`` when it is new to us, no ``new`` when it is gone."""

    old: ObjectT | None
    new: ObjectT | None

    @property
    def object(self) -> ObjectT:
        """The object as it is, or as it last was."""
        known = self.new if self.new is not None else self.old
        if known is None:
            raise ValueError("a change of nothing")
        return known


Handler = Callable[[Change[Any]], None]


def revision_of(obj: Object) -> int:
    return int(obj.metadata.resource_version or 0)


class Cache(Generic[ObjectT]):
    """The objects of one kind in one namespace (or in all: namespace "")."""

    def __init__(self, type_: type[ObjectT], namespace: str = "", *, on_failure: Callable[[], None] = lambda: None) -> None:
        self.type = type_
        self.namespace = namespace
        self._on_failure = on_failure
        self._objects: dict[Place, ObjectT] = {}
        self._indexes: dict[str, Index[ObjectT]] = {}
        self._handlers: tuple[Handler, ...] = ()
        self._seen = 0  # the watch has told everything up to this revision
        self._tombstones: set[str] = set()
        self._fading: set[str] = set()
        self._told_gone: dict[str, None] = {}  # the latest deletions that the watch told, by uid
        self._synced = asyncio.Event()

    # What readers use.

    def get(self, name: str, namespace: str = "") -> ObjectT | None:
        """The object, or None. Without a namespace: that of the cache."""
        return self._objects.get((namespace or self.namespace, name))

    def all(self) -> tuple[ObjectT, ...]:
        return tuple(self._objects.values())

    def all_keys(self) -> tuple[Key, ...]:
        return tuple(Key(*place) for place in self._objects)

    def by(self, index: str, value: str) -> tuple[ObjectT, ...]:
        """The objects that the named index has under the value; costs no more than what it returns."""
        return tuple(self._objects[place] for place in self._indexes[index].under(value))

    def __len__(self) -> int:
        return len(self._objects)

    @property
    def synced(self) -> bool:
        """Whether everything that existed at some moment after the start has been seen, and every handler has heard of it."""
        return self._synced.is_set()

    async def wait_synced(self) -> None:
        await self._synced.wait()

    # What shapes the cache: before or while it is fed.

    def index(self, name: str, values_of: Callable[[ObjectT], Iterable[str]]) -> None:
        """Make ``by(name, ...)`` work. A function that raises files the object nowhere."""
        if name in self._indexes:
            raise ValueError(f"the cache of {self.type.__name__} has an index {name!r} already")
        index: Index[ObjectT] = Index(self._tamed(name, values_of))
        for place, obj in self._objects.items():
            index.file(place, obj)
        self._indexes[name] = index

    def _tamed(self, name: str, values_of: Callable[[ObjectT], Iterable[str]]) -> Callable[[ObjectT], tuple[str, ...]]:
        def tamed(obj: ObjectT) -> tuple[str, ...]:
            try:
                return tuple(values_of(obj))
            except Exception as failure:  # noqa: BLE001 - one object that a function cannot read must not stop the watch
                self._failed(f"index {name} of {self.type.__name__} {key_of(obj)}", failure)
                return ()

        return tamed

    def on_change(self, handler: Handler) -> Callable[[], None]:
        """Tell the handler of every change from now on, first of all that exists. The result ends it."""
        self._handlers += (handler,)
        for obj in self.all():
            self._tell(handler, Change(None, obj))

        def end() -> None:
            self._handlers = tuple(other for other in self._handlers if other is not handler)

        return end

    # What the watch tells.

    def saw(self, obj: ObjectT) -> None:
        """It was made or changed."""
        revision = revision_of(obj)
        if revision <= self._seen:
            return
        self._seen = revision
        self._take(obj, revision)

    def saw_gone(self, obj: ObjectT) -> None:
        """It was deleted; the object's revision is that of the deletion."""
        revision = revision_of(obj)
        self._seen = max(self._seen, revision)
        meta = obj.metadata
        self._tombstones.discard(meta.uid)
        self._fading.discard(meta.uid)
        self._told_gone[meta.uid] = None
        if len(self._told_gone) > _REMEMBERED:
            del self._told_gone[next(iter(self._told_gone))]
        place = (meta.namespace, meta.name)
        held = self._objects.get(place)
        if held is not None and revision_of(held) <= revision:
            self._swap(place, held, None)

    def passed(self, revision: int) -> None:
        """The watch has told everything up to this revision."""
        self._seen = max(self._seen, revision)

    def listing_begins(self) -> None:
        """Deletions that have returned before a listing begins are not in it: it makes their tombstones superfluous."""
        self._fading |= self._tombstones
        self._tombstones = set()

    async def replace(self, items: Sequence[ObjectT], revision: int) -> None:
        """Take a whole listing; what is no longer in it is gone, and handlers hear of that too."""
        went_back = revision < self._seen  # a listing is never older than what the watch told, unless the server lost its past
        self._fading = set()
        listed: set[Place] = set()
        for count, obj in enumerate(items, 1):
            meta = obj.metadata
            place = (meta.namespace, meta.name)
            listed.add(place)
            held = self._objects.get(place)
            if went_back and held is not None and held.metadata.resource_version != meta.resource_version:
                self._swap(place, held, obj)
            else:
                self._take(obj, revision_of(obj))
            if count % _TURN == 0:
                await asyncio.sleep(0)
        for place, held in tuple(self._objects.items()):
            # A held object newer than the listing is an own write that the watch has yet to tell.
            if place not in listed and (went_back or revision_of(held) <= revision):
                self._swap(place, held, None)
        self._seen = revision
        self._synced.set()

    # What we did ourselves.

    def wrote(self, obj: ObjectT) -> None:
        """An own write has returned this object."""
        revision = revision_of(obj)
        if revision <= self._seen:
            return
        meta = obj.metadata
        held = self._objects.get((meta.namespace, meta.name))
        if held is not None and held.metadata.uid != meta.uid and revision_of(held) < revision:
            self._tombstones.add(held.metadata.uid)  # its deletion is still to be told, and what is told before is past
        self._take(obj, revision)

    def deleted(self, key: Key, uid: str) -> None:
        """An own deletion has removed the object with this uid."""
        if not uid:
            return  # without the uid it may be about an earlier object of that name; the watch will tell
        if uid not in self._told_gone:
            self._tombstones.add(uid)
        held = self._objects.get(key)
        if held is not None and held.metadata.uid == uid:
            self._swap(key, held, None)

    def _take(self, obj: ObjectT, revision: int) -> None:
        meta = obj.metadata
        if meta.uid in self._tombstones or meta.uid in self._fading:
            return
        place = (meta.namespace, meta.name)
        held = self._objects.get(place)
        if held is None or revision_of(held) < revision:
            self._swap(place, held, obj)

    def _swap(self, place: Place, old: ObjectT | None, new: ObjectT | None) -> None:
        if old is not None and new is not None and old.metadata.uid != new.metadata.uid:
            # Another object under the same name: nobody may take it for the old one, changed.
            self._swap(place, old, None)
            old = None
        if new is None:
            del self._objects[place]
        else:
            self._objects[place] = new
        for index in self._indexes.values():
            if old is None and new is not None:
                index.file(place, new)
            elif old is not None and new is not None:
                index.refile(place, old, new)
            elif old is not None:
                index.remove(place, old)
        change = Change(old, new)
        for handler in self._handlers:
            self._tell(handler, change)

    def _tell(self, handler: Handler, change: Change[ObjectT]) -> None:
        try:
            handler(change)
        except Exception as failure:  # noqa: BLE001 - a handler's mistake is its own; the watch and the other handlers go on
            self._failed(f"a handler of {self.type.__name__} {key_of(change.object)}", failure)

    def _failed(self, what: str, failure: Exception) -> None:
        self._on_failure()
        log.error("%s failed: %r", what, failure)
        log.debug("%s failed", what, exc_info=failure)
