"""A grant does not shrink below what is still asked: a replica may be running on it.

Another uid inherits nothing. A token that is missing names no uid, so the grant of an ask that an older writer made stays when
its token is added.
"""

from typing import Any, ClassVar

from holdfast.simulation.invariant import DISK_SCHEDULE, Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.record import Revision


class Sticky(Invariant):
    promise: ClassVar[str] = "a grant stays"
    kinds: ClassVar[frozenset[str]] = frozenset({DISK_SCHEDULE})

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        former, books = past.former_books, past.books.get(revision.key)
        if former is None or books is None:
            return
        for key, held in former.grants.items():
            ask, kept = books.asks.get(key), books.grants.get(key)
            if ask is None or (ask.text and held.text and ask.token.uid != held.token.uid):
                continue
            size = kept.size if kept is not None else 0
            if size < min(held.size, ask.bytes):
                yield subject(revision.object), f"{key} held {held.size}, asks {ask.bytes}, was cut to {size}"
