"""An ask of nobody is flagged at once, and gone soon after the grace.

How much time has passed is told by the Leases that were renewed meanwhile, each by the clock of its holder: the times in different
objects were written by different clocks. A record without Leases tells nothing of time.
"""

from typing import Any, ClassVar

from holdfast.simulation import recorded_settings as settings
from holdfast.simulation.invariant import DISK_SCHEDULE, SETTING, Broken, Invariant
from holdfast.simulation.past import Key, Past
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import AskKey, Books, text_in
from holdfast.simulation.recorded_limit import is_wanted

#: Clocks differ, and who sweeps may have to try again, in seconds.
_PATIENCE = 120.0


class Orphans(Invariant):
    promise: ClassVar[str] = "asks of nobody are swept"
    kinds: ClassVar[frozenset[str]] = frozenset({DISK_SCHEDULE})

    def __init__(self) -> None:
        self._flagged: dict[Key, dict[tuple[AskKey, str], float]] = {}
        """When each flag was first seen, by the time of the record; for one token of one ask."""

    def see(self, revision: Revision, before: dict[str, Any] | None, past: Past) -> Broken:
        known, books = self._flagged.pop(revision.key, {}), past.books.get(revision.key)
        flags = _flags(books) if books is not None else []
        if flags:
            self._flagged[revision.key] = {flag: known.get(flag, past.seconds) for flag in flags}
        yield from ()

    def at_rest(self, past: Past) -> Broken:
        for place, books in past.books.items():
            setting = past.find(SETTING, books.namespace, settings.ORPHAN_GRACE)
            grace = settings.seconds(text_in(setting or {}, "value"))
            flags, subject = self._flagged.get(place, {}), f"DiskSchedule {books.namespace}/{books.uuid}"
            for key, ask in books.asks.items():
                since, is_orphan = flags.get((key, ask.text)), not is_wanted(key, ask.token, books, past)
                if since is not None and past.seconds - since > grace + _PATIENCE:
                    numbers = f"flagged {past.seconds - since:.0f} s ago, the grace is {grace:.0f} s"
                    yield subject, f"{key}, {ask.bytes} bytes for {ask.text!r}, still stands: {numbers}"
                elif past.is_whole and is_orphan != (since is not None):
                    words = "nobody wants it and no flag says so" if is_orphan else "its object lives, and it is flagged as nobody's"
                    yield subject, f"{key}, {ask.bytes} bytes for {ask.text!r}: {words}"


def _flags(books: Books) -> list[tuple[AskKey, str]]:
    return [
        (key, grant.text)
        for key, grant in books.grants.items()
        if grant.orphaned_since and (ask := books.asks.get(key)) is not None and ask.text == grant.text
    ]
