"""A revision in one line: what it is, and of a disk's books what is asked and granted in them."""

from collections.abc import Iterator
from typing import Any

from holdfast.simulation.record import Revision

_VERBS = {"ADDED": "created", "MODIFIED": "changed", "DELETED": "gone"}


def in_words(revision: Revision) -> str:
    kind, _, name = revision.key
    said = f"version {revision.revision}: {kind.rpartition('/')[2]} {name} {_VERBS[revision.type]}"
    detail = ", ".join(_details(kind.rpartition("/")[2], revision.object))
    return f"{said}: {detail}" if detail else said


def _details(kind: str, obj: dict[str, Any]) -> Iterator[str]:
    metadata, spec, status = obj["metadata"], obj.get("spec") or {}, obj.get("status") or {}
    if metadata.get("deletionTimestamp"):
        yield "being deleted"
    match kind:
        case "DiskSchedule":
            yield from _books(spec, status)
        case "Replica":
            yield f"{_size(int(spec.get('volumeSize') or 0))} on {spec.get('diskID') or 'no disk'}"
        case "Setting":
            yield f"{obj.get('value')}"
        case "Node":
            for name, disk in sorted((status.get("diskStatus") or {}).items()):
                ready = next((each["status"] for each in disk.get("conditions") or () if each["type"] == "Ready"), "Unknown")
                yield f"{name} has {_size(disk.get('storageAvailable') or 0)} of {_size(disk.get('storageMaximum') or 0)}, Ready={ready}"
        case "Event":
            yield f"{obj.get('reason')}: {obj.get('message')}"
        case "Lease":
            yield f"held by {spec.get('holderIdentity') or 'nobody'}"


def _books(spec: dict[str, Any], status: dict[str, Any]) -> Iterator[str]:
    for side, tokens in (("replicas", "tokens"), ("backingImages", "imageTokens")):
        asks, grants = spec.get(side) or {}, status.get(side) or {}
        for name in sorted(asks.keys() | grants.keys()):
            token = (spec.get(tokens) or {}).get(name, "")
            asked = f"asks {_size(asks[name])}{f' as {_token(token)}' if token else ''}" if name in asks else "asks nothing"
            entry = grants.get(name)
            if entry is None:
                yield f"{name} {asked}, no verdict"
            else:
                verdict = f"{entry['state']} {_size(entry.get('scheduledSize') or 0)}"
                as_ = f" for {_token(entry.get('token', '')) or 'no token'}" if entry.get("token", "") != token else ""
                yield f"{name} {asked}, {verdict}{as_}"


def _token(text: str) -> str:
    uid, _, rest = text.partition("/")
    return f"{uid[:4]}/{rest}" if rest else text


def _size(count: int) -> str:
    gib = count / 2**30
    return f"{gib:g}Gi" if gib == round(gib, 2) else str(count)
