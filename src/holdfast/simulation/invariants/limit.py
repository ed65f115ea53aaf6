"""A revision that adds or grows a grant keeps the sums within every rule, computed again from the revisions that it names."""

from typing import Any, ClassVar

from holdfast.simulation.invariant import DISK_SCHEDULE, Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import grown
from holdfast.simulation.recorded_limit import NotToldError, basis_named, broken_rules, closed_because, shares


class WithinTheLimit(Invariant):
    promise: ClassVar[str] = "within the limit"
    kinds: ClassVar[frozenset[str]] = frozenset({DISK_SCHEDULE})

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        books = past.books.get(revision.key)
        growing = grown(past.former_books, books) if books is not None else []
        if books is None or not growing:
            return
        who = f"{', '.join(map(str, growing))} grew"
        try:
            basis = basis_named(books, past)
        except NotToldError as lack:
            if lack.is_broken:
                yield subject(revision.object), f"{who}: {lack}"
            return
        if closed := closed_because(books, basis.node):
            yield subject(revision.object), f"{who}: {closed}"
            return
        for numbers in broken_rules(books, basis, shares(books, past)):
            yield subject(revision.object), f"{who}: {numbers}"
