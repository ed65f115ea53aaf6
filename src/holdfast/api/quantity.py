"""Quantities: ``1536Mi``, ``500m``, ``1e3``. Exact numbers with the unit that their author thinks in.

A quantity is kept in billionths (nano), the finest that Kubernetes knows; what is finer is rounded away from zero, for who asks
for too little should not get nothing. It prints in canonical form: no fraction, the largest suffix that loses nothing, in the
family of suffixes that it was written in. A binary quantity that is under 1Ki, or no whole number of bytes, prints decimal. As
in Kubernetes, a quantity with a binary suffix is never more than 2^63-1; others are not capped, and print with an exponent
where the suffixes end.

Stricter than Kubernetes in two ways, against nonsense: there must be a digit, and exponents end at 99.
"""

import re
from enum import Enum

from msgspec import Struct

_NANOS = 10**9
_MOST_BINARY = (2**63 - 1) * _NANOS
_FORM = re.compile(r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?(?P<unit>[A-Za-z]{0,2}|[eE][+-]?[0-9]{1,20})")
_MOST_CHARACTERS = 128
_MOST_EXPONENT = 99

_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIX = {bits: suffix for suffix, bits in {"": 0, **_BINARY}.items()}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}


class Family(Enum):
    """The suffixes that a quantity prints with."""

    BINARY = "binary"
    """Ki, Mi, ...: powers of 1024."""
    DECIMAL = "decimal"
    """n, u, m, k, M, ...: powers of 1000."""
    EXPONENT = "exponent"
    """e3, e6, ...: powers of 1000."""


class Quantity(Struct, frozen=True, gc=False, eq=False):
    """A number with the family of suffixes that it prints with. Equal and ordered by the number alone."""

    nanos: int
    family: Family = Family.DECIMAL

    @classmethod
    def parse(cls, value: str | float) -> "Quantity":
        """Raises ValueError with one clear line. Numbers are taken as the text that JSON would write for them."""
        if isinstance(value, bool):
            raise ValueError(f"not a quantity: {value}")  # noqa: TRY004 - a bad document, not a bad call
        text = value if isinstance(value, str) else repr(value)
        match = _FORM.fullmatch(text) if len(text) <= _MOST_CHARACTERS else None
        if match is None or not (match["whole"] or match["fraction"]):
            raise ValueError(f"not a quantity: {text!r:.100} (expected a number such as 1.5, 100Gi, 250m or 1e3)")
        base, power, family = _unit(text, match["unit"])
        fraction = match["fraction"] or ""
        digits = int(match["whole"] + fraction)
        places = len(fraction) - 9
        nanos = min(_scaled(digits << power, -places), _MOST_BINARY) if base == 2 else _scaled(digits, power - places)
        return cls(-nanos if match["sign"] == "-" else nanos, family)

    @classmethod
    def of_bytes(cls, count: int) -> "Quantity":
        """A number of bytes, to be printed in binary units."""
        return cls(count * _NANOS, Family.BINARY)

    def whole(self) -> int:
        """The number rounded up to a whole one."""
        return -(-self.nanos // _NANOS)

    def __str__(self) -> str:
        if self.family is Family.BINARY and abs(self.nanos) >= 1024 * _NANOS and self.nanos % _NANOS == 0:
            return _in_steps(self.nanos // _NANOS, 0, 1024, 10, _BINARY_SUFFIX)
        if self.family is Family.EXPONENT:
            return _in_steps(self.nanos, -9, 1000, 3, None)
        return _in_steps(self.nanos, -9, 1000, 3, _DECIMAL_SUFFIX)

    def __eq__(self, other: object) -> bool:
        return self.nanos == other.nanos if isinstance(other, Quantity) else NotImplemented

    def __ne__(self, other: object) -> bool:
        # Struct has one of its own, which would win over the one that Python makes of __eq__.
        return not self == other

    def __lt__(self, other: "Quantity") -> bool:
        return self.nanos < other.nanos if isinstance(other, Quantity) else NotImplemented

    def __le__(self, other: "Quantity") -> bool:
        return self.nanos <= other.nanos if isinstance(other, Quantity) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.nanos)

    def __bool__(self) -> bool:
        return self.nanos != 0

    def __add__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.nanos + other.nanos, (self if self.nanos else other).family)

    def __sub__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.nanos - other.nanos, (self if self.nanos else other).family)

    def __neg__(self) -> "Quantity":
        return Quantity(-self.nanos, self.family)


def _unit(text: str, unit: str) -> tuple[int, int, Family]:
    """What a suffix multiplies by, as a base and its power."""
    if unit in _BINARY:
        return 2, _BINARY[unit], Family.BINARY
    if unit in _DECIMAL:
        return 10, _DECIMAL[unit], Family.DECIMAL
    if len(unit) > 1 and unit[0] in "eE" and unit[-1].isdigit():
        exponent = int(unit[1:])
        if abs(exponent) > _MOST_EXPONENT:
            raise ValueError(f"not a quantity: {text!r:.100} (the exponent must be within -{_MOST_EXPONENT} and {_MOST_EXPONENT})")
        return 10, exponent, Family.EXPONENT
    raise ValueError(f"not a quantity: {text!r:.100} (unknown suffix {unit!r}; known are n u m k M G T P E, Ki Mi Gi Ti Pi Ei, and e3)")


def _scaled(digits: int, power: int) -> int:
    """``digits`` times ten to the power, rounded up."""
    ten: int = 10 ** abs(power)
    return digits * ten if power >= 0 else -(-digits // ten)


def _in_steps(number: int, exponent: int, step: int, width: int, suffixes: dict[int, str] | None) -> str:
    """The number with the largest suffix that keeps it whole; with an exponent where no suffix is large enough."""
    if number == 0:
        return "0"
    while number % step == 0 and (suffixes is not _BINARY_SUFFIX or exponent < 60):
        number, exponent = number // step, exponent + width
    if suffixes is not None and exponent in suffixes:
        return f"{number}{suffixes[exponent]}"
    return f"{number}e{exponent}" if exponent else str(number)
