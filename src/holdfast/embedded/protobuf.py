"""Bodies in Kubernetes' protobuf, which kubectl sends for some built-in kinds (``kubectl create configmap``) without asking.

Only reading, only the kinds that clients create like this, and only the fields that these kinds have here; answers are JSON, which
every client takes. Anything else is refused as a form that is not spoken.
"""

import base64
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from holdfast.api.errors import BadRequest, UnsupportedMediaType
from holdfast.api.timestamps import micro_timestamp, timestamp

CONTENT_TYPE: Final = "application/vnd.kubernetes.protobuf"
_MAGIC: Final = b"k8s\x00"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class Field(Struct, frozen=True):
    """How one field stands in JSON: a scalar kind, or a message; alone, in a list, or as the values of a map."""

    name: str
    kind: "str | dict[int, Field]" = "text"
    many: str = ""


Message = dict[int, Field]


def _texts(*names: str) -> Message:
    """A message of texts, numbered as they stand."""
    return {number: Field(name) for number, name in enumerate(names, 1)}


_OWNER: Final[Message] = {
    1: Field("kind"), 3: Field("name"), 4: Field("uid"), 5: Field("apiVersion"), 6: Field("controller", "flag"),
    7: Field("blockOwnerDeletion", "flag"),
}  # fmt: skip
_META: Final[Message] = {
    **_texts("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"),
    7: Field("generation", "number"), 8: Field("creationTimestamp", "time"), 9: Field("deletionTimestamp", "time"),
    10: Field("deletionGracePeriodSeconds", "number"), 11: Field("labels", many="map"), 12: Field("annotations", many="map"),
    13: Field("ownerReferences", _OWNER, "list"), 14: Field("finalizers", many="list"),
}  # fmt: skip
_REFERENCE: Final = _texts("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_OF_META: Final = Field("metadata", _META)
_KINDS: Final[dict[tuple[str, str], Message]] = {
    ("v1", "Namespace"): {
        1: _OF_META,
        2: Field("spec", {1: Field("finalizers", many="list")}),
        3: Field("status", {1: Field("phase")}),
    },
    ("v1", "ConfigMap"): {
        1: _OF_META, 2: Field("data", many="map"), 3: Field("binaryData", "bytes", "map"), 4: Field("immutable", "flag"),
    },
    ("v1", "Secret"): {
        1: _OF_META, 2: Field("data", "bytes", "map"), 3: Field("type"), 4: Field("stringData", many="map"), 5: Field("immutable", "flag"),
    },
    ("v1", "ServiceAccount"): {
        1: _OF_META, 2: Field("secrets", _REFERENCE, "list"), 3: Field("imagePullSecrets", _texts("name"), "list"),
        4: Field("automountServiceAccountToken", "flag"),
    },
    ("v1", "Event"): {
        1: _OF_META, 2: Field("involvedObject", _REFERENCE), 3: Field("reason"), 4: Field("message"),
        5: Field("source", _texts("component", "host")), 6: Field("firstTimestamp", "time"), 7: Field("lastTimestamp", "time"),
        8: Field("count", "number"), 9: Field("type"), 10: Field("eventTime", "fine time"),
        11: Field("series", {1: Field("count", "number"), 2: Field("lastObservedTime", "fine time")}), 12: Field("action"),
        13: Field("related", _REFERENCE), 14: Field("reportingComponent"), 15: Field("reportingInstance"),
    },
    ("coordination.k8s.io/v1", "Lease"): {
        1: _OF_META,
        2: Field("spec", {
            1: Field("holderIdentity"), 2: Field("leaseDurationSeconds", "number"), 3: Field("acquireTime", "fine time"),
            4: Field("renewTime", "fine time"), 5: Field("leaseTransitions", "number"), 6: Field("strategy"), 7: Field("preferredHolder"),
        }),
    },
    ("v1", "DeleteOptions"): {
        1: Field("gracePeriodSeconds", "number"), 2: Field("preconditions", _texts("uid", "resourceVersion")),
        3: Field("orphanDependents", "flag"), 4: Field("propagationPolicy"), 5: Field("dryRun", many="list"),
    },
}  # fmt: skip


def read(body: bytes) -> dict[str, Any]:
    """The object of a body, as its JSON would be. Raises ``BadRequest`` or ``UnsupportedMediaType``."""
    if not body.startswith(_MAGIC):
        raise BadRequest("the body of the request is not Kubernetes' protobuf: it does not begin with its mark")
    try:
        envelope = {number: value for number, _, value in _fields(memoryview(body)[len(_MAGIC) :])}
        named = {number: _text(value) for number, _, value in _fields(envelope.get(1, b""))}
        version, kind = named.get(1, ""), named.get(2, "")
        message = _KINDS.get((version, kind))
        if message is None:
            raise UnsupportedMediaType(
                f"{kind or 'an object'} of {version or 'no version'} is not taken as protobuf here; send application/json"
            )
        return {"apiVersion": version, "kind": kind, **_message(envelope.get(2, b""), message)}
    except (ValueError, IndexError, TypeError, OverflowError, OSError) as problem:
        raise BadRequest(f"couldn't read the body of the request as protobuf: {problem}") from None


def _fields(data: Any) -> Iterator[tuple[int, int, Any]]:
    """Number, wire type and value of each field; a value of bytes is a view."""
    view, place = memoryview(data), 0
    while place < len(view):
        tag, place = _varint(view, place)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, place = _varint(view, place)
            yield number, wire, value
            continue
        length = {_FIXED64: 8, _FIXED32: 4}.get(wire)
        if wire == _BYTES:
            length, place = _varint(view, place)
        if length is None or place + length > len(view):
            raise ValueError("a field ends beyond its message")
        yield number, wire, view[place : place + length]
        place += length


def _varint(view: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = view[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (2**64 - 1), place
        shift += 7
        if shift > 63:
            raise ValueError("a number is longer than 64 bits")


def _message(data: Any, message: Message) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, _, value in _fields(data):
        field = message.get(number)
        if field is None:
            continue
        if field.many == "map":
            entry = {inner: item for inner, _, item in _fields(value)}
            found.setdefault(field.name, {})[_text(entry.get(1, b""))] = _value(entry.get(2, b""), field)
        elif field.many == "list":
            found.setdefault(field.name, []).append(_value(value, field))
        else:
            single = _value(value, field)
            # Go writes the empty text and the zero for what is not set, unless it writes nothing at all.
            if single not in ("", None) and (single != 0 or isinstance(single, bool)):
                found[field.name] = single
    return found


def _text(value: Any) -> str:
    # by way of a view: bytes() of a number would make that many of them
    return bytes(memoryview(value)).decode()


def _value(value: Any, field: Field) -> Any:
    if isinstance(field.kind, dict):
        return _message(value, field.kind)
    if field.kind == "text":
        return _text(value)
    if field.kind == "bytes":
        return base64.b64encode(memoryview(value)).decode()
    if field.kind == "flag":
        return bool(value)
    if field.kind == "number":
        return value - 2**64 if value >= 2**63 else value
    return _time(value, is_fine=field.kind == "fine time")


def _time(data: Any, *, is_fine: bool) -> str | None:
    parts = {number: value - 2**64 if value >= 2**63 else value for number, _, value in _fields(data)}
    seconds, nanos = parts.get(1, 0), parts.get(2, 0)
    if not seconds and not nanos:
        return None
    return micro_timestamp(seconds + nanos / 1e9) if is_fine else timestamp(seconds)
