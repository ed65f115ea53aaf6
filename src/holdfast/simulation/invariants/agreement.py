"""At rest every ask has its verdict, and every verdict its ask."""

from typing import ClassVar

from holdfast.simulation.invariant import Broken, Invariant
from holdfast.simulation.past import Past
from holdfast.simulation.recorded_books import disagreements


class Agreement(Invariant):
    promise: ClassVar[str] = "asks and grants agree at rest"

    def at_rest(self, past: Past) -> Broken:
        for books in past.books.values():
            for line in disagreements(books):
                yield f"DiskSchedule {books.namespace}/{books.uuid}", line
