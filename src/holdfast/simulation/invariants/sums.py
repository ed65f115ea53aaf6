"""The sum that others read the room of a disk from is the sum of its grants."""

from typing import Any, ClassVar

from holdfast.simulation.invariant import DISK_SCHEDULE, Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.record import Revision

_LARGEST = 2**63 - 1


class Sums(Invariant):
    promise: ClassVar[str] = "storageScheduled is the sum of the grants"
    kinds: ClassVar[frozenset[str]] = frozenset({DISK_SCHEDULE})

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        books = past.books.get(revision.key)
        if books is not None and books.has_status and min(books.total, _LARGEST) != books.told_sum:
            yield subject(revision.object), f"grants make {books.total}, storageScheduled is {books.told_sum}"
