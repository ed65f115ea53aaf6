"""Who is owned by whom, by uid: an index over all committed objects, kept with every change."""

from collections.abc import Iterable

from holdfast.embedded.entries import Entry, Key
from holdfast.embedded.history import Event
from holdfast.embedded.store import Store


class Dependents:
    """From an owner's uid to the objects that name it, and from a uid to its object."""

    def __init__(self, store: Store) -> None:
        self._keys: dict[str, Key] = {}
        self._of: dict[str, set[Key]] = {}
        for _, collection in store.by_resource():
            for key, entry in collection.entries.items():
                self._add(key, entry)

    def of(self, uid: str) -> tuple[Key, ...]:
        return tuple(sorted(self._of.get(uid, ())))

    def key_of(self, uid: str) -> Key | None:
        return self._keys.get(uid)

    def follow(self, events: Iterable[Event]) -> None:
        for event in events:
            if event.before is not None:
                self._drop(event.key, event.before)
            if event.type != "DELETED":
                self._add(event.key, event.entry)

    def _add(self, key: Key, entry: Entry) -> None:
        self._keys[entry.facts.uid] = key
        for owner in entry.facts.owner_references or ():
            self._of.setdefault(owner.uid, set()).add(key)

    def _drop(self, key: Key, entry: Entry) -> None:
        self._keys.pop(entry.facts.uid, None)
        for owner in entry.facts.owner_references or ():
            keys = self._of.get(owner.uid)
            if keys is not None:
                keys.discard(key)
                if not keys:
                    del self._of[owner.uid]
