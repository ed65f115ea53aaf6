"""The base of every wire type.

A wire struct declares only the fields that we use: msgspec skips the rest without building objects. Structs are frozen and
untracked by the collector, so caches can share them between controllers and hold thousands without pauses.

Two habits of Go are met here, once, for all types:

- Go writes ``null`` for a nil map, list or time. A field that has a default takes ``null`` for that default.
- Go spells acronyms in capitals: ``node_id`` is ``nodeID`` on the wire, ``disk_uuid`` is ``diskUUID``.

A partial struct is read only: it must never be sent with PUT. Writes are patches (see ``api.merge_patch``).
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, ClassVar, TypeVar

import msgspec
from msgspec import NODEFAULT, Struct, StructMeta
from msgspec.structs import fields, force_setattr

T = TypeVar("T")

_ACRONYMS = {
    "id": "ID",
    "uuid": "UUID",
    "ip": "IP",
    "ips": "IPs",
    "url": "URL",
    "uid": "UID",
    "crd": "CRD",
    "api": "API",
    "ca": "CA",
    "cidr": "CIDR",
}


def wire_name(field: str) -> str:
    """The JSON name of a Python field, spelled as Kubernetes and Longhorn spell it."""
    first, *rest = field.rstrip("_").split("_")
    return first + "".join(_ACRONYMS.get(word, word.capitalize()) for word in rest)


class _NullTolerant(StructMeta):
    """Declares every field that has a default as ``| None``, for msgspec only: type checkers see what the author wrote."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> "_NullTolerant":
        annotations = namespace.get("__annotations__", {})
        looked_at = [field for base in bases for field in getattr(base, "__struct_fields__", ()) if field not in annotations]
        for field, annotation in annotations.items():
            if field in namespace and not _is_class_variable(annotation):
                annotations[field] = f"({annotation}) | None" if isinstance(annotation, str) else annotation | None
                if namespace[field] is not None:
                    looked_at.append(field)
        namespace["__post_init__"] = _null_check(looked_at)
        habits: dict[str, Any] = {"frozen": True, "gc": False, "omit_defaults": True, "kw_only": True, "rename": wire_name}
        return super().__new__(cls, name, bases, namespace, **(habits | options))


def _is_class_variable(annotation: object) -> bool:
    return "ClassVar" in str(annotation)


def _null_check(names: list[str]) -> Callable[["Wire"], None]:
    """A ``__post_init__`` that looks at these fields, written out: it runs for every struct that is decoded, and a search costs more."""
    looks = " or ".join(f"self.{name} is None" for name in names) or "False"
    made: dict[str, Any] = {"mend": _without_nulls}
    exec(f"def __post_init__(self):\n    if {looks}:\n        mend(self)", made)  # noqa: S102 - of names of fields in our own classes
    check: Callable[[Wire], None] = made["__post_init__"]
    return check


def _without_nulls(value: "Wire") -> None:
    for field, fallback in _fallbacks(type(value)):
        if getattr(value, field) is None:
            force_setattr(value, field, fallback())


class Wire(Struct, metaclass=_NullTolerant):
    """A value that travels as a JSON object."""

    #: True for a type that declares every field of its wire form: only then may a list of it be replaced whole by a patch.
    complete: ClassVar[bool] = False


@cache
def _fallbacks(cls: type[Wire]) -> tuple[tuple[str, Callable[[], object]], ...]:
    """What stands in for a null, by field: the default, where that is not None itself."""
    found: list[tuple[str, Callable[[], object]]] = []
    for field in fields(cls):
        if field.default_factory is not NODEFAULT:
            found.append((field.name, field.default_factory))
        elif field.default is not NODEFAULT and field.default is not None:
            found.append((field.name, partial(_itself, field.default)))
    return tuple(found)


def _itself(value: object) -> object:
    return value


class Int64(int):
    """A whole number that travels as a string of decimal digits, because its Go tag says so (``json:",string"``)."""

    __slots__ = ()


def _decode_own(expected: type, value: object) -> object:
    if expected is Int64:
        if isinstance(value, str) and len(value) <= 20 and value.removeprefix("-").isdecimal() and value.isascii():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63:
            return Int64(value)
        raise ValueError(f"Expected a string of decimal digits within 64 bits, got {value!r:.60}")
    raise NotImplementedError


def _encode_own(value: object) -> object:
    if isinstance(value, Int64):
        return str(int(value))
    raise NotImplementedError


_encoder = msgspec.json.Encoder(enc_hook=_encode_own)
_decoders: dict[type, msgspec.json.Decoder[Any]] = {}


def encode(value: object) -> bytes:
    """The JSON bytes of wire structs and builtins."""
    return _encoder.encode(value)


def decode(data: bytes, expected: type[T]) -> T:
    """The value that JSON bytes hold; raises ``msgspec.ValidationError`` or ``msgspec.DecodeError``."""
    try:
        return decoder(expected)(data)
    except RecursionError:
        raise msgspec.DecodeError("JSON is nested too deep") from None


def decoder(expected: type[T]) -> Callable[[bytes], T]:
    """``decode`` for one type, for loops that decode many."""
    known = _decoders.get(expected)
    if known is None:
        known = _decoders[expected] = msgspec.json.Decoder(expected, dec_hook=_decode_own)
    return known.decode


def to_builtins(value: object) -> Any:
    """Dicts, lists and scalars as they would travel: msgspec's own ``to_builtins`` would leave tuples and Int64 as they are."""
    return msgspec.json.decode(encode(value))


def from_builtins(value: object, expected: type[T]) -> T:
    return msgspec.convert(value, expected, dec_hook=_decode_own)
