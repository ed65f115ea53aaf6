"""Why a field is refused, in the words that Kubernetes uses.

People, scripts and kubectl know these texts, so they are the same to the letter: values are quoted and numbers are written as
Go writes them.
"""

import math
from decimal import Decimal
from typing import Any

from holdfast.api.errors import StatusCause
from holdfast.api.struct import encode

#: The path of the whole object, where Go prints a nil path.
NOWHERE = "<nil>"

#: Go could not have read the value.
WRONG_TYPE = "FieldValueTypeInvalid"
_WORDS = {
    "FieldValueRequired": "Required value",
    "FieldValueInvalid": "Invalid value",
    WRONG_TYPE: "Invalid value",
    "FieldValueNotSupported": "Unsupported value",
    "FieldValueDuplicate": "Duplicate value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueTooLong": "Too long",
    "FieldValueTooMany": "Too many",
}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def required(field: str, detail: str = "") -> StatusCause:
    return _cause("FieldValueRequired", field, "", detail)


def forbidden(field: str, detail: str) -> StatusCause:
    return _cause("FieldValueForbidden", field, "", detail)


def invalid(field: str, value: Any, detail: str) -> StatusCause:
    return _cause("FieldValueInvalid", field, printed(value), detail)


def type_invalid(field: str, value: Any, detail: str) -> StatusCause:
    return _cause(WRONG_TYPE, field, printed(value), detail)


def duplicate(field: str, value: Any) -> StatusCause:
    return _cause("FieldValueDuplicate", field, printed(value), "")


def not_supported(field: str, value: Any, supported: list[Any] | tuple[Any, ...]) -> StatusCause:
    names = ", ".join(quoted(item if isinstance(item, str) else compact(item)) for item in supported)
    return _cause("FieldValueNotSupported", field, printed(value), f"supported values: {names}" if names else "")


def too_long(field: str, limit: int) -> StatusCause:
    return _cause("FieldValueTooLong", field, "", f"may not be more than {limit} {'byte' if limit == 1 else 'bytes'}")


def too_many(field: str, actual: int, limit: int) -> StatusCause:
    return _cause("FieldValueTooMany", field, str(actual), f"must have at most {limit} {'item' if limit == 1 else 'items'}")


def _cause(reason: str, field: str, value: str, detail: str) -> StatusCause:
    return StatusCause(reason=reason, field=field, message=": ".join(part for part in (_WORDS[reason], value, detail) if part))


def line(cause: StatusCause) -> str:
    """``field: message``, as in the message of a Status."""
    return f"{cause.field}: {cause.message}"


def summary(causes: list[StatusCause]) -> str:
    """Several refusals in one text: ``[a: ..., b: ...]``; one stands alone."""
    lines = list(dict.fromkeys(line(cause) for cause in causes))
    return lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]"


def printed(value: Any) -> str:
    """A value as it stands in a refusal."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int):
        return str(value) if -(2**63) <= value < 2**63 else number(float(value))
    return compact(value)


def compact(value: Any) -> str:
    """JSON with sorted keys, as Go marshals a map."""
    return encode(_sorted(value)).decode()


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_sorted(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(value)
    return value


def quoted(text: str) -> str:
    """Go's ``%q``."""
    return '"' + "".join(_ESCAPES.get(char) or (char if char == " " or char.isprintable() else _escape(char)) for char in text) + '"'


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def number(value: float) -> str:
    """Go's ``%v`` of a float64: shortest digits, with an exponent below 1e-4 and from 1e6 on."""
    if math.isinf(value) or math.isnan(value):
        return {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, "NaN")
    _, digits, scale = Decimal(repr(value)).normalize().as_tuple()
    exponent = len(digits) - 1 + int(scale)
    if value == 0 or -4 <= exponent < 6:
        return f"{Decimal(repr(value)).normalize():f}"
    tail = f".{''.join(map(str, digits[1:]))}" if len(digits) > 1 else ""
    return f"{'-' if value < 0 else ''}{digits[0]}{tail}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
