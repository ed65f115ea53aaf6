"""A replica counts its placements: one more with every assignment, never fewer, and none once it is being deleted."""

from typing import Any, ClassVar

from holdfast.simulation.invariant import REPLICA, Broken, Invariant, subject
from holdfast.simulation.past import Past, uid_of
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import Document, part, text_in
from holdfast.simulation.recorded_limit import placement_of


class Placement(Invariant):
    promise: ClassVar[str] = "placements are counted"
    kinds: ClassVar[frozenset[str]] = frozenset({REPLICA})

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        after = revision.object
        if before is None or revision.type == "DELETED" or uid_of(before) != uid_of(after):
            return
        old, new = placement_of(before), placement_of(after)
        if not old:
            return  # it was placed by somebody who does not count, or never
        moved = f"from {_place(before)} to {_place(after)}"
        is_moved = _place(before) != _place(after) and bool(text_in(part(after, "spec"), "diskID"))
        if new not in ({old + 1} if is_moved else {old, old + 1}):
            yield subject(after), f"placement {new} after {old}, {moved}"
        elif new != old and before["metadata"].get("deletionTimestamp"):
            yield subject(after), f"placed while it was being deleted, {moved}"


def _place(replica: Document) -> str:
    spec = part(replica, "spec")
    return f"{text_in(spec, 'diskID') or 'no disk'} of {text_in(spec, 'nodeID') or 'no node'}"
