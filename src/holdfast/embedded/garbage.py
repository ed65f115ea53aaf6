"""Garbage collection by owners: an object whose last owner is gone, goes.

Decided like Kubernetes': an owner is *solid* when it exists (kind, name and uid agree), *absent* when it does not, and *waiting*
when it is being deleted in the foreground, that is after its dependents. An owner of a kind that is not served here can not be
judged and counts as solid.

``foregroundDeletion``: the owner waits until no dependent that blocks it is left. ``orphan``: its dependents are told that it is
not their owner any more, then it goes. The collector is level-triggered: looking at an object twice does no harm.
"""

from collections.abc import Sequence

from holdfast.api.errors import Forbidden
from holdfast.embedded.chores import Chores
from holdfast.embedded.deletion import FOREGROUND, ORPHAN, delete
from holdfast.embedded.dependents import Dependents
from holdfast.embedded.entries import Entry, Facts, Key, Owner
from holdfast.embedded.history import Event
from holdfast.embedded.options import DeleteOptions
from holdfast.embedded.resources import Registry, Resource
from holdfast.embedded.store import Store, Write
from holdfast.embedded.writing import Outcome, Writing


class Garbage:
    """Looks at what changed, and at what depends on it."""

    def __init__(self, store: Store, registry: Registry, writing: Writing) -> None:
        self._store = store
        self._registry = registry
        self._writing = writing
        self._dependents = Dependents(store)
        self._chores: Chores[Key] = Chores(store)
        for _, collection in store.by_resource():
            self._chores.add(*(key for key, entry in collection.entries.items() if _concerns_us(entry.facts)))

    async def run(self) -> None:
        await self._chores.work(self.look_at)

    def follow(self, events: Sequence[Event]) -> None:
        self._dependents.follow(events)
        for event in events:
            if event.type == "DELETED":
                self._chores.add(*self._dependents.of(event.entry.facts.uid))
            elif _concerns_us(event.entry.facts):
                self._chores.add(event.key)
            for owner in _owners(event.before) + _owners(event.entry):
                # An owner that waits for its dependents may wait no longer.
                if (key := self._dependents.key_of(owner.uid)) is not None:
                    self._chores.add(key)

    def look_at(self, key: Key) -> Sequence[Write]:
        entry = self._store.newest(key)
        resource = next((resource for resource in self._registry.kept() if resource.id == key.resource), None)
        if entry is None or resource is None:
            return ()
        facts = entry.facts
        if not facts.is_deleting:
            return self._collect(resource, key, entry)
        if ORPHAN in (facts.finalizers or ()):
            return self._orphan_dependents(resource, key, entry)
        if FOREGROUND in (facts.finalizers or ()):
            return self._wait_for_dependents(resource, key, entry)
        return ()

    def _collect(self, resource: Resource, key: Key, entry: Entry) -> Sequence[Write]:
        owners = entry.facts.owner_references or ()
        states = {owner.uid: self._state_of(key, owner) for owner in owners}
        if not owners:
            return ()
        if "solid" in states.values():
            lost = {uid for uid, state in states.items() if state != "solid"}
            return self._without_owners(resource, key, entry, lost) if lost else ()
        policy = "Background"
        if "waiting" in states.values() and (mine := self._living(entry.facts.uid)):
            policy = "Foreground"
            if any(FOREGROUND in (dependent.facts.finalizers or ()) for _, dependent in mine):
                # A circle: everybody in it would wait for everybody else.
                return [*self._unblocked(resource, key, entry), *self._delete(resource, key, policy)]
        elif ORPHAN in (entry.facts.finalizers or ()):
            policy = "Orphan"
        elif FOREGROUND in (entry.facts.finalizers or ()):
            policy = "Foreground"
        return self._delete(resource, key, policy)

    def _state_of(self, key: Key, owner: Owner) -> str:
        group = owner.api_version.rpartition("/")[0]
        resource = self._registry.of_kind(group, owner.kind)
        if resource is None or (resource.namespaced and not key.namespace):
            return "solid"
        found = self._store.newest(Key(resource.id, key.namespace if resource.namespaced else "", owner.name))
        if found is None or found.facts.uid != owner.uid:
            return "absent"
        return "waiting" if found.facts.is_deleting and FOREGROUND in (found.facts.finalizers or ()) else "solid"

    def _wait_for_dependents(self, resource: Resource, key: Key, entry: Entry) -> Sequence[Write]:
        dependents = self._living(entry.facts.uid)
        self._chores.add(*(dependent for dependent, found in dependents if not found.facts.is_deleting))
        if any(_blocks(found, entry.facts.uid) and not self._waits_for(key, dependent) for dependent, found in dependents):
            return ()
        return self._without_finalizer(resource, key, entry, FOREGROUND)

    def _waits_for(self, owner: Key, dependent: Key) -> bool:
        """Whether the dependent waits for the owner in its turn, over however many others: in a circle everybody would wait for ever."""
        met: set[Key] = set()
        ahead = [dependent]
        while ahead:
            key = ahead.pop()
            if key == owner:
                return True
            entry = self._store.newest(key)
            if key in met or entry is None or not entry.facts.is_deleting or FOREGROUND not in (entry.facts.finalizers or ()):
                continue
            met.add(key)
            ahead += [its for its, found in self._living(entry.facts.uid) if _blocks(found, entry.facts.uid)]
        return False

    def _orphan_dependents(self, resource: Resource, key: Key, entry: Entry) -> Sequence[Write]:
        writes: list[Write] = []
        for dependent, found in self._living(entry.facts.uid):
            kind = next((kept for kept in self._registry.kept() if kept.id == dependent.resource), None)
            if kind is not None:
                writes.extend(self._without_owners(kind, dependent, found, {entry.facts.uid}))
        # Queued behind them: the owner goes only when they have been told.
        return [*writes, *self._without_finalizer(resource, key, entry, ORPHAN)]

    def _living(self, uid: str) -> list[tuple[Key, Entry]]:
        # Also those that are on their way: an owner that does not wait for them would be told of as gone before them.
        keys = dict.fromkeys((*self._dependents.of(uid), *(key for key, entry in self._store.coming() if _names(entry, uid))))
        return [(key, entry) for key in keys if (entry := self._store.newest(key)) is not None and _names(entry, uid)]

    def _without_owners(self, resource: Resource, key: Key, entry: Entry, lost: set[str]) -> Sequence[Write]:
        obj = entry.object()
        metadata = obj["metadata"]
        owners = [owner for owner in metadata.pop("ownerReferences", ()) if owner["uid"] not in lost]
        if owners:
            metadata["ownerReferences"] = owners
        return _writes(self._writing.amend(resource, key, entry, obj))

    def _without_finalizer(self, resource: Resource, key: Key, entry: Entry, finalizer: str) -> Sequence[Write]:
        obj = entry.object()
        metadata = obj["metadata"]
        rest = [name for name in metadata.pop("finalizers", ()) if name != finalizer]
        if rest:
            metadata["finalizers"] = rest
        return _writes(self._writing.amend(resource, key, entry, obj))

    def _unblocked(self, resource: Resource, key: Key, entry: Entry) -> Sequence[Write]:
        obj = entry.object()
        for owner in obj["metadata"]["ownerReferences"]:
            owner["blockOwnerDeletion"] = False
        return _writes(self._writing.amend(resource, key, entry, obj))

    def _delete(self, resource: Resource, key: Key, policy: str) -> Sequence[Write]:
        try:
            return _writes(delete(self._writing, resource, key, DeleteOptions(policy=policy)))
        except Forbidden:
            # One of those that always stay.
            return ()


def _concerns_us(facts: Facts) -> bool:
    return bool(facts.owner_references) or (facts.is_deleting and bool({FOREGROUND, ORPHAN} & set(facts.finalizers or ())))


def _owners(entry: Entry | None) -> tuple[Owner, ...]:
    return (entry.facts.owner_references or ()) if entry is not None else ()


def _names(entry: Entry, uid: str) -> bool:
    return any(owner.uid == uid for owner in entry.facts.owner_references or ())


def _blocks(entry: Entry, uid: str) -> bool:
    return any(owner.uid == uid and owner.block_owner_deletion for owner in entry.facts.owner_references or ())


def _writes(outcome: Outcome) -> Sequence[Write]:
    return () if outcome.write is None else (outcome.write,)
