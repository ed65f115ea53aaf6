"""What must be equal in the answers of two homes, and in which words they differ.

Left out is what can not be equal: uids and resourceVersions are known by the order in which they came, times are times, and
the texts of refusals are for people. ``managedFields`` are nobody's business here.
"""

import json
import re
from bisect import bisect_right
from itertools import pairwise
from typing import Any

from tests.support.differential_home import Seen

_GENERATED = re.compile(r"(gen|other)-[a-z0-9]{5}$")
_UID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OF_MAPS = ("spec", "status", "<nil>", "value", "data", "binaryData")
_TIMES = ("creationTimestamp", "deletionTimestamp")


def normalised(seen: list[Seen], namespace: str, *, notes_writers: bool = False) -> list[Any]:
    """The answers of one home as they must be in every home.

    ``notes_writers``: it keeps ``managedFields``, so that a write which changes nothing else may be a revision there.
    """
    return _Reader(json.loads(json.dumps([_plain(one) for one in seen]).replace(namespace, "HOME"))).read(notes_writers=notes_writers)


def judged(one: Any, other: Any) -> list[str]:
    """Where two normalised answers to one step differ."""
    if 400 <= one["code"] < 500 and other["code"] == 500:
        return []  # where Kubernetes trips over what is badly made, there is nothing to learn from it but that it must be refused
    if _is_rehearsed_end(one) and _is_empty(other):
        return []  # to who rehearses an end that only takes its "orphan" away, Kubernetes shows an object that was never filled in
    if one["code"] != other["code"]:
        return [f"{_summary(one)} != {_summary(other)}"]
    left_out = {"message": ""} if one["code"] < 400 else {"message": "", "warnings": []}  # a refusal says enough
    return differences(one | left_out, other | left_out)


def _is_rehearsed_end(answer: Any) -> bool:
    return answer["code"] == 200 and isinstance(answer["body"], dict) and answer["body"].get("status") == "Success"


def _is_empty(answer: Any) -> bool:
    body = answer["body"]
    return (
        answer["code"] == 200 and isinstance(body, dict) and not body.get("metadata") and body.keys() <= {"apiVersion", "kind", "metadata"}
    )


def _summary(answer: Any) -> str:
    body = answer["body"]
    causes = body.get("details", {}).get("causes", []) if isinstance(body, dict) else []
    told = [body.get("reason", ""), *(f"{cause['reason']} {cause['field']}" for cause in causes)] if answer["message"] else []
    return " ".join([str(answer["code"]), *told, answer["message"]])


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """The places where two answers differ, with what stands there."""
    if isinstance(one, dict) and isinstance(other, dict):
        return [
            found
            for key in sorted(one.keys() | other.keys())
            for found in differences(one.get(key, "(absent)"), other.get(key, "(absent)"), f"{path}.{key}")
        ]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [found for at, (a, b) in enumerate(zip(one, other, strict=True)) for found in differences(a, b, f"{path}[{at}]")]
    if type(one) is type(other) and one == other:
        return []
    return [f"{path.removeprefix('.')}: {json.dumps(one)} != {json.dumps(other)}"]


def _plain(seen: Seen) -> dict[str, Any]:
    answer = {
        "code": seen.code,
        "body": seen.body,
        "events": seen.events,
        "warnings": sorted(_UID.sub("uid", text) for text in seen.warnings),
        "marker": seen.marker,
    }
    return answer | {"is_rehearsed": seen.is_rehearsed}


