"""Leases as seen from a distance: whether a holder lives is told by whether its record changes, and for how long it has not.

The times that a record holds are somebody else's wall clock; nobody compares them with his own. What counts is the local,
monotonic moment at which a change of the record was last observed. A renewal must therefore really change the record, also when
the wall clock stands still or was set back: ``renewal_time`` sees to it.
"""

from holdfast.api.core import Lease
from holdfast.api.timestamps import micro_timestamp, seconds_of

_STEP = 0.001


def renewal_time(now: float, previous: str = "") -> str:
    """A renewTime that differs from the previous one and is later."""
    before = seconds_of(previous)
    return micro_timestamp(now if before is None or now > before else before + _STEP)


class Observed:
    """What was last seen of one record, and since when it has been so."""

    def __init__(self) -> None:
        self._seen: tuple[str, str] | None = None
        self.since = float("-inf")

    def see(self, lease: Lease, now: float) -> bool:
        """Take note; True when the record has changed."""
        seen = (lease.metadata.uid, lease.metadata.resource_version)
        if seen == self._seen:
            return False
        self._seen = seen
        self.since = now
        return True
