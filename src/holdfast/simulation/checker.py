"""Reads a record of revisions and says where the ledger broke a promise.

It shares no code with the deciders: limits are computed here again, from the revisions of Node and Settings that each grant
says it was decided with. What is checked at every revision of a DiskSchedule:

- *within the limit*: a revision that adds or grows a grant keeps the sums within every rule of the policy;
- *sticky*: a grant does not shrink below what is still asked;
- *sums*: storageScheduled is the sum of the grants;
- *tokens*: per key and uid, placement and epoch never fall;
- *an orderly end*: a DiskSchedule vanishes only with empty books.

And of the state at the end, once the world is quiet: *agreement* of asks and grants.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from holdfast.simulation.record import Revision

LONGHORN = "longhorn.io/v1beta2"
_DEFAULTS = {"storage-over-provisioning-percentage": 100, "storage-minimal-available-percentage": 25}
_POLICIES = ("written-aware", "storage-available", "longhorn")
_SIDES = (("replicas", "tokens"), ("backingImages", "imageTokens"))


class Violation(Struct, frozen=True):
    """A broken promise: which one, at which revision, on which object, with the numbers."""

    promise: str
    revision: int
    subject: str
    numbers: str

    def __str__(self) -> str:
        return f"revision {self.revision}: {self.subject}: {self.promise}: {self.numbers}"


class Checker:
    """Feed it revisions in order; it keeps what it needs of the past."""

    def __init__(self) -> None:
        self._now: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._then: dict[tuple[str, str, str, str], dict[str, Any]] = {}
        self._tokens: dict[tuple[str, str, str, str], tuple[int, int]] = {}
        self.grants_seen = 0

    def see(self, revision: Revision) -> list[Violation]:
        """The promises that this revision breaks."""
        before = self._now.get(revision.key)
        if revision.type == "DELETED":
            self._now.pop(revision.key, None)
        else:
            self._now[revision.key] = revision.object
            if revision.kind in {f"{LONGHORN}/Node", f"{LONGHORN}/Setting"}:
                self._then[(*revision.key, revision.object["metadata"]["resourceVersion"])] = revision.object
        if revision.kind != f"{LONGHORN}/DiskSchedule":
            return []
        if revision.type == "DELETED":
            return list(_orderly_end(revision))
        found = [*self._sticky(revision, before), *_sums(revision), *self._rising_tokens(revision)]
        growing = [] if before is None and not _entries(revision.object) else _growing(before or {}, revision.object)
        if growing:
            self.grants_seen += len(growing)
            found += self._within_the_limit(revision, growing)
        return found

    def check_all(self, revisions: Iterable[Revision]) -> list[Violation]:
        return [violation for revision in revisions for violation in self.see(revision)]

    def objects(self, kind: str) -> list[dict[str, Any]]:
        """The objects of a Longhorn kind as they are after the last revision seen."""
        return [found for (of_kind, _, _), found in self._now.items() if of_kind == f"{LONGHORN}/{kind}"]

    def disagreements(self) -> list[str]:
        """Where asks and grants differ, for a world that has come to rest."""
        return [line for schedule in self.objects("DiskSchedule") for line in _disagreements_of(schedule)]

    def _within_the_limit(self, revision: Revision, growing: list[str]) -> Iterator[Violation]:
        schedule, metadata = revision.object, revision.object["metadata"]
        spec, limit = schedule.get("spec") or {}, (schedule.get("status") or {}).get("limit") or {}

        def broken(numbers: str) -> Violation:
            return Violation("within the limit", revision.revision, metadata["name"], f"{', '.join(growing)} grew: {numbers}")

        namespace = metadata.get("namespace", "")
        node = self._then.get((f"{LONGHORN}/Node", namespace, spec.get("nodeID", ""), limit.get("nodeRevision", "")))
        if node is None:
            yield broken(f"no Node {spec.get('nodeID')!r} was ever at revision {limit.get('nodeRevision')!r}")
            return
        name = spec.get("name", "")
        disk = ((node.get("status") or {}).get("diskStatus") or {}).get(name) or {}
        if disk.get("diskUUID") != metadata["name"]:
            yield broken(f"disk {name!r} of the node had UUID {disk.get('diskUUID')!r}")
            return
        wanted_disk = ((node.get("spec") or {}).get("disks") or {}).get(name) or {}
        over = self._number("storage-over-provisioning-percentage", namespace, limit)
        minimal = self._number("storage-minimal-available-percentage", namespace, limit)
        policy = self._setting("disk-schedule-limit", namespace, limit)
        policy = policy if policy in _POLICIES else "written-aware"
        groups = self._by_directory(schedule, namespace)
        total, written = sum(groups.values()), disk.get("written") or {}
        available, maximum = disk.get("storageAvailable") or 0, disk.get("storageMaximum") or 0
        nominal = (maximum - (wanted_disk.get("storageReserved") or 0)) * over // 100
        owed = sum(max(0, size - (written.get(directory) or 0)) for directory, size in groups.items())
        if policy == "storage-available":
            if total > available:
                yield broken(f"{total} scheduled > {available} available")
            return
        if total > nominal:
            yield broken(f"{total} scheduled > {nominal}, {over}% of what may be used")
        if available <= maximum * minimal // 100:
            yield broken(f"{available} available, of which {minimal}% of {maximum} must stay")
        if policy == "written-aware" and owed > available * over // 100:
            yield broken(f"{owed} still to be written > {over}% of {available} available")

    def _by_directory(self, schedule: dict[str, Any], namespace: str) -> dict[str, int]:
        """Granted bytes by data directory; two replicas in one directory count once, by the larger."""
        groups: dict[str, int] = {}
        for side, name, entry in _entries(schedule):
            replica = self._now.get((f"{LONGHORN}/Replica", namespace, name)) or {}
            directory = (replica.get("spec") or {}).get("dataDirectoryName") or name
            key = f"backing-images/{name}" if side == "backingImages" else directory
            groups[key] = max(groups.get(key, 0), entry.get("scheduledSize") or 0)
        return groups

    def _setting(self, name: str, namespace: str, limit: Mapping[str, Any]) -> str:
        revision = (limit.get("settingsRevisions") or {}).get(name, "")
        found = self._then.get((f"{LONGHORN}/Setting", namespace, name, revision)) or {}
        return _plain(str(found.get("value") or ""))

    def _number(self, name: str, namespace: str, limit: Mapping[str, Any]) -> int:
        text = self._setting(name, namespace, limit).strip()
        most = 100 if "minimal" in name else 10**9
        return int(text) if text.isascii() and text.isdecimal() and int(text) <= most else _DEFAULTS[name]

    def _sticky(self, revision: Revision, before: dict[str, Any] | None) -> Iterator[Violation]:
        for side, name, entry in _entries(before or {}):
            asks, tokens = _side(revision.object, "spec", side), _side(revision.object, "spec", dict(_SIDES)[side])
            if name not in asks or _uid(tokens.get(name)) != _uid(entry.get("token")):
                continue
            kept = _side(revision.object, "status", side).get(name) or {}
            floor = min(entry.get("scheduledSize") or 0, asks[name])
            if (kept.get("scheduledSize") or 0) < floor:
                numbers = f"{name} held {entry.get('scheduledSize')}, asks {asks[name]}, was cut to {kept.get('scheduledSize')}"
                yield Violation("sticky", revision.revision, revision.object["metadata"]["name"], numbers)

    def _rising_tokens(self, revision: Revision) -> Iterator[Violation]:
        disk = revision.object["metadata"]["name"]
        for _, tokens_key in _SIDES:
            for name, token in _side(revision.object, "spec", tokens_key).items():
                uid, placement, epoch = _token(token)
                if not uid:
                    continue
                newest = self._tokens.get((disk, tokens_key, name, uid), (0, 0))
                if placement < newest[0] or epoch < newest[1]:
                    yield Violation("tokens", revision.revision, disk, f"{name}: {token} after {newest}")
                self._tokens[disk, tokens_key, name, uid] = max(newest[0], placement), max(newest[1], epoch)


def _plain(value: str) -> str:
    """A setting's value, also where it is written per data engine: {"v1": "100"}."""
    try:
        per_engine = msgspec.json.decode(value, type=dict[str, str])
    except msgspec.MsgspecError:
        return value
    return per_engine.get("v1", "")


