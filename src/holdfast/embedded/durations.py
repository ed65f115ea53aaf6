"""How long ago something was, in the two or three figures that kubectl shows."""

from holdfast.api.timestamps import seconds_of

_MINUTE, _HOUR, _DAY, _YEAR = 60, 3600, 86400, 365 * 86400


def age(timestamp: object, now: float) -> str:
    """``5m``, ``3d4h`` since an RFC 3339 time; ``<unknown>`` when there is none."""
    moment = seconds_of(timestamp) if isinstance(timestamp, str) and timestamp else None
    return "<unknown>" if moment is None else human_duration(now - moment)


def human_duration(seconds: float) -> str:
    """A duration for people. A moment slightly ahead of the clock counts as now."""
    whole = int(seconds)
    if whole < -1:
        return "<invalid>"
    if whole < 2 * _MINUTE:
        return f"{max(whole, 0)}s"
    if whole < 10 * _MINUTE:
        return _two(whole, _MINUTE, "m", 1, "s")
    if whole < 3 * _HOUR:
        return f"{whole // _MINUTE}m"
    if whole < 8 * _HOUR:
        return _two(whole, _HOUR, "h", _MINUTE, "m")
    if whole < 2 * _DAY:
        return f"{whole // _HOUR}h"
    if whole < 8 * _DAY:
        return _two(whole, _DAY, "d", _HOUR, "h")
    if whole < 2 * _YEAR:
        return f"{whole // _DAY}d"
    if whole < 8 * _YEAR:
        return _two(whole, _YEAR, "y", _DAY, "d")
    return f"{whole // _YEAR}y"


def _two(seconds: int, large: int, large_name: str, small: int, small_name: str) -> str:
    rest = seconds % large // small
    return f"{seconds // large}{large_name}" + (f"{rest}{small_name}" if rest else "")
