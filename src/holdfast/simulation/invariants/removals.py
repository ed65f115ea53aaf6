"""An ask that may be running on its grant is never taken away.

Whoever removes an ask, or sets it to 0 bytes, has one of these reasons: nobody wants it any more (its object is gone, came back as
another, or was placed anew), its object is being deleted and does not run, or the disk had refused it whole. An ask without a
token was written by hand, and by hand it may go.
"""

from typing import Any, ClassVar

from holdfast.simulation.invariant import BACKING_IMAGE, DISK_SCHEDULE, REPLICA, Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import REPLICAS, Ask, AskKey, Books, part, text_in
from holdfast.simulation.recorded_limit import is_wanted

_RUNNING = frozenset({"running", "starting", "stopping"})


class Removals(Invariant):
    promise: ClassVar[str] = "an ask is removed with a reason"
    kinds: ClassVar[frozenset[str]] = frozenset({DISK_SCHEDULE})

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        former, books = past.former_books, past.books.get(revision.key)
        if former is None or books is None:
            return
        for key, stood in former.asks.items():
            if key not in books.asks and stood.text and (why := _still_needed(key, stood, former, past)):
                yield subject(revision.object), f"{key}, {stood.bytes} bytes for {stood.text}, was removed: {why}"


def _still_needed(key: AskKey, stood: Ask, former: Books, past: Past) -> str:
    """Why the ask should have stayed; empty when it might go."""
    verdict = former.grants.get(key)
    if (former.uuid, key.name) in past.by_hand:
        return ""
    if verdict is not None and verdict.is_refused and not verdict.size and verdict.text == stood.text:
        return ""
    if not is_wanted(key, stood.token, former, past):
        return ""
    found = past.find(REPLICA if key.side == REPLICAS else BACKING_IMAGE, former.namespace, key.name) or {"metadata": {}}
    if found["metadata"].get("deletionTimestamp"):
        state = text_in(part(found, "status"), "currentState")
        return f"its object is being deleted and is still {state}" if state in _RUNNING else ""
    if key.side != REPLICAS and former.uuid not in part(part(found, "spec"), "diskFileSpecMap"):
        return ""  # the image wants no copy here
    told = "there was no verdict" if verdict is None else f"the verdict was {verdict.state} with {verdict.size} for {verdict.text!r}"
    return f"its object lives and {told}"
