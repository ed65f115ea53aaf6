"""Nothing is in the store without a cause, and nothing is there twice.

Looked at when all is over and every answer is known: each mark came up as often as its call may say, every end was wanted by
somebody or is what the rules of owners ask for, and what the server changed by itself is what only a server may change.
"""

from collections.abc import Iterator
from typing import Final

from holdfast.simulation import store_writes
from holdfast.simulation.store_calls import Call
from holdfast.simulation.store_chronicle import (
    HOLD,
    NAMESPACES,
    Changed,
    Chronicle,
    Document,
    Key,
    finalizers_of,
    is_deleting,
    mark_of,
    owner_key,
    owners_of,
    subject,
    version_of,
)

Broken = Iterator[tuple[str, str, str]]
"""A promise, on what it was broken, and the numbers."""

AS_OFTEN: Final = "a call takes place as often as its answer says"
CAUSE: Final = "nothing changes without a cause"
COLLECTED: Final = "the collector takes only what has no living owner"
HELD: Final = "a finalizer holds what is being deleted"
ORPHANED: Final = "orphans are told before their owner goes"

FOREGROUND: Final = "foregroundDeletion"
ORPHAN: Final = "orphan"


def causes(calls: list[Call], chronicle: Chronicle) -> Broken:
    """All of it."""
    yield from _marks(calls, chronicle)
    by_key: dict[Key, list[Call]] = {}
    for call in calls:
        if call.verb not in {"get", "list", "create"} and call.may_have_written:
            by_key.setdefault(call.key, []).append(call)
    judge = _Judge(by_key, chronicle)
    for change in chronicle.changes:
        for promise, numbers in judge.judged(change):
            yield promise, subject(change.key), numbers


def _marks(calls: list[Call], chronicle: Chronicle) -> Broken:
    known = {call.mark for call in calls}
    for mark in chronicle.marks():
        if mark not in known:
            yield CAUSE, mark, "nobody ever sent this"
    for call in calls:
        changes = chronicle.introduced(call.mark) if call.mark else []
        if not call.may_have_written and changes:
            yield (
                AS_OFTEN,
                subject(call.key),
                f"{call} was refused or meant as a trial ({call.status}), and is there at {changes[0].revision}",
            )
        elif len(changes) > 1:
            yield AS_OFTEN, subject(call.key), f"{call} is there twice, at {changes[0].revision} and {changes[1].revision}"
        for change in changes:
            for promise, numbers in store_writes.built_on(call, change):
                yield promise, subject(call.key), numbers


