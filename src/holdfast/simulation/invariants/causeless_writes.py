"""Nobody writes what is written already: each such write wakes everybody who watches."""

from typing import Any, ClassVar

from holdfast.simulation.invariant import Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import Document

_OF_THE_WRITE = frozenset({"resourceVersion", "managedFields"})


class CauselessWrites(Invariant):
    promise: ClassVar[str] = "a write changes something"

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        after = revision.object
        if before is None or revision.type != "MODIFIED" or _about(before) != _about(after):
            return
        if {**before, "metadata": None} == {**after, "metadata": None}:
            yield subject(after), f"nothing but its revision differs from revision {before['metadata'].get('resourceVersion')}"


def _about(obj: Document) -> Document:
    return {key: value for key, value in obj["metadata"].items() if key not in _OF_THE_WRITE}