class _Reader:
    def __init__(self, answers: list[Any]) -> None:
        self._answers = answers
        self._revisions: list[int] = []
        self._idle: dict[int, int] = {}
        self._uids: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def read(self, *, notes_writers: bool) -> list[Any]:
        told = [(answer, obj) for answer in self._answers for obj in _objects(answer) if _revision(obj)]
        if notes_writers:
            kept = {
                (_revision(obj), obj["metadata"].get("uid"), _content(obj))
                for answer, obj in told
                if not (answer["is_rehearsed"] or _is_gone(obj["metadata"]))
            }
            ends = _ends(self._answers)
            self._idle = {revision: before for revision, before in _idle_revisions(kept).items() if revision not in ends}
        self._revisions = sorted({_revision(obj) for _, obj in told} - self._idle.keys())
        return [self._answer(answer) for answer in self._answers]

    def _answer(self, answer: Any) -> Any:
        body = answer["body"]
        message = str(body.get("message", "")) if isinstance(body, dict) and body.get("kind") == "Status" else ""
        return {**answer, "body": self._value(body), "events": self._events(answer["events"]), "message": message}

    def _events(self, events: list[Any] | None) -> Any:
        """The times at which a server says that it has nothing to say are its own."""
        if events is None:
            return None
        told = [event for event in events if isinstance(event, str) or not self._is_idle(event)]
        # What a bookmark holds beside its metadata is how Go writes an object that is empty.
        return [
            self._value({"type": event["type"], "metadata": event["object"]["metadata"]})
            if not isinstance(event, str) and event["type"] == "BOOKMARK"
            else self._value(event)
            for event in told
        ]

    def _is_idle(self, event: Any) -> bool:
        metadata = event["object"].get("metadata", {})
        if event["type"] == "BOOKMARK":
            return "annotations" not in metadata
        return event["type"] == "MODIFIED" and int(metadata["resourceVersion"]) in self._idle

    def _value(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            if value.get("kind") == "Status" and value.get("apiVersion") == "v1":
                return self._status(value)
            return {name: self._field(name, value[name]) for name in sorted(value) if name != "managedFields"}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if key == "name" and isinstance(value, str) and _GENERATED.search(value):
            return self._names.setdefault(value, f"generated {len(self._names)}")
        return value

    def _field(self, name: str, value: Any) -> Any:
        if name == "metadata" and isinstance(value, dict):
            return {key: self._of_metadata(key, value[key]) for key in sorted(value) if key != "managedFields"}
        if name == "uid" and isinstance(value, str):
            return self._uids.setdefault(value, f"uid {len(self._uids)}")
        return self._value(value, name)

    def _of_metadata(self, name: str, value: Any) -> Any:
        if name == "resourceVersion" and isinstance(value, str) and value.isdecimal():
            return f"revision {bisect_right(self._revisions, self._idle.get(int(value), int(value)))}"
        if name in _TIMES and isinstance(value, str):
            return "a time"
        if name == "continue" and value:
            return "a token"
        return self._field(name, value)

    def _status(self, status: dict[str, Any]) -> Any:
        details = self._value({key: item for key, item in status.get("details", {}).items() if key != "uid"})
        if "uid" in status.get("details", {}):
            details["uid"] = self._field("uid", status["details"]["uid"])
        if "causes" in details:
            # Kubernetes looks at some things twice, and then tells them twice; and walks through maps in any order.
            told = dict.fromkeys((cause.get("field"), cause.get("reason")) for cause in details["causes"])
            ordered = sorted(told, key=lambda cause: str(cause) if str(cause[0]).startswith(_OF_MAPS) else "")
            details["causes"] = [{"field": field, "reason": reason} for field, reason in ordered]
        return {key: item for key, item in status.items() if key not in {"message", "details"}} | {"details": details}


def _objects(answer: Any) -> list[Any]:
    """Every single object that an answer tells of."""
    body = answer["body"]
    found: list[Any] = []
    if isinstance(body, dict) and body.get("kind") != "Status":
        found += body["items"] if isinstance(body.get("items"), list) else [body]
    for event in answer["events"] or ():
        if not isinstance(event, str) and event["type"] not in {"BOOKMARK", "ERROR"}:
            found.append(event["object"])
    return [obj for obj in found if isinstance(obj, dict) and isinstance(obj.get("metadata"), dict)]


def _revision(obj: Any) -> int:
    """0 where there is none."""
    version = obj["metadata"].get("resourceVersion", "")
    return int(version) if version.isdecimal() else 0


def _is_gone(metadata: Any) -> bool:
    """Who takes the last finalizer away is shown the object without it, at the revision before its end."""
    return "deletionTimestamp" in metadata and not metadata.get("finalizers")


def _content(obj: Any) -> str:
    """All of an object that is about it."""
    metadata = {key: item for key, item in obj["metadata"].items() if key not in {"managedFields", "resourceVersion"}}
    return json.dumps(
        {key: item for key, item in obj.items() if key not in {"apiVersion", "kind"}} | {"metadata": metadata}, sort_keys=True
    )


def _ends(answers: list[Any]) -> set[int]:
    """An object that goes is told as it was, at the revision of its end."""
    events = [event for answer in answers for event in answer["events"] or () if not isinstance(event, str)]
    return {int(event["object"]["metadata"]["resourceVersion"]) for event in events if event["type"] == "DELETED"}


def _idle_revisions(kept: set[tuple[int, Any, str]]) -> dict[int, int]:
    """Those that brought nothing new to their object, and the revision that it had before."""
    contents: dict[Any, dict[int, set[str]]] = {}
    for revision, uid, content in kept:
        contents.setdefault(uid, {}).setdefault(revision, set()).add(content)
    idle: dict[int, int] = {}
    for versions in contents.values():
        for before, revision in pairwise(sorted(versions)):
            if versions[before] == versions[revision]:
                idle[revision] = idle.get(before, before)
    return idle
