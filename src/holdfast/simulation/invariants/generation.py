"""The generation counts what was wanted: one more when the content changes or the end begins, and never with a status."""

from typing import Any, ClassVar

from holdfast.simulation.invariant import BACKING_IMAGE, DISK_SCHEDULE, NODE, REPLICA, SETTING, Broken, Invariant, subject
from holdfast.simulation.past import Past, uid_of
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import Document, whole

_APART = frozenset({"metadata", "status"})


class Generation(Invariant):
    promise: ClassVar[str] = "the generation counts"
    kinds: ClassVar[frozenset[str]] = frozenset({NODE, DISK_SCHEDULE, SETTING, REPLICA, BACKING_IMAGE})

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        obj = revision.object
        if before is None or revision.type == "DELETED" or uid_of(before) != uid_of(obj):
            return
        then, now = whole(before["metadata"].get("generation")), whole(obj["metadata"].get("generation"))
        is_changed = _content(before) != _content(obj)
        ends = bool(obj["metadata"].get("deletionTimestamp")) and not before["metadata"].get("deletionTimestamp")
        if now != then + is_changed + ends:
            what = " and ".join([*(["the content changed"] if is_changed else []), *(["the end began"] if ends else [])])
            yield subject(obj), f"generation {now} after {then}, and {what or 'the content is the same'}"


def _content(obj: Document) -> Document:
    return {key: value for key, value in obj.items() if key not in _APART}
