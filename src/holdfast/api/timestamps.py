"""Times as Kubernetes writes them: RFC 3339 in UTC, to the second (objects) or the microsecond (leases, events)."""

import re
from datetime import UTC, datetime

_RFC_3339 = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})")


def timestamp(seconds: float) -> str:
    """``2006-01-02T15:04:05Z`` for seconds since the epoch."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_timestamp(seconds: float) -> str:
    """``2006-01-02T15:04:05.000000Z``, the form of Lease times."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def is_time(text: str) -> bool:
    """Whether a text is an RFC 3339 time."""
    try:
        return bool(_RFC_3339.fullmatch(text) and datetime.fromisoformat(text))
    except ValueError:
        return False


def seconds_of(text: str) -> float | None:
    """Seconds since the epoch, or None for a text that is no RFC 3339 time, and for Go's unset time (empty, or the year 1)."""
    if not _RFC_3339.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.timestamp() if moment.year > 1 else None
