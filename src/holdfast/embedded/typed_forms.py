"""How Go writes what it has read into a type: the form in which objects of Kubernetes' own kinds are kept.

Null is the same as absence, and within a map of texts the same as the empty text. What is empty is left out, but for a part that
is no pointer in Go: that is always there.
"""

import re
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from holdfast.api.errors import BadRequest

Object = dict[str, Any]

_MICRO_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}(Z|[+-][0-9]{2}:[0-9]{2})")
#: Fields behind a gate of kube-apiserver that is closed by default: they are dropped.
_GATED = ("strategy", "preferredHolder")


def without_nulls(obj: Object, known: Collection[str]) -> None:
    """Of the object itself; what is below has rules of its own, and of unknown fields the writer is told elsewhere."""
    for field in [field for field, value in obj.items() if value is None and field in known]:
        del obj[field]


def settle_texts(obj: Object, field: str) -> None:
    """A map of texts that may be left out."""
    found = obj.get(field)
    if isinstance(found, dict) and None in found.values():
        obj[field] = {key: "" if value is None else value for key, value in found.items()}
    elif found is None or found == {}:
        obj.pop(field, None)


def settle_lease(obj: Object, known: Collection[str]) -> None:
    """The spec of a Lease: always there, its times to the microsecond in UTC."""
    spec = dict(obj.get("spec") or {})
    for field in _GATED:
        if not isinstance(spec.pop(field, None), str | None):
            raise BadRequest(f"Lease can not be read: spec.{field} is a text")
    without_nulls(spec, known)
    for field in ("acquireTime", "renewTime"):
        if field in spec:
            spec[field] = _micro_time(field, spec[field])
    for field in ("leaseDurationSeconds", "leaseTransitions"):
        if isinstance(number := spec.get(field), int) and not -(2**31) <= number < 2**31:
            raise BadRequest(f"Lease can not be read: spec.{field} does not fit into 32 bits")
    obj["spec"] = spec


def _micro_time(field: str, text: Any) -> str:
    try:
        if isinstance(text, str) and _MICRO_TIME.fullmatch(text):
            return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    except (ValueError, OverflowError):
        pass
    raise BadRequest(f"Lease can not be read: spec.{field} is a time with six digits of its second, as 2006-01-02T15:04:05.000000Z")
