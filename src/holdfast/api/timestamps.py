"""Times as Kubernetes writes them: RFC 3339 in UTC, to the second (objects) or the microsecond (leases, events)."""

from datetime import UTC, datetime


def timestamp(seconds: float) -> str:
    """``2006-01-02T15:04:05Z`` for seconds since the epoch."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_timestamp(seconds: float) -> str:
    """``2006-01-02T15:04:05.000000Z``, the form of Lease times."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def seconds_of(text: str) -> float | None:
    """Seconds since the epoch, or None for a text that is no RFC 3339 time (also for the empty one, Go's unset time)."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo else None
