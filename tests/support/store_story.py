"""A story that is told to the checks of the store: what became durable, line by line, and the calls that were made meanwhile."""

from typing import Any

import msgspec

from holdfast.embedded.journal import Change, Kept
from holdfast.simulation.record import Revision
from holdfast.simulation.store_calls import Call
from holdfast.simulation.store_causes import causes
from holdfast.simulation.store_chronicle import CONFIG_MAPS, NAMESPACES, Chronicle, Key, Selection, at_revision

A: Key = (CONFIG_MAPS.resource, "default", "a")
B: Key = (CONFIG_MAPS.resource, "default", "b")
SPACE: Key = (NAMESPACES.resource, "", "default")
ALL = Selection(CONFIG_MAPS.resource)
DYING = {"deletionTimestamp": "2027-01-15T08:00:00Z"}


def config_map(name: str = "a", mark: str = "m1", part: str = "x", uid: str = "", **metadata: Any) -> dict[str, Any]:
    known = {"name": name, "namespace": "default", "uid": uid or f"uid-{name}", "labels": {"part": part}, "annotations": {"mark": mark}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**known, **metadata}, "data": {"n": "1"}}


def owned_by(name: str, **more: Any) -> list[dict[str, Any]]:
    return [{"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": f"uid-{name}", **more}]


class Story:
    """A chronicle that is told line by line, from revision 1 on, and the calls that were made in it."""

    def __init__(self) -> None:
        self.chronicle = Chronicle(0)
        self.calls: list[Call] = []
        self._kept: dict[str, Kept] = {}

    def writes(self, key: Key, obj: dict[str, Any] | None, *, told: bool = True) -> dict[str, Any]:
        """The next revision; None is the end of the object."""
        text, revision = "/".join(key), self.chronicle.revision + 1
        before = self._kept.pop(text, None)
        shown = at_revision(obj or msgspec.json.decode(before.data if before else b""), revision)
        data = None if obj is None else msgspec.json.encode(shown)
        if data is not None:
            self._kept[text] = Kept(text, revision, data)
        self.chronicle.take(Change(text, revision, data), before)
        if told:
            type_ = "DELETED" if obj is None else "MODIFIED" if before else "ADDED"
            self.chronicle.tell(Revision(revision=revision, type=type_, object=shown))
        return shown

    def call(self, verb: str = "update", key: Key = A, mark: str = "m1", status: int = 200, **more: Any) -> Call:
        made = Call(who="c", verb=verb, key=key, mark=mark, status=status, **{"until": 99, **more})
        self.calls.append(made)
        return made

    def promises(self) -> set[str]:
        return {promise for promise, _, _ in causes(self.calls, self.chronicle)}