def _side(obj: Mapping[str, Any], part: str, key: str) -> dict[str, Any]:
    return (obj.get(part) or {}).get(key) or {}


def _entries(schedule: Mapping[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(side, name, entry or {}) for side, _ in _SIDES for name, entry in _side(schedule, "status", side).items()]


def _token(text: str | None) -> tuple[str, int, int]:
    uid, _, rest = (text or "").partition("/")
    placement, _, epoch = rest.partition("/")
    return uid, int(placement or 0) if placement.isdecimal() else 0, int(epoch) if epoch.isdecimal() else 0


def _uid(text: str | None) -> str:
    return _token(text)[0]


def _growing(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Names whose grant grew; what was adopted was there already and asks nobody."""
    held = {(side, name): entry.get("scheduledSize") or 0 for side, name, entry in _entries(before)}
    return [
        name
        for side, name, entry in _entries(after)
        if (entry.get("scheduledSize") or 0) > held.get((side, name), 0) and not entry.get("adopted")
    ]


def _sums(revision: Revision) -> Iterator[Violation]:
    if "status" not in revision.object:
        return
    total = sum(entry.get("scheduledSize") or 0 for _, _, entry in _entries(revision.object))
    told = (revision.object["status"] or {}).get("storageScheduled") or 0
    if total != told:
        yield Violation("sums", revision.revision, revision.object["metadata"]["name"], f"grants make {total}, storageScheduled is {told}")


def _orderly_end(revision: Revision) -> Iterator[Violation]:
    left = [name for side, _ in _SIDES for name in _side(revision.object, "spec", side)] + [
        name for _, name, _ in _entries(revision.object)
    ]
    if left:
        yield Violation(
            "an orderly end", revision.revision, revision.object["metadata"]["name"], f"gone with {', '.join(sorted(set(left)))}"
        )


def _disagreements_of(schedule: dict[str, Any]) -> Iterator[str]:
    disk = schedule["metadata"]["name"]
    for side, tokens_key in _SIDES:
        asks, grants = _side(schedule, "spec", side), _side(schedule, "status", side)
        tokens = _side(schedule, "spec", tokens_key)
        for name in sorted(asks.keys() | grants.keys()):
            entry = grants.get(name)
            if asks.get(name, 0) <= 0:
                if entry is not None:
                    yield f"{disk}: {name} is granted and not asked"
            elif entry is None:
                yield f"{disk}: {name} is asked and has no verdict"
            elif entry["state"] == "scheduled" and entry.get("scheduledSize", 0) != asks[name]:
                yield f"{disk}: {name} asks {asks[name]} and is scheduled with {entry.get('scheduledSize', 0)}"
            elif entry.get("scheduledSize", 0) > asks[name]:
                yield f"{disk}: {name} asks {asks[name]} and holds {entry.get('scheduledSize', 0)}"
            elif (entry.get("token") or "") != (tokens.get(name) or ""):
                yield f"{disk}: {name} has token {tokens.get(name)!r}, its verdict is for {entry.get('token')!r}"
