"""At rest nothing lives whose owners are all gone.

An owner counts by its uid. One of a kind that the record does not tell of can not be judged, and counts as there.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from holdfast.simulation.invariant import Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.recorded_books import text_in


class Owners(Invariant):
    promise: ClassVar[str] = "nothing outlives its owners"

    def at_rest(self, past: Past) -> Broken:
        for obj in past.everything():
            owners = obj["metadata"].get("ownerReferences")
            if owners and not obj["metadata"].get("deletionTimestamp") and all(_is_gone(owner, past) for owner in owners):
                names = ", ".join(f"{text_in(owner, 'kind')} {text_in(owner, 'name')} ({text_in(owner, 'uid')})" for owner in owners)
                yield subject(obj), f"it lives, and its owners are gone: {names}"


def _is_gone(owner: Mapping[str, Any], past: Past) -> bool:
    uid = text_in(owner, "uid")
    if past.bearer(uid) is not None:
        return False
    return past.has_ended(uid) or (past.is_whole and past.has_seen(f"{text_in(owner, 'apiVersion')}/{text_in(owner, 'kind')}"))
