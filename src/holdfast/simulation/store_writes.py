"""What the answer to a write says has to be in the chronicle, and what it refuses must have had its reason.

A change counts as a call's own when it bears the call's mark. It is compared whole with what the call asked for, built on the very
version that it replaced: so nobody's write is lost between two others.
"""

import copy
from collections.abc import Iterator
from typing import Any, Final

from holdfast.simulation.store_calls import Call
from holdfast.simulation.store_chronicle import (
    NAMESPACES,
    Changed,
    Chronicle,
    Document,
    finalizers_of,
    is_deleting,
    mark_of,
    version_of,
)

Broken = Iterator[tuple[str, str]]
"""A promise, and the numbers."""

ACKNOWLEDGED: Final = "an acknowledged write is durable, as it was asked for"
BOUND: Final = "a write takes place on the version that it names"
REFUSED: Final = "a refusal has its reason"
RISES: Final = "a write has a revision of its own"

_OF_METADATA: Final = ("labels", "annotations", "finalizers", "ownerReferences")
_OF_BODY: Final = ("data", "spec", "value")
#: What the server keeps in an object by itself.
_OF_SERVER: Final = ("resourceVersion", "generation")


def acknowledged(call: Call, answer: Document, chronicle: Chronicle) -> Broken:
    """A create, an update or a patch was answered with the object."""
    if call.is_dry:
        return
    version = version_of(answer)
    if is_deleting(answer) and not finalizers_of(answer) and call.verb != "create":
        yield from _ended(call, version, chronicle)
        return
    change = chronicle.change(int(version)) if version.isdecimal() else None
    if change is None or change.after is None:
        yield ACKNOWLEDGED, f"{call} was answered with version {version or 'none'}, which is not stored"
        return
    if call.floor >= change.revision:
        yield RISES, f"{call} was answered with version {version}, and {call.floor} was told before it began"
    is_meant = change.key[:2] == call.key[:2] and call.key[2] in {"", change.key[2]}
    if not is_meant or change.after != answer or mark_of(change.after) != call.mark:
        yield ACKNOWLEDGED, f"{call} was answered with version {version}, which is stored as another object"
        return
    yield from built_on(call, change)


def _ended(call: Call, version: str, chronicle: Chronicle) -> Broken:
    """What was deleted lost its last finalizer by this call, and is gone: it is answered as it was before."""
    end = chronicle.next(call.key, int(version))
    if end is None or end.after is not None or end.revision > call.until:
        yield ACKNOWLEDGED, f"{call} took the last finalizer from version {version}, which is not gone"
    elif end.revision <= call.floor:
        yield RISES, f"{call} was answered with an end at {end.revision}, and {call.floor} was told before it began"
    else:
        yield from _bound(call, end)


def built_on(call: Call, change: Changed) -> Broken:
    """The change of a call, against what it was built on."""
    yield from _bound(call, change)
    before, after = change.before, change.after
    if call.verb == "create":
        if before is not None:
            yield ACKNOWLEDGED, f"{call} replaced version {version_of(before)}"
    elif before is None and call.verb != "update":
        yield ACKNOWLEDGED, f"{call} made an object at {change.revision}"
    if after is None:
        return
    if call.sent is not None:
        for name, wanted, found in _differences(call, after):
            yield ACKNOWLEDGED, f"{call} at {change.revision}: {name} is {found!r}, asked for was {wanted!r}"
    elif before is not None and (expected := _patched(before, call)) != _without(after, _OF_SERVER):
        yield ACKNOWLEDGED, f"{call} at {change.revision} is no patch of version {version_of(before)}: {after}, expected {expected}"


def _bound(call: Call, change: Changed) -> Broken:
    before = change.before
    if call.version and version_of(before) != call.version:
        yield BOUND, f"{call} names version {call.version} and at {change.revision} replaced {version_of(before) or 'nothing'}"
    if call.tested and mark_of(before) != call.tested:
        yield BOUND, f"{call} tests for mark {call.tested} and at {change.revision} replaced {mark_of(before) or 'none'}"
    if call.uid and (before is None or before["metadata"]["uid"] != call.uid):
        yield BOUND, f"{call} names uid {call.uid} and at {change.revision} replaced another object"


def _differences(call: Call, after: Document) -> Iterator[tuple[str, Any, Any]]:
    sent = call.sent or {}
    for field in _OF_METADATA:
        wanted, found = sent["metadata"].get(field) or None, after["metadata"].get(field) or None
        if field == "labels" and call.key[0] == NAMESPACES.resource:
            continue  # the server adds one
        if wanted != found:
            yield field, wanted, found
    for field in _OF_BODY:
        if call.key[0] != NAMESPACES.resource and sent.get(field) != after.get(field):
            yield field, sent.get(field), after.get(field)


