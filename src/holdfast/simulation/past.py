"""What a checker keeps of a record: the objects as they are now, the versions that a verdict may rest on, and who is gone.

A record may begin in the middle: that of ``holdfast up`` on a folder that was used before tells only changes, and one that is put
together from watches begins with what exists. Then ``is_whole`` is False, and what nobody saw can not be held against anybody.
"""

from collections.abc import Iterable

from holdfast.api.timestamps import seconds_of
from holdfast.simulation.invariant import DISK_SCHEDULE, LEASE, LONGHORN, NODE, REPLICA, SETTING
from holdfast.simulation.record import Revision
from holdfast.simulation.recorded_books import Books, Document, part, text_in

Key = tuple[str, str, str]
"""Kind, namespace and name."""

#: What one renewal of a Lease can account for, in seconds: more is a clock that was set.
_LONGEST_STEP = 15.0
_KEPT_VERSIONS = frozenset({NODE, SETTING})


class Past:
    """Everything that was told so far."""

    def __init__(self) -> None:
        self.is_whole = True
        """Whether the record began before the objects in it."""
        self.newest = 0
        """The revision that was seen last."""
        self.former_newest = 0
        """The one before it."""
        self.seconds = 0.0
        """How long the record lasts at least, told by the Leases: each counts with the clock of its own holder, which may be set."""
        self.books: dict[Key, Books] = {}
        """Of every DiskSchedule that lives."""
        self.former_books: Books | None = None
        """Of the DiskSchedule that has just changed, before it did; None for one that was not known."""
        self.by_hand: set[tuple[str, str]] = set()
        """Asks (disk and name) that a person writes by hand, where somebody tells: what he does to them is no promise of ours."""
        self._now: dict[str, dict[Key, Document]] = {}
        self._versions: dict[tuple[Key, str], Document] = {}
        self._first: dict[Key, int] = {}
        self._keys: dict[str, Key] = {}
        self._ended: set[str] = set()
        self._directories: dict[str, str] = {}
        self._lasted: dict[Key, float] = {}

    def take(self, revision: Revision) -> Document | None:
        """Remember a revision; the object as it was before it."""
        key, obj = revision.key, revision.object
        kind = key[0]
        living = self._now.setdefault(kind, {})
        before = living.get(key)
        # A server makes custom objects without status: one that comes with it was there before.
        if before is None and (revision.type != "ADDED" or (kind.startswith(LONGHORN) and obj.get("status"))):
            self.is_whole = False
        self.former_newest, self.newest = self.newest, max(self.newest, revision.revision)
        uid = uid_of(obj)
        if revision.type == "DELETED":
            living.pop(key, None)
            self._ended.add(uid)
            if self._keys.get(uid) == key:
                del self._keys[uid]
        else:
            living[key] = obj
            self._keys.setdefault(uid, key)
        if kind in _KEPT_VERSIONS and revision.type != "DELETED":
            self._first.setdefault(key, revision.revision)
            self._versions[key, text_in(obj["metadata"], "resourceVersion")] = obj
        if kind == DISK_SCHEDULE:
            self._take_books(key, revision)
        elif kind == REPLICA:
            self._directories[uid] = text_in(part(obj, "spec"), "dataDirectoryName") or self._directories.get(uid, "")
        elif kind == LEASE:
            self._take_time(key, before, obj)
        return before

    def _take_books(self, key: Key, revision: Revision) -> None:
        self.former_books = self.books.pop(key, None)
        if revision.type != "DELETED":
            self.books[key] = Books(revision.object)

    def _take_time(self, key: Key, before: Document | None, lease: Document) -> None:
        step, spec, known = 0.0, part(lease, "spec"), part(before or {}, "spec")
        if text_in(spec, "holderIdentity") == text_in(known, "holderIdentity"):
            now, then = seconds_of(text_in(spec, "renewTime")), seconds_of(text_in(known, "renewTime"))
            step = min(max(0.0, now - then), _LONGEST_STEP) if now is not None and then is not None else 0.0
        self._lasted[key] = self._lasted.get(key, self.seconds) + step
        self.seconds = max(self.seconds, self._lasted[key])

    # ---- what lives ---------------------------------------------------------------------------------------------------------

    def find(self, kind: str, namespace: str, name: str) -> Document | None:
        """The object as it is now."""
        return self._now.get(kind, {}).get((kind, namespace, name))

    def all(self, kind: str) -> Iterable[Document]:
        """The objects of a kind."""
        return self._now.get(kind, {}).values()

    def everything(self) -> Iterable[Document]:
        """All objects."""
        return (obj for living in self._now.values() for obj in living.values())

    @property
    def count(self) -> int:
        """How many objects live."""
        return sum(map(len, self._now.values()))

    def has_seen(self, kind: str) -> bool:
        """Whether the record tells of this kind at all."""
        return kind in self._now

    def bearer(self, uid: str) -> Key | None:
        """Whose uid it is: of two that bear it, the one that had it first."""
        return self._keys.get(uid)

    def has_ended(self, uid: str) -> bool:
        """Whether an object with this uid was deleted."""
        return uid in self._ended

    # ---- what was -----------------------------------------------------------------------------------------------------------

    def version(self, kind: str, namespace: str, name: str, revision: str) -> Document | None:
        """A Node or a Setting as it was at a revision."""
        return self._versions.get(((kind, namespace, name), revision))

    def may_have_been(self, kind: str, namespace: str, name: str, revision: str) -> bool:
        """Whether there may have been such a version before the record began."""
        if self.is_whole or not revision.isdecimal():
            return False
        first = self._first.get((kind, namespace, name))
        return first is None or int(revision) < first

    def directory(self, uid: str) -> str:
        """The data directory of the Replica with this uid, also when it is gone: it keeps it for life."""
        return self._directories.get(uid, "")


def uid_of(obj: Document) -> str:
    return text_in(obj["metadata"], "uid")
