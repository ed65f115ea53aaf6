"""An ask that stands is overwritten only by a newer intent of the same object.

A late writer that finds nothing may still ask for what is past: that ask is dead, and swept. But over an ask that stands no token
falls, and no other uid takes its place.
"""

from typing import Any, ClassVar

from holdfast.simulation.invariant import DISK_SCHEDULE, Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.record import Revision


class Tokens(Invariant):
    promise: ClassVar[str] = "tokens rise"
    kinds: ClassVar[frozenset[str]] = frozenset({DISK_SCHEDULE})

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        former, books = past.former_books, past.books.get(revision.key)
        if former is None or books is None:
            return
        for key, stood in former.asks.items():
            stands = books.asks.get(key)
            if stands is None or stands.text == stood.text or not stood.text or (books.uuid, key.name) in past.by_hand:
                continue
            old, new = stood.token, stands.token
            if new.uid != old.uid:
                yield subject(revision.object), f"{key}: {stands.text!r} took the place of {stood.text!r}, another's"
            elif new.placement < old.placement or new.epoch < old.epoch:
                yield subject(revision.object), f"{key}: {stands.text!r} after {stood.text!r}"
