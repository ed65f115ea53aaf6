"""Which JSON value is what, as Kubernetes sees it after its own decoding.

A whole number outside of 64 bits is a float there, ``true`` is no number, and 1 equals 1.0.
"""

from decimal import Decimal
from typing import Any, Final

_INT64: Final = range(-(2**63), 2**63)
#: The whole numbers that a float64 holds exactly; only those pass for integers when written as floats.
_EXACT: Final = 2**53 - 1
#: From here on Go writes floats with an exponent.
_LONG: Final = 1e21


def type_of(value: Any) -> tuple[str, str]:
    """The JSON type of a value and the format that Go's type for it has."""
    if isinstance(value, bool):
        return "boolean", ""
    if isinstance(value, str):
        return "string", ""
    if isinstance(value, int):
        return ("integer", "int64") if value in _INT64 else ("number", "float64")
    if isinstance(value, float):
        return "number", "float64"
    return ("array" if isinstance(value, list) else "object"), ""


def is_integral(value: Any) -> bool:
    """Whether a float may stand for an integer."""
    return isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT


def same(left: Any, right: Any) -> bool:
    """Equality of JSON values: true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right) and isinstance(left, str) == isinstance(right, str)


def settle_numbers(value: Any) -> None:
    """Write whole floats as Go does, in place: ``1e3`` is kept and given back as 1000."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        kind = type(item)
        if kind is dict or kind is list:
            settle_numbers(item)
        elif kind is float and item.is_integer() and abs(item) < _LONG:
            value[key] = int(Decimal(repr(item)))  # the shortest digits that mean it, and then zeros
