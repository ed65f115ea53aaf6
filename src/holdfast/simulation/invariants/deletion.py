"""Deletion goes one way: it is never taken back nor put off, waits for every finalizer, and gets no new ones.

The last finalizer and the object go in one write, so the record shows an object that was being deleted with what held it last. One
that was not being deleted shows none.
"""

from typing import Any, ClassVar

from holdfast.simulation.invariant import Broken, Invariant, subject
from holdfast.simulation.past import Past, uid_of
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import Document, text_in

#: The server itself adds them, when a deletion is asked for again with another policy.
_OF_THE_SERVER = frozenset({"foregroundDeletion", "orphan"})
#: They have other ways to wait: a namespace for its content, a pod for its grace.
_HELD_OTHERWISE = frozenset({"v1/Namespace", "v1/Pod"})


class Deletion(Invariant):
    promise: ClassVar[str] = "deletion goes one way"

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        obj, metadata = revision.object, revision.object["metadata"]
        if revision.type == "DELETED":
            if metadata.get("finalizers") and not metadata.get("deletionTimestamp"):
                yield subject(obj), f"gone with finalizers {', '.join(metadata['finalizers'])}, and was not being deleted"
            return
        if before is None or uid_of(before) != uid_of(obj):
            return
        then, now = text_in(before["metadata"], "deletionTimestamp"), text_in(metadata, "deletionTimestamp")
        if then and (not now or now > then):
            yield subject(obj), f"deletionTimestamp {then} became {now or 'none'}"
        added = set(metadata.get("finalizers") or ()) - set(before["metadata"].get("finalizers") or ()) - _OF_THE_SERVER
        if then and added:
            yield subject(obj), f"finalizers {', '.join(sorted(added))} were added while it was being deleted"

    def at_rest(self, past: Past) -> Broken:
        for obj in past.everything():
            if _has_nothing_left(obj):
                yield subject(obj), "it is being deleted, nothing holds it, and it lives"


def _has_nothing_left(obj: Document) -> bool:
    metadata = obj["metadata"]
    kind = f"{obj.get('apiVersion')}/{obj.get('kind')}"
    return bool(metadata.get("deletionTimestamp")) and not metadata.get("finalizers") and kind not in _HELD_OTHERWISE
