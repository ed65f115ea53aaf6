"""What the texts of Settings mean, read once more from their documentation and not with the deciders' code.

A text is plain (``100``) or JSON per data engine, of which v1 counts. One that is no value counts as the default.
"""

import re
from decimal import Decimal

import msgspec

OVER_PROVISIONING = "storage-over-provisioning-percentage"
MINIMAL_AVAILABLE = "storage-minimal-available-percentage"
LIMIT = "disk-schedule-limit"
AGING = "disk-schedule-aging"
ORPHAN_GRACE = "disk-schedule-orphan-grace"

#: The largest number that counts as a percentage, and the default.
_PERCENTAGES = {OVER_PROVISIONING: (1_000_000, 100), MINIMAL_AVAILABLE: (100, 25)}
_POLICIES = ("written-aware", "storage-available", "longhorn")
_YEAR = 365 * 24 * 3600
_TEN_MINUTES = 600.0
_DURATION = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:ms|us|ns|h|m|s))+")
_PIECES = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|us|ns|h|m|s)")
_SECONDS = {unit: Decimal(text) for unit, text in (("h", "3600"), ("m", "60"), ("s", "1"), ("ms", "1e-3"), ("us", "1e-6"), ("ns", "1e-9"))}


def percentage(name: str, text: str) -> int:
    most, default = _PERCENTAGES[name]
    plain = _plain(text)
    return int(plain) if plain.isascii() and plain.isdecimal() and len(plain) < 20 and int(plain) <= most else default


def policy(text: str) -> str:
    """Which rules make the limit."""
    plain = _plain(text)
    return plain if plain in _POLICIES else _POLICIES[0]


def seconds(text: str) -> float:
    """A time such as ``600``, ``10m`` or ``1h30m``, at most a year."""
    plain = _plain(text)
    if not plain.isascii() or len(plain) > 40:
        return _TEN_MINUTES
    if plain.isdecimal():
        found = Decimal(plain)
    elif _DURATION.fullmatch(plain):
        found = sum((Decimal(number) * _SECONDS[unit] for number, unit in _PIECES.findall(plain)), Decimal(0))
    else:
        return _TEN_MINUTES
    return float(found) if found <= _YEAR else _TEN_MINUTES


def _plain(text: str) -> str:
    text = text.strip()
    if not text.startswith("{"):
        return text
    try:
        value = msgspec.json.decode(text, type=dict[str, object]).get("v1")
    except (msgspec.MsgspecError, RecursionError):
        return ""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
