"""What became durable, told by the journal and by nobody else: what every answer, every watch and every state is held against.

It reads the changes as they are written, so it knows nothing of how the server decides, what it shows, and when it says so.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec import Struct

from holdfast.embedded.journal import Change, Kept
from holdfast.simulation.record import Revision

Document = dict[str, Any]
Key = tuple[str, str, str]
"""Resource, namespace and name."""

MARK: Final = "mark"
"""The annotation that says which call wrote an object last."""
HOLD: Final = "example.com/hold"
"""The finalizer of users."""


class Sort(Struct, frozen=True):
    """A kind and where it is served."""

    resource: str
    api_version: str
    kind: str

    def path(self, namespace: str = "", name: str = "") -> str:
        root = f"/apis/{self.api_version}" if "/" in self.api_version else f"/api/{self.api_version}"
        parts = (root, *(("namespaces", namespace) if namespace else ()), self.resource.partition(".")[0], *((name,) if name else ()))
        return "/".join(parts)


CONFIG_MAPS: Final = Sort("configmaps", "v1", "ConfigMap")
LEASES: Final = Sort("leases.coordination.k8s.io", "coordination.k8s.io/v1", "Lease")
SETTINGS: Final = Sort("settings.longhorn.io", "longhorn.io/v1beta2", "Setting")
NAMESPACES: Final = Sort("namespaces", "v1", "Namespace")
SORTS: Final = {sort.resource: sort for sort in (CONFIG_MAPS, LEASES, SETTINGS, NAMESPACES)}
_RESOURCES: Final = {(sort.api_version, sort.kind): sort.resource for sort in SORTS.values()}


class Changed(Struct, frozen=True):
    """One durable change; ``after`` is None when the object is gone."""

    revision: int
    key: Key
    before: Document | None
    after: Document | None


class Selection(Struct, frozen=True):
    """What a list or a watch means: a kind, in one namespace or in all, with one label or any."""

    resource: str
    namespace: str = ""
    part: str = ""

    def takes(self, key: Key, obj: Document | None) -> bool:
        if obj is None or key[0] != self.resource or self.namespace not in {"", key[1]}:
            return False
        return not self.part or (obj["metadata"].get("labels") or {}).get("part") == self.part

    def told(self, change: Changed) -> tuple[str, Document] | None:
        """What somebody who watches this is to hear of a change: what happened to *his* selection."""
        was, is_ = self.takes(change.key, change.before), self.takes(change.key, change.after)
        if is_ and change.after is not None:
            return ("MODIFIED" if was else "ADDED"), change.after
        if was and change.before is not None:
            return "DELETED", at_revision(change.before, change.revision)
        return None


class Chronicle:
    """Every durable change, in order. ``told`` is the newest revision that the server has spoken of."""

    def __init__(self, revision: int, kept: Iterable[Kept] = ()) -> None:
        self.start = self.revision = self.told = revision
        self.changes: list[Changed] = []
        self.problems: list[tuple[str, str]] = []
        """What is wrong with the changes themselves: on what, and the numbers."""
        self._of: dict[Key, list[Changed]] = {}
        self._by_revision: dict[int, Changed] = {}
        self._untold: dict[int, Changed] = {}
        self._introduced: dict[str, list[Changed]] = {}
        for entry in sorted(kept, key=attrgetter("revision")):
            self._add(Changed(entry.revision, key_of(entry.key), None, _decoded(entry.data)))

    def take(self, change: Change, before: Kept | None) -> None:
        """What the journal wrote just now."""
        key = key_of(change.key)
        known = self.at(key, change.revision)
        if (before is None) != (known is None) or (before is not None and before.data and _decoded(before.data) != known):
            self.problems.append((subject(key), f"revision {change.revision} replaces what was not there"))
        if change.revision <= self.revision:
            self.problems.append((subject(key), f"revision {change.revision} was stored after revision {self.revision}"))
        taken = Changed(change.revision, key, known, None if change.data is None else _decoded(change.data))
        self.revision = change.revision
        self.changes.append(taken)
        self._untold[change.revision] = taken
        if (mark := mark_of(taken.after)) and mark != mark_of(known):
            self._introduced.setdefault(mark, []).append(taken)
        self._add(taken)

    def _add(self, change: Changed) -> None:
        self._of.setdefault(change.key, []).append(change)
        self._by_revision[change.revision] = change

    def tell(self, told: Revision) -> None:
        """What the server says that it did."""
        change, self.told = self._untold.pop(told.revision, None), max(self.told, told.revision)
        if change is None:
            self.problems.append((str(told.key), f"revision {told.revision} was told, and is not stored"))
            return
        if change.after is None:
            expected = "DELETED", at_revision(change.before or {"metadata": {}}, change.revision)
        else:
            expected = "ADDED" if change.before is None else "MODIFIED", change.after
        if (told.type, told.object) != expected:
            self.problems.append((subject(change.key), f"revision {told.revision} was told as {told.type}, and is another change"))

    # ---- what was -----------------------------------------------------------------------------------------------------------

    def change(self, revision: int) -> Changed | None:
        return self._by_revision.get(revision)

    def at(self, key: Key, revision: int) -> Document | None:
        """An object as it was at a revision."""
        known = self._of.get(key, [])
        place = bisect_right(known, revision, key=_revision)
        return known[place - 1].after if place else None

    def next(self, key: Key, revision: int) -> Changed | None:
        """The first change of an object after a revision."""
        known = self._of.get(key, [])
        place = bisect_right(known, revision, key=_revision)
        return known[place] if place < len(known) else None

    def during(self, key: Key, since: int, until: int) -> list[Document | None]:
        """All that an object was from one revision to another."""
        later = [change.after for change in self._of.get(key, []) if since < change.revision <= until]
        return [self.at(key, since), *later]

    def present(self, selection: Selection, revision: int) -> dict[Key, Document]:
        """All that a selection held at a revision, in the order of the keys."""
        found = {key: self.at(key, revision) for key in sorted(self._of)}
        return {key: obj for key, obj in found.items() if obj is not None and selection.takes(key, obj)}

    def everything(self, revision: int) -> dict[Key, Document]:
        found = {key: self.at(key, revision) for key in sorted(self._of)}
        return {key: obj for key, obj in found.items() if obj is not None}

    def after(self, revision: int, resource: str = "") -> Iterator[Changed]:
        """The changes of a kind after a revision."""
        place = bisect_right(self.changes, revision, key=_revision)
        return (change for change in self.changes[place:] if resource in {"", change.key[0]})

    def introduced(self, mark: str) -> list[Changed]:
        """Where a call's mark came up."""
        return self._introduced.get(mark, [])

    def marks(self) -> Iterable[str]:
        return self._introduced

    def untold(self) -> list[Changed]:
        """What is stored and the server never spoke of."""
        return list(self._untold.values())


