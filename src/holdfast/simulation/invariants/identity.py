"""An object is itself as long as it lives: one uid, one time of creation; and what was deleted does not come back under its uid."""

from typing import Any, ClassVar

from holdfast.simulation.invariant import Broken, Invariant, subject
from holdfast.simulation.past import Past, uid_of
from holdfast.simulation.record import Revision


class Identity(Invariant):
    promise: ClassVar[str] = "an object stays itself"

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        obj, uid = revision.object, uid_of(revision.object)
        if before is not None and revision.type == "ADDED":
            yield subject(obj), "it was made while it was there"
        if before is not None and uid_of(before) != uid:
            yield subject(obj), f"uid {uid} after {uid_of(before)}, and nobody deleted it"
        elif before is not None and before["metadata"].get("creationTimestamp") != obj["metadata"].get("creationTimestamp"):
            yield (
                subject(obj),
                f"created at {obj['metadata'].get('creationTimestamp')}, before that at {before['metadata'].get('creationTimestamp')}",
            )
        if revision.type == "DELETED":
            return
        bearer = past.bearer(uid)
        if bearer is not None and bearer != revision.key:
            yield subject(obj), f"its uid {uid} is that of {bearer[0].rpartition('/')[2]} {bearer[2]}"
        if before is None and past.has_ended(uid):
            yield subject(obj), f"uid {uid} was deleted before"
