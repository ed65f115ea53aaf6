"""create and update: from an object that was read to a change that is queued.

Everything here runs in one step on the loop, from reading the newest state to queueing the change: no lock is needed, and what
was checked still holds when the change takes its place. The caller waits until it is durable before it tells anybody.
"""

from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from holdfast.api.json_values import same
from holdfast.api.timestamps import timestamp
from holdfast.embedded import admission, naming, refusals
from holdfast.embedded import metadata as meta
from holdfast.embedded.entries import Entry, Key, encode
from holdfast.embedded.resources import Resource
from holdfast.embedded.schema import causes
from holdfast.embedded.store import Store, Write
from holdfast.process import Process

Object = dict[str, Any]
NAMESPACES = "namespaces"
_GENERATED_NAMES = 8


class Outcome(Struct, frozen=True):
    """What a write came to. Without ``write`` nothing changes: a dry run, or nothing to do."""

    entry: Entry
    write: Write | None = None
    is_removed: bool = False


class Writing:
    """The write path over one store."""

    def __init__(self, store: Store, process: Process) -> None:
        self.store = store
        self._process = process

    @property
    def now(self) -> float:
        return self._process.clock.now()

    def create(self, resource: Resource, obj: Object, *, dry_run: bool = False) -> Outcome:
        """Queue a new object; ``obj`` comes from ``admission.read_object`` and is used up."""
        metadata = obj["metadata"]
        if resource.is_ending:
            raise refusals.kind_ends(resource)
        self._check_namespace(resource, metadata)
        key = self._key_for(resource, metadata)
        version = metadata.get("resourceVersion", "")
        for field in ("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds"):
            metadata.pop(field, None)
        metadata["uid"] = self._process.randomness.uuid()
        metadata["creationTimestamp"] = _text_of_second(int(self.now))
        if resource.counts_generations:
            metadata["generation"] = 1
        if resource.has_status and not resource.rules.keeps_status_at_create:
            obj.pop("status", None)
        resource.rules.prepare(obj, None, now=self.now)
        obj["metadata"] = meta.in_order(metadata)
        admission.check(resource, obj, None)
        if version.strip("0").isdecimal() and not dry_run:
            raise refusals.unreadable("metadata.resourceVersion", "resourceVersion should not be set on objects to be created")
        if self.store.newest(key) is not None:
            raise refusals.already_exists(resource, key.name, was_generated="generateName" in metadata)
        if dry_run:
            if version:
                obj["metadata"]["resourceVersion"] = version
            return Outcome(Entry(0, encode(obj)))
        write = self.store.put(key, obj, over=None)
        return Outcome(write.event.entry, write)

    def _key_for(self, resource: Resource, metadata: Object) -> Key:
        namespace = metadata.get("namespace", "")
        if metadata.get("name"):
            return Key(resource.id, namespace, metadata["name"])
        if not metadata.get("generateName"):
            return Key(resource.id, namespace, "")  # refused in a moment, with whatever else is wrong with it
        for _ in range(_GENERATED_NAMES):
            metadata["name"] = naming.generated(metadata["generateName"], self._process.randomness.suffix())
            key = Key(resource.id, namespace, metadata["name"])
            if self.store.newest(key) is None:
                break
        return key

    def _check_namespace(self, resource: Resource, metadata: Object) -> None:
        if not resource.namespaced:
            return
        name, namespace = metadata.get("name") or metadata.get("generateName", ""), metadata["namespace"]
        found = self.store.newest(Key(NAMESPACES, "", namespace))
        if found is None:
            raise refusals.no_namespace(namespace)
        if found.facts.is_deleting:
            raise refusals.namespace_ends(resource, name, namespace)

    def update(
        self, resource: Resource, before: Entry, obj: Object, *, subresource: str = "", dry_run: bool = False, is_patch: bool = False
    ) -> Outcome:
        """Queue the next version of ``before``; ``obj`` comes from ``admission.read_object`` and is used up."""
        old = before.object()
        metadata, known = obj["metadata"], old["metadata"]
        key = Key(resource.id, known.get("namespace", ""), known["name"])
        # Who sends a whole object means the one that has this uid; a patch that writes another one is told that it may not.
        if not is_patch and metadata.get("uid", known["uid"]) != known["uid"]:
            raise refusals.wrong_uid(resource, key.name, metadata["uid"], known["uid"])
        self._check_version(resource, metadata, known)
        meta.carry_over(metadata, known)
        obj = _only_its_part(resource, obj, before, subresource)
        resource.rules.prepare(obj, old, now=self.now)
        obj["metadata"]["resourceVersion"] = known["resourceVersion"]
        admission.check(resource, obj, old, subresource)
        if resource.counts_generations and _is_of_a_new_generation(resource, obj, old):
            obj["metadata"]["generation"] = known.get("generation", 0) + 1
        obj["metadata"] = meta.in_order(obj["metadata"])
        if _is_same(obj, old):
            return Outcome(before)
        if may_go(resource, obj):
            seen = Entry(before.revision, encode(obj))
            # Who takes the last finalizer away is answered with what was there, without the revision of its end.
            return replace(self.remove(key, before.object(), over=before, dry_run=dry_run), entry=seen)
        if dry_run:
            return Outcome(Entry(before.revision, encode(obj)))
        write = self.store.put(key, obj, over=before)
        return Outcome(write.event.entry, write)

    def amend(self, resource: Resource, key: Key, before: Entry, obj: Object) -> Outcome:
        """Queue a change that the server makes by itself. It is not judged: an object must not be stuck because a rule is newer."""
        if may_go(resource, obj):
            return self.remove(key, before.object(), over=before)
        write = self.store.put(key, obj, over=before)
        return Outcome(write.event.entry, write)

    def remove(self, key: Key, obj: Object, *, over: Entry, dry_run: bool = False) -> Outcome:
        """Queue the end of an object; ``obj`` is how it is seen last."""
        if dry_run:
            return Outcome(over, is_removed=True)
        write = self.store.remove(key, obj, over=over)
        return Outcome(write.event.entry, write, is_removed=True)

    @staticmethod
    def _check_version(resource: Resource, metadata: Object, known: Object) -> None:
        given = metadata.get("resourceVersion")
        if given and given != "0":
            if given != known["resourceVersion"]:
                raise refusals.conflict(resource, known["name"])
        elif not resource.may_overwrite:
            cause = causes.invalid("metadata.resourceVersion", 0, "must be specified for an update")
            raise refusals.invalid(replace(resource, kind=resource.plural), known["name"], [cause])

    async def durable(self, outcome: Outcome) -> Outcome:
        """Wait until the outcome, and whatever it was decided on, is durable."""
        if outcome.write is None:
            await self.store.settled()
        else:
            await self.store.durable(outcome.write)
        return outcome


