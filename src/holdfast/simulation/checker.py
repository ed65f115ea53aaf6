"""Reads a record of revisions and says where a promise was broken.

It shares no code with the deciders. What is promised stands in ``invariants/``, one promise a file; here they are only gone
through. Feed it revisions in their order, and ask ``at_rest`` once the world is quiet.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from msgspec import Struct

from holdfast.simulation.invariant import DISK_SCHEDULE, LONGHORN, Broken, Invariant
from holdfast.simulation.past import Past
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import disagreements, grown

_INVARIANTS = "holdfast.simulation.invariants"


class Violation(Struct, frozen=True):
    """A broken promise: which one, at which revision, on which object, with the numbers."""

    promise: str
    revision: int
    subject: str
    numbers: str

    def __str__(self) -> str:
        return f"revision {self.revision}: {self.subject}: {self.promise}: {self.numbers}"


class Checker:
    """Every invariant, and the past that they share."""

    def __init__(self) -> None:
        self.past = Past()
        self.grants_seen = 0
        self._invariants = [found() for found in invariants()]
        self._by_kind: dict[str, list[Invariant]] = {}

    def see(self, revision: Revision) -> list[Violation]:
        """The promises that this revision breaks."""
        past, key = self.past, revision.key
        kind, before = key[0], past.take(revision)
        if kind == DISK_SCHEDULE and (books := past.books.get(key)) is not None:
            self.grants_seen += len(grown(past.former_books, books))
        found: list[Violation] = []
        for each in self._concerned(kind):
            found += _violations(each, revision.revision, each.see(revision, before, past))
        return found

    def _concerned(self, kind: str) -> list[Invariant]:
        """Those that look at revisions of a kind: not those that only look at the end."""
        known = self._by_kind.get(kind)
        if known is None:
            known = [each for each in self._invariants if type(each).see is not Invariant.see and (not each.kinds or kind in each.kinds)]
            self._by_kind[kind] = known
        return known

    def check_all(self, revisions: Iterable[Revision]) -> list[Violation]:
        return [violation for revision in revisions for violation in self.see(revision)]

    def at_rest(self) -> list[Violation]:
        """The promises that are broken if nobody has anything left to do."""
        past = self.past
        return [found for each in self._invariants for found in _violations(each, past.newest, each.at_rest(past))]

    def objects(self, kind: str) -> list[dict[str, Any]]:
        """The objects of a Longhorn kind as they are after the last revision seen."""
        return list(self.past.all(f"{LONGHORN}/{kind}"))

    def disagreements(self) -> list[str]:
        """Where asks and grants differ, for a world that has come to rest."""
        return [f"{books.uuid}: {line}" for books in self.past.books.values() for line in disagreements(books)]


@cache
def invariants() -> tuple[type[Invariant], ...]:
    """Every invariant that lies in the folder, by the names of the files."""
    folder = importlib.import_module(_INVARIANTS)
    names = sorted(found.name for found in pkgutil.iter_modules(folder.__path__))
    return tuple(found for name in names for found in _in_module(f"{_INVARIANTS}.{name}"))


def _in_module(name: str) -> Iterator[type[Invariant]]:
    for found in vars(importlib.import_module(name)).values():
        if isinstance(found, type) and issubclass(found, Invariant) and found.__module__ == name:
            yield found


def _violations(invariant: Invariant, revision: int, broken: Broken) -> list[Violation]:
    return [Violation(invariant.promise, revision, subject, numbers) for subject, numbers in broken]
