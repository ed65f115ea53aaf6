"""The settings used, their defaults, and what their texts may be.

A value is plain (``100``) or JSON per data engine (``{"v1":"100","v2":"100"}``, of which v1 counts). A bad value is refused
with a sentence that says which, why, and what is used instead.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType

import msgspec
from msgspec import Struct

Value = int | float | str

OVER_PROVISIONING = "storage-over-provisioning-percentage"
MINIMAL_AVAILABLE = "storage-minimal-available-percentage"
LIMIT = "disk-schedule-limit"
AGING = "disk-schedule-aging"
ORPHAN_GRACE = "disk-schedule-orphan-grace"

MOST_OVER_PROVISIONING = 1_000_000
"""Ten thousand times the disk: above that it is a slip of the hand."""
LONGEST = 365 * 24 * 3600
"""A year, in seconds."""

_LONGEST_QUOTE = 40


class Problem(Struct, frozen=True, gc=False):
    """A refused value."""

    setting: str
    words: str


class Definition(Struct, frozen=True):
    """One setting: what it takes when nobody says otherwise, and what texts it takes."""

    name: str
    default: Value
    default_text: str
    needed: str
    """What a text must be, in words."""
    bound: str
    """What a number must be, where the text is one that is too big."""
    parse: Callable[[str], Value | None]
    """The value of a text, or None for a bad one."""


def read(name: str, text: str) -> Value | Problem:
    """The value that a text gives the setting of this name, or why it is refused."""
    definition = USED[name]
    plain = _of_first_engine(text)
    value = None if plain is None else definition.parse(plain)
    if value is not None:
        return value
    quoted = text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "..."
    is_number = plain is not None and plain.isascii() and plain.isdecimal()
    needed = definition.bound if is_number else definition.needed
    words = f"{name} is {msgspec.json.encode(quoted).decode()}: {needed} is needed; the default {definition.default_text} is used"
    return Problem(name, words)


def duration(text: str) -> float | None:
    """Seconds of ``600``, ``10m`` or ``1h30m`` (as Go writes durations); None for anything else, also when longer than a year."""
    if not text.isascii() or len(text) > 40:
        return None
    if text.isdecimal():
        seconds = Decimal(text)
    elif _DURATION.fullmatch(text):
        seconds = sum((Decimal(number) * _UNITS[unit] for number, unit in _PART.findall(text)), Decimal(0))
    else:
        return None
    return float(seconds) if seconds <= LONGEST else None


_UNITS = {"h": Decimal(3600), "m": Decimal(60), "s": Decimal(1), "ms": Decimal("1e-3"), "us": Decimal("1e-6"), "ns": Decimal("1e-9")}
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(h|ms|m|us|ns|s)")
_DURATION = re.compile(rf"(?:{_PART.pattern})+")


def _of_first_engine(text: str) -> str | None:
    """The text itself, or that of data engine v1 where the text is JSON per engine."""
    text = text.strip()
    if not text.startswith("{"):
        return text
    try:
        engines = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    value = engines.get("v1")
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _whole(largest: int) -> Callable[[str], int | None]:
    def parse(text: str) -> int | None:
        if not (text.isascii() and text.isdecimal() and len(text) <= 19):
            return None
        number = int(text)
        return number if number <= largest else None

    return parse


def _percentage(name: str, default: int, needed: str, largest: int) -> Definition:
    return Definition(name, default, str(default), needed, f"a whole number from 0 to {largest}", _whole(largest))


def _choice(name: str, default: str, *others: str) -> Definition:
    words = (default, *others)
    needed = f"one of {', '.join(words[:-1])} and {words[-1]}"
    return Definition(name, default, default, needed, needed, lambda text: text if text in words else None)


def _time(name: str, default: float, default_text: str) -> Definition:
    needed = "a number of seconds, or a time like 10m or 1h30m, up to a year"
    return Definition(name, default, default_text, needed, needed, duration)


USED: Mapping[str, Definition] = MappingProxyType(
    {
        definition.name: definition
        for definition in (
            _percentage(OVER_PROVISIONING, 100, "a whole number from 0 up", MOST_OVER_PROVISIONING),
            _percentage(MINIMAL_AVAILABLE, 25, "a whole number from 0 to 100", 100),
            _choice(LIMIT, "written-aware", "storage-available", "longhorn"),
            _time(AGING, 600, "10m"),
            _time(ORPHAN_GRACE, 600, "10m"),
        )
    }
)
"""Every setting that the ledger reads, by name."""
