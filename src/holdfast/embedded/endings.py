"""Namespaces and custom kinds that end: first what is in them, then they themselves.

Nothing new comes in once the end has begun (the write path refuses it), so an empty look is the last one. Objects with finalizers
are marked and waited for; a namespace says in a condition what it waits for.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from holdfast.api.kinds import CUSTOM_RESOURCE_DEFINITION, NAMESPACE
from holdfast.api.timestamps import timestamp
from holdfast.embedded.built_in import KUBERNETES
from holdfast.embedded.chores import Chores
from holdfast.embedded.definitions import CLEANUP
from holdfast.embedded.deletion import delete
from holdfast.embedded.entries import Entry, Key
from holdfast.embedded.history import Event
from holdfast.embedded.options import DeleteOptions
from holdfast.embedded.resources import Registry, Resource
from holdfast.embedded.store import Store, Write
from holdfast.embedded.writing import Writing

_NAMESPACES = NAMESPACE.resource
_DEFINITIONS = CUSTOM_RESOURCE_DEFINITION.resource
_REMAINING = "NamespaceFinalizersRemaining"
_AT_ONCE = 256


class Endings:
    """Empties what ends, and lets it go when it is empty."""

    def __init__(self, store: Store, registry: Registry, writing: Writing) -> None:
        self._store = store
        self._registry = registry
        self._writing = writing
        self._chores: Chores[Key] = Chores(store)
        for resource in (_NAMESPACES, _DEFINITIONS):
            entries = store.collection(resource).entries
            self._chores.add(*(key for key, entry in entries.items() if entry.facts.is_deleting))

    async def run(self) -> None:
        await self._chores.work(self.look_at)

    def follow(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.type != "DELETED":
                if event.key.resource in {_NAMESPACES, _DEFINITIONS} and event.entry.facts.is_deleting:
                    self._chores.add(event.key)
                continue
            for holder in (Key(_NAMESPACES, "", event.key.namespace), Key(_DEFINITIONS, "", event.key.resource)):
                entry = self._store.committed(holder)
                if entry is not None and entry.facts.is_deleting:
                    self._chores.add(holder)

    def look_at(self, key: Key) -> Sequence[Write]:
        entry = self._store.newest(key)
        if entry is None or not entry.facts.is_deleting:
            return ()
        contents = [(resource, content, found) for resource, content in self._contents(key) if (found := self._store.newest(content))]
        writes: list[Write] = []
        for resource, content, found in contents:
            if found.facts.is_deleting:
                continue
            if len(writes) == _AT_ONCE:
                # The rest in another turn of the loop: requests are waiting.
                self._chores.add(key)
                return writes
            outcome = delete(self._writing, resource, content, DeleteOptions())
            writes += [] if outcome.write is None else [outcome.write]
        held = [left for _, content, _ in contents if (left := self._store.newest(content)) is not None]
        if held:
            return [*writes, *self._tell(key, entry, held)]
        return [*writes, *self._let_go(key, entry)]

    def _contents(self, key: Key) -> Iterable[tuple[Resource, Key]]:
        """What has to go first, being deleted or not."""
        for resource in self._registry.kept():
            if key.resource == _NAMESPACES and resource.namespaced:
                found = self._store.present(resource.id, key.name)
            elif key.resource == _DEFINITIONS and resource.id == key.name:
                found = self._store.present(resource.id)
            else:
                continue
            yield from ((resource, content) for content in found)

    def _let_go(self, key: Key, entry: Entry) -> Sequence[Write]:
        obj = entry.object()
        holds = obj["spec"] if key.resource == _NAMESPACES else obj["metadata"]
        name = KUBERNETES if key.resource == _NAMESPACES else CLEANUP
        if name not in holds.get("finalizers", ()):
            return ()
        holds["finalizers"] = [finalizer for finalizer in holds["finalizers"] if finalizer != name]
        resource = next(resource for resource in self._registry.kept() if resource.id == key.resource)
        outcome = self._writing.amend(resource, key, entry, obj)
        return () if outcome.write is None else [outcome.write]

    def _tell(self, key: Key, entry: Entry, held: Sequence[Entry]) -> Sequence[Write]:
        if key.resource != _NAMESPACES:
            return ()
        found: Counter[str] = Counter()
        for content in held:
            found.update(content.facts.finalizers or ())
        parts = ", ".join(f"{finalizer} in {number} resource instances" for finalizer, number in sorted(found.items()))
        message = f"Some content in the namespace has finalizers remaining: {parts}"
        obj = entry.object()
        status: dict[str, Any] = obj.setdefault("status", {})
        conditions = status.get("conditions") or []
        if any(condition.get("type") == _REMAINING and condition.get("message") == message for condition in conditions):
            return ()
        condition = {
            "type": _REMAINING,
            "status": "True",
            "lastTransitionTime": timestamp(self._writing.now),
            "reason": "SomeFinalizersRemain",
            "message": message,
        }
        status["conditions"] = [known for known in conditions if known.get("type") != _REMAINING] + [condition]
        return [self._store.put(key, obj, over=entry)]
