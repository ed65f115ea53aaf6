"""The books of a disk vanish only when nothing stands in them."""

from typing import Any, ClassVar

from holdfast.simulation.invariant import DISK_SCHEDULE, Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import Books


class OrderlyEnd(Invariant):
    promise: ClassVar[str] = "books end empty"
    kinds: ClassVar[frozenset[str]] = frozenset({DISK_SCHEDULE})

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        if revision.type == "DELETED" and (left := Books(revision.object).names):
            yield subject(revision.object), f"gone with {', '.join(sorted(left))}"