class _Judge:
    def __init__(self, calls: dict[Key, list[Call]], chronicle: Chronicle) -> None:
        self._calls = calls
        self._chronicle = chronicle

    def judged(self, change: Changed) -> Iterator[tuple[str, str]]:
        before, after = change.before, change.after
        if before is None:
            if not mark_of(after):
                yield CAUSE, f"revision {change.revision} made it, and no call did"
            return
        if (after is None or is_deleting(after)) and not is_deleting(before):
            yield from self._begins_to_end(change, before)
        if after is None:
            yield from self._ends(change, before)
        elif mark_of(after) == mark_of(before):
            yield from self._edited_by_server(change, before, after)

    # ---- ends ---------------------------------------------------------------------------------------------------------------

    def _begins_to_end(self, change: Changed, before: Document) -> Iterator[tuple[str, str]]:
        if self._is_wanted(change, before) or self._space_ends(change):
            return
        owners, state = owners_of(before), change.revision - 1
        if not owners:
            yield CAUSE, f"revision {change.revision} deletes version {version_of(before)}, and nobody asked for it"
        for owner in owners:
            if self._is_solid(owner, change.key[1], state):
                yield (
                    COLLECTED,
                    f"revision {change.revision} deletes it, and its owner {owner['kind']} {owner['name']} ({owner['uid']}) lives",
                )

    def _is_wanted(self, change: Changed, before: Document) -> bool:
        resource, namespace, _ = change.key
        mine = [call for call in self._calls.get(change.key, ()) if call.verb == "delete"]
        for call in (*mine, *self._calls.get((resource, namespace, ""), ())):
            fits = call.version in {"", version_of(before)} and call.uid in {"", before["metadata"]["uid"]}
            if call.spans(change.revision) and fits:
                return True
        return False

    def _space_ends(self, change: Changed) -> bool:
        return bool(change.key[1]) and is_deleting(self._chronicle.at((NAMESPACES.resource, "", change.key[1]), change.revision - 1))

    def _is_solid(self, owner: Document, namespace: str, revision: int) -> bool:
        """Whether an owner is there, and does not wait for its dependents to go first."""
        found = self._chronicle.at(owner_key(owner, namespace), revision)
        if found is None or found["metadata"]["uid"] != owner["uid"]:
            return False
        return not (is_deleting(found) and FOREGROUND in finalizers_of(found))

    def _ends(self, change: Changed, before: Document) -> Iterator[tuple[str, str]]:
        if change.key[0] == NAMESPACES.resource:
            left = [key for key in self._chronicle.everything(change.revision - 1) if key[1] == change.key[2]]
            if left:
                yield HELD, f"the namespace went at {change.revision} with {', '.join(map(subject, left))} in it"
            return
        names = finalizers_of(before)
        if HOLD in names and not self._is_let_go(change):
            yield HELD, f"revision {change.revision} deletes version {version_of(before)}, which {HOLD} holds"
        if is_deleting(before) and not self._is_let_go(change):
            yield from self._server_lets_go(change, before, names)

    def _is_let_go(self, change: Changed) -> bool:
        """Whether somebody took finalizers away just then."""
        return any(
            call.verb in {"update", "patch", "test"} and call.spans(change.revision) and _drops_finalizers(call)
            for call in self._calls.get(change.key, ())
        )

    # ---- what the server does by itself -------------------------------------------------------------------------------------

    def _edited_by_server(self, change: Changed, before: Document, after: Document) -> Iterator[tuple[str, str]]:
        if change.key[0] == NAMESPACES.resource:
            return
        if _without_bookkeeping(before) != _without_bookkeeping(after):
            yield CAUSE, f"revision {change.revision} changed more than a server may: {before} became {after}"
        lost, won = finalizers_of(before) - finalizers_of(after), finalizers_of(after) - finalizers_of(before)
        if HOLD in lost or won - {FOREGROUND, ORPHAN}:
            yield CAUSE, f"revision {change.revision} changed finalizers: lost {sorted(lost)}, won {sorted(won)}"
        # A deletion that is asked for again, with another policy, takes the one back and may set the other.
        if not self._is_wanted(change, before):
            yield from self._server_lets_go(change, before, lost)
        yield from self._owners_edited(change, before, after)

    def _server_lets_go(self, change: Changed, before: Document, lost: frozenset[str]) -> Iterator[tuple[str, str]]:
        if self._is_wanted(change, before) or not is_deleting(before):
            return
        uid, present = before["metadata"]["uid"], self._chronicle.everything(change.revision - 1)
        dependents = _dependents(change.key, uid, present)
        if FOREGROUND in lost:
            for key, blocks in dependents:
                if blocks and not _is_in_a_circle(key, change.key, present):
                    yield HELD, f"revision {change.revision} ends the wait for its dependents, and {subject(key)} is there"
        if ORPHAN in lost:
            since = self._began(change)
            for key, _ in dependents:
                if any(owner["uid"] == uid for owner in owners_of(self._chronicle.at(key, since))):
                    yield ORPHANED, f"revision {change.revision} lets it go, and {subject(key)} has it as its owner since before {since}"

    def _began(self, change: Changed) -> int:
        """When it got the finalizer that it loses now."""
        revision, obj = change.revision, change.before
        while obj is not None and ORPHAN in finalizers_of(obj):
            revision = int(version_of(obj))
            obj = self._chronicle.at(change.key, revision - 1)
        return revision

    def _owners_edited(self, change: Changed, before: Document, after: Document) -> Iterator[tuple[str, str]]:
        kept = {owner["uid"] for owner in owners_of(after)}
        for owner in owners_of(before):
            if owner["uid"] in kept:
                continue
            found = self._chronicle.at(owner_key(owner, change.key[1]), change.revision - 1)
            is_let_go = found is not None and ORPHAN in finalizers_of(found) and is_deleting(found)
            if self._is_solid(owner, change.key[1], change.revision - 1) and not is_let_go:
                yield COLLECTED, f"revision {change.revision} takes its owner {owner['kind']} {owner['name']} from it, who lives"


def _dependents(key: Key, uid: str, present: dict[Key, Document]) -> list[tuple[Key, bool]]:
    """Who names it as an owner, and whether its end has to wait for that."""
    owned = ((each, owner) for each, obj in present.items() for owner in owners_of(obj) if owner["uid"] == uid)
    return [(each, bool(owner.get("blockOwnerDeletion"))) for each, owner in owned if owner_key(owner, each[1]) == key]


def _is_in_a_circle(key: Key, owner: Key, present: dict[Key, Document]) -> bool:
    """Whether its owner is among those that it waits for itself: then somebody has to go first."""
    reached: set[Key] = set()
    new = {key}
    while new:
        reached |= new
        waiting = [each for each in new if is_deleting(present[each]) and FOREGROUND in finalizers_of(present[each])]
        new = {its for each in waiting for its, blocks in _dependents(each, present[each]["metadata"]["uid"], present) if blocks} - reached
    return owner in reached


def _drops_finalizers(call: Call) -> bool:
    if call.sent is not None:
        return HOLD not in (call.sent["metadata"].get("finalizers") or ())
    return any(path[-1] == "finalizers" and HOLD not in (value or ()) for path, value in call.changes)


def _without_bookkeeping(obj: Document) -> Document:
    apart = {"resourceVersion", "generation", "finalizers", "ownerReferences", "deletionTimestamp", "deletionGracePeriodSeconds"}
    return {**obj, "metadata": {name: value for name, value in obj["metadata"].items() if name not in apart}}
