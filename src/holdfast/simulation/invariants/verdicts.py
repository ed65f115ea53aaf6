"""A verdict is on what stands: right after a status was written, the books agree.

Status is written under the resourceVersion of what it was decided on, so whatever was asked at that moment is decided in it. A
verdict that fits older asks was written without that guard.
"""

from typing import Any, ClassVar

from holdfast.simulation.invariant import DISK_SCHEDULE, Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import disagreements


class Verdicts(Invariant):
    promise: ClassVar[str] = "a verdict is on what stands"
    kinds: ClassVar[frozenset[str]] = frozenset({DISK_SCHEDULE})

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        if revision.type == "DELETED" or before is None or before.get("status") == revision.object.get("status"):
            return
        for line in disagreements(past.books[revision.key]):
            yield subject(revision.object), line