#: Most objects are made in the same second as the one before.
_text_of_second = lru_cache(maxsize=4)(timestamp)


def may_go(resource: Resource, obj: Object) -> bool:
    """Being deleted, and nothing holds it any more."""
    metadata = obj["metadata"]
    return bool(metadata.get("deletionTimestamp")) and not metadata.get("finalizers") and not resource.rules.is_held(obj)


def _only_its_part(resource: Resource, obj: Object, before: Entry, subresource: str) -> Object:
    """Each part of an object is written through its own path, and nothing else is written there."""
    # Read anew wherever the old object is built on: decoding is faster than copying.
    if subresource == "finalize":
        return _with(before.object(), "spec", obj)
    if subresource == "status":
        # A custom kind's status path writes the status alone; Kubernetes' own kinds take metadata there too.
        return _with(before.object() if resource.group else {**before.object(), "metadata": obj["metadata"]}, "status", obj)
    if resource.has_status:
        _with(obj, "status", before.object())
    if resource.id == NAMESPACES:
        _with(obj, "spec", before.object())
    return obj


def _with(obj: Object, part: str, source: Object) -> Object:
    if source.get(part) is None:
        obj.pop(part, None)
    else:
        obj[part] = source[part]
    return obj


def _is_of_a_new_generation(resource: Resource, obj: Object, old: Object) -> bool:
    apart = {"metadata", "status"} if resource.has_status else {"metadata"}
    new, known = ({field: item for field, item in some.items() if field not in apart} for some in (obj, old))
    return not _is_same(new, known)


def _is_same(one: Object, other: Object) -> bool:
    """``same``, in a hurry: what differs for Python differs, and what is written alike is the same. The rest is rare."""
    return one == other and (encode(one) == encode(other) or same(one, other))