_revision = attrgetter("revision")


def key_of(text: str) -> Key:
    resource, namespace, name = text.split("/", 2)
    return resource, namespace, name


def owner_key(owner: Document, namespace: str) -> Key:
    """Whom an ownerReference of an object in a namespace means."""
    resource = _RESOURCES[owner["apiVersion"], owner["kind"]]
    return resource, "" if resource == NAMESPACES.resource else namespace, owner["name"]


def subject(key: Key) -> str:
    resource, namespace, name = key
    return f"{resource.partition('.')[0]} {namespace}/{name}" if namespace else f"{resource.partition('.')[0]} {name}"


def mark_of(obj: Document | None) -> str:
    return "" if obj is None else str((obj["metadata"].get("annotations") or {}).get(MARK, ""))


def version_of(obj: Document | None) -> str:
    return "" if obj is None else str(obj["metadata"].get("resourceVersion", ""))


def is_deleting(obj: Document | None) -> bool:
    return obj is not None and bool(obj["metadata"].get("deletionTimestamp"))


def finalizers_of(obj: Document | None) -> frozenset[str]:
    return frozenset() if obj is None else frozenset(obj["metadata"].get("finalizers") or ())


def owners_of(obj: Document | None) -> list[Document]:
    return [] if obj is None else list(obj["metadata"].get("ownerReferences") or ())


def at_revision(obj: Document, revision: int) -> Document:
    return {**obj, "metadata": {**obj["metadata"], "resourceVersion": str(revision)}}


def _decoded(data: bytes) -> Document:
    obj: Document = msgspec.json.decode(data)
    return obj
