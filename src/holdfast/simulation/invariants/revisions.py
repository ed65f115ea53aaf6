"""Revisions rise, one to a change, and every object carries its own."""

from typing import Any, ClassVar

from holdfast.simulation.invariant import Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.record import Revision


class Revisions(Invariant):
    promise: ClassVar[str] = "revisions rise"

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        if revision.revision <= past.former_newest:
            yield subject(revision.object), f"after revision {past.former_newest}"
        version = revision.object["metadata"].get("resourceVersion")
        if version != str(revision.revision):
            yield subject(revision.object), f"it carries resourceVersion {version!r}"
