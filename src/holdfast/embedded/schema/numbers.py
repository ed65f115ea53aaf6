"""Bounds of numbers. A bound of a schema is a float64 for Kubernetes; against an integer it is cut to one."""

import struct
from collections.abc import Callable
from typing import Any, Final

from holdfast.api.errors import StatusCause
from holdfast.embedded.schema import causes
from holdfast.embedded.schema.node import Node

_INT32: Final = range(-(2**31), 2**31)
_INT64: Final = range(-(2**63), 2**63)
_EXACT: Final = 2**53 - 1


def check(value: float, node: Node, where: str, path: str, field: str, add: Callable[[StatusCause], None]) -> None:
    """Range of the type, multipleOf, minimum and maximum of one number."""
    kind = node.types[0] if len(node.types) == 1 and node.types[0] in {"integer", "number"} else ""
    if not _in_range(value, kind, node.format):
        add(_out_of_range("Checked", kind, node.format, path))
    if node.multiple_of is not None:
        _check_multiple(value, node.multiple_of, kind, node, where, path, field, add)
    if node.minimum is not None:
        _check_bound(value, node.minimum, "Minimum", kind, node, where, path, field, add)
    if node.maximum is not None:
        _check_bound(value, node.maximum, "Maximum", kind, node, where, path, field, add)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and value in _INT64


def _in_range(value: float, kind: str, format_: str) -> bool:
    if kind == "integer":
        if isinstance(value, float) and not value.is_integer():
            return False
        return int(value) in (_INT32 if format_ == "int32" else _INT64)
    if kind == "number" and format_ == "float":
        try:
            struct.pack("<f", value)
        except OverflowError:
            return False
    return True


def _out_of_range(what: str, kind: str, format_: str, path: str) -> StatusCause:
    shape = f"with format {format_}" if format_ else "(default format)"
    return causes.invalid(causes.NOWHERE, "", f"{what} value must be of type {kind} {shape} in {path}")


def _check_multiple(
    value: float, factor: float, kind: str, node: Node, where: str, path: str, field: str, add: Callable[[StatusCause], None]
) -> None:
    number, limit = _comparable(value, factor, "MultipleOf", kind, node, path, add)
    if limit <= 0:
        add(causes.invalid(field, limit, f"factor MultipleOf declared for {path} must be positive: {causes.printed(limit)}"))
        return
    if isinstance(number, int) and isinstance(limit, int):
        fits = number % limit == 0
    else:
        quotient = 1 / limit * number if limit < 1 else number / limit
        fits = float(quotient).is_integer() and abs(quotient) <= _EXACT
    if not fits:
        add(causes.invalid(field, number, f"{where} should be a multiple of {causes.printed(limit)}"))


def _comparable(
    value: float, bound: float, what: str, kind: str, node: Node, path: str, add: Callable[[StatusCause], None]
) -> tuple[float, float]:
    """Value and bound as the same type: integers if the value is one and the bound suits the type of the field, else floats."""
    if not _in_range(float(bound), kind, node.format):
        add(_out_of_range(what, kind, node.format, path))
        return float(value), float(bound)
    return (value, int(bound)) if _is_int(value) else (float(value), float(bound))


def _check_bound(
    value: float, bound: float, side: str, kind: str, node: Node, where: str, path: str, field: str, add: Callable[[StatusCause], None]
) -> None:
    exclusive = node.exclusive_minimum if side == "Minimum" else node.exclusive_maximum
    number, limit = _comparable(value, bound, f"{side} boundary", kind, node, path, add)
    beyond = number < limit if side == "Minimum" else number > limit
    if beyond or (exclusive and number == limit):
        word = ("greater than" if side == "Minimum" else "less than") + ("" if exclusive else " or equal to")
        add(causes.invalid(field, number, f"{where} should be {word} {causes.printed(limit)}"))
