"""A lease changes hands only by a take-over or by a release, so nobody leads beside another.

Judged are the leases of elections of ours. They are told by their holder: the name of a process and ten letters that are its own,
new with every start. Other leases are signs of life, and lead nothing.
"""

import re
from typing import Any, ClassVar

from holdfast.api.timestamps import seconds_of
from holdfast.simulation.invariant import LEASE, Broken, Invariant, subject
from holdfast.simulation.past import Past, uid_of
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import Document, part, text_in, whole

_IS_OURS = re.compile(r".+_[bcdfghjklmnpqrstvwxz2456789]{10}").fullmatch


class Leadership(Invariant):
    promise: ClassVar[str] = "leaders do not meet"
    kinds: ClassVar[frozenset[str]] = frozenset({LEASE})

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        after = revision.object
        if before is None or revision.type == "DELETED" or uid_of(before) != uid_of(after):
            return
        then, now = _holder(before), _holder(after)
        if not (_IS_OURS(then) or _IS_OURS(now)):
            return
        count, counted = _transitions(before), _transitions(after)
        if counted < count:
            yield subject(after), f"leaseTransitions {counted} after {count}"
        elif now and now != then and counted == count:
            yield subject(after), f"{now} leads after {then or 'nobody'}, and leaseTransitions stays {count}"
        elif now == then and (fell := _fell(before, after)):
            yield subject(after), f"{now} renewed it back in time: {fell}"


def _holder(lease: Document) -> str:
    return text_in(part(lease, "spec"), "holderIdentity")


def _transitions(lease: Document) -> int:
    return whole(part(lease, "spec").get("leaseTransitions"))


def _fell(before: Document, after: Document) -> str:
    then, now = (text_in(part(lease, "spec"), "renewTime") for lease in (before, after))
    then_seconds, now_seconds = seconds_of(then), seconds_of(now)
    return f"{now} after {then}" if then_seconds is not None and now_seconds is not None and now_seconds < then_seconds else ""