def _patched(before: Document, call: Call) -> Document:
    expected = copy.deepcopy(_without(before, _OF_SERVER))
    for path, value in call.changes:
        place = expected
        for part in path[:-1]:
            place = place.setdefault(part, {})
        if value is None:
            place.pop(path[-1], None)
        else:
            place[path[-1]] = value
    return expected


def _without(obj: Document, fields: tuple[str, ...]) -> Document:
    return {**obj, "metadata": {name: value for name, value in obj["metadata"].items() if name not in fields}}


# ---- deletions ------------------------------------------------------------------------------------------------------------------


def deleted(call: Call, answer: Document, chronicle: Chronicle) -> Broken:
    """A delete was answered: the object is gone, or it is shown as it waits for its finalizers."""
    if call.is_dry:
        return
    if answer.get("kind") == "Status":
        uid = answer["details"]["uid"]
        ends = (change for change in chronicle.after(call.floor) if change.key == call.key and change.after is None)
        end = next((end for end in ends if end.before is not None and end.before["metadata"]["uid"] == uid), None)
        if end is None or end.revision > call.until:
            yield ACKNOWLEDGED, f"{call} of uid {uid} was acknowledged, and it is not gone"
        else:
            yield from _bound(call, end)
        return
    change = chronicle.change(int(version_of(answer)))
    if change is None or change.after != answer or not is_deleting(answer):
        yield ACKNOWLEDGED, f"{call} was answered with version {version_of(answer)}, which is not stored as being deleted"
    elif change.revision > call.floor and not is_deleting(change.before):
        yield from _bound(call, change)


def cleared(call: Call, answer: Document, chronicle: Chronicle) -> Broken:
    """The deletion of a collection was answered: all that it names is gone, or going."""
    for item in answer["items"]:
        metadata = item["metadata"]
        key = call.key[0], metadata.get("namespace", ""), metadata["name"]
        states = chronicle.during(key, call.floor, call.until)
        if not any(obj is None or obj["metadata"]["uid"] != metadata["uid"] or is_deleting(obj) for obj in states):
            yield ACKNOWLEDGED, f"{call} names {key[2]}, version {version_of(item)}, which lives on"


# ---- refusals -------------------------------------------------------------------------------------------------------------------


def refused(call: Call, answer: Document, chronicle: Chronicle) -> Broken:
    """What was answered instead: it must have been so at some moment while the call was under way."""
    reason, details = answer.get("reason", ""), answer.get("details") or {}
    states = chronicle.during(call.key, call.floor, call.until)
    spaces = chronicle.during((NAMESPACES.resource, "", call.key[1]), call.floor, call.until) if call.key[1] else [{"metadata": {}}]
    match reason:
        case "NotFound":
            is_true = None in states or None in spaces
        case "AlreadyExists":
            is_true = any(obj is not None for obj in states)
        case "Conflict":
            # One that names nothing was made on the way: a fault.
            is_true = not details.get("name") or any(_is_another(call, obj) for obj in states)
        case "Invalid":
            is_true = any(_may_not(call, obj) for obj in states)
        case "Forbidden":
            is_true = any(is_deleting(space) for space in spaces) or call.key[0] == NAMESPACES.resource
        case "ServiceUnavailable":
            is_true = True
        case _:
            is_true = False
    if not is_true:
        yield REFUSED, f"{call} was refused with {answer.get('code')} {reason}: {answer.get('message')}; it was {_told(states)}"


def _is_another(call: Call, obj: Document | None) -> bool:
    """Whether this is not what the call is bound to."""
    if obj is None:
        return True
    uid = obj["metadata"]["uid"]
    is_other_version = bool(call.version) and version_of(obj) != call.version
    is_other_object = bool(call.uid) and uid != call.uid
    sent_uid = (call.sent or {"metadata": {}})["metadata"].get("uid")
    return is_other_version or is_other_object or bool(sent_uid and sent_uid != uid)


def _may_not(call: Call, obj: Document | None) -> bool:
    """Whether the call would have made something that may not be of this."""
    if call.tested and mark_of(obj) != call.tested:
        return True
    if call.verb == "test" and _is_another(call, obj):
        return True
    wanted = set((call.sent or {"metadata": {}})["metadata"].get("finalizers") or ())
    for path, value in call.changes:
        wanted |= set(value or ()) if path[-1] == "finalizers" else set()
    if is_deleting(obj) and wanted - finalizers_of(obj):
        return True
    names_none = call.sent is not None and call.verb == "update" and not call.version
    return names_none and call.key[0] not in {"configmaps", NAMESPACES.resource}


def _told(states: list[Document | None]) -> str:
    return ", ".join("absent" if obj is None else f"version {version_of(obj)}" for obj in states)
