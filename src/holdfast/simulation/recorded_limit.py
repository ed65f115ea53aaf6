"""The limit of a disk, computed again from the revisions that a verdict names, or from what is there now.

It knows the rules from their documentation. What an image brings is no part of the promise, since no verdict names the revision of
the image; a grant is held to the rules without it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from holdfast.simulation import recorded_settings as settings
from holdfast.simulation.invariant import NODE, REPLICA, SETTING
from holdfast.simulation.past import Past, uid_of
from holdfast.simulation.recorded_books import REPLICAS, AskKey, Books, Document, Token, part, text_in, whole

PLACEMENT = "holdfast.io/placement"
_USED = (settings.OVER_PROVISIONING, settings.MINIMAL_AVAILABLE, settings.LIMIT)


class Basis(Struct, frozen=True):
    """What a limit is computed from."""

    node: Document
    settings: Mapping[str, str]
    """Their texts by name; a missing one is at its default."""


class Share(NamedTuple):
    """Bytes of a disk that one grant takes, and the directory that they are in."""

    directory: str
    bytes: int


class NotToldError(Exception):
    """What is needed lies before the record, or was never there."""

    def __init__(self, words: str, *, is_broken: bool) -> None:
        super().__init__(words)
        self.is_broken = is_broken


def basis_named(books: Books, past: Past) -> Basis:
    """What the verdict says that it rests on. Raises ``NotToldError``."""
    node = _version(past, NODE, books.namespace, books.node, text_in(books.limit, "nodeRevision"))
    named = part(books.limit, "settingsRevisions")
    used = {name: _version(past, SETTING, books.namespace, name, text_in(named, name)) for name in _USED if name in named}
    return Basis(node, {name: text_in(obj, "value") for name, obj in used.items()})


def _version(past: Past, kind: str, namespace: str, name: str, revision: str) -> Document:
    found = past.version(kind, namespace, name, revision)
    if found is None:
        words = f"no {kind.rpartition('/')[2]} {name!r} was ever at revision {revision!r}"
        raise NotToldError(words, is_broken=not past.may_have_been(kind, namespace, name, revision))
    return found


def basis_now(books: Books, past: Past) -> Basis | None:
    """What a verdict would rest on now; None where the record does not tell."""
    node = past.find(NODE, books.namespace, books.node)
    found = {name: past.find(SETTING, books.namespace, name) for name in (*_USED, settings.AGING)}
    if node is None or (not past.is_whole and any(found.get(name, node) is None for name in part(books.limit, "settingsRevisions"))):
        return None
    return Basis(node, {name: text_in(obj, "value") for name, obj in found.items() if obj is not None})


def closed_because(books: Books, node: Document) -> str:
    """Why a disk takes no growth; empty when it does."""
    spec, status = part(node, "spec"), part(node, "status")
    wanted, disk = part(spec, "disks").get(books.disk), part(part(status, "diskStatus"), books.disk)
    if text_in(disk, "diskUUID") != books.uuid:
        return f"disk {books.disk!r} of node {books.node!r} had UUID {text_in(disk, 'diskUUID')!r}"
    if not isinstance(wanted, dict):
        return f"node {books.node!r} did not want disk {books.disk!r}"
    for of, part_spec, part_status in ((f"node {books.node!r}", spec, status), (f"disk {books.disk!r}", wanted, disk)):
        if not is_ready(part_status):
            return f"{of} was not ready"
        if part_spec.get("allowScheduling") is not True:
            return f"{of} was closed by allowScheduling"
        if part_spec.get("evictionRequested") is True:
            return f"{of} was being emptied"
    return ""


def is_ready(status: Mapping[str, Any]) -> bool:
    conditions = status.get("conditions")
    return isinstance(conditions, list) and any(
        isinstance(each, dict) and each.get("type") == "Ready" and each.get("status") == "True" for each in conditions
    )


def broken_rules(books: Books, basis: Basis, shares: Iterable[Share], brought: int = 0) -> Iterator[str]:
    """Each rule that these shares of the disk break, with its numbers."""
    disk = part(part(part(basis.node, "status"), "diskStatus"), books.disk)
    reserved = whole(part(part(part(basis.node, "spec"), "disks"), books.disk).get("storageReserved"))
    available, maximum = _positive(disk.get("storageAvailable")), _positive(disk.get("storageMaximum"))
    over = settings.percentage(settings.OVER_PROVISIONING, basis.settings.get(settings.OVER_PROVISIONING, ""))
    minimal = settings.percentage(settings.MINIMAL_AVAILABLE, basis.settings.get(settings.MINIMAL_AVAILABLE, ""))
    policy = settings.policy(basis.settings.get(settings.LIMIT, ""))
    total, largest = 0, dict[str, int]()
    for share in shares:
        total += share.bytes
        largest[share.directory] = max(largest.get(share.directory, 0), share.bytes)
    if policy == "storage-available":
        # To the letter: every grant counts, also two that share a directory.
        if total > available:
            yield f"{total} scheduled > {available} available"
        return
    scheduled, nominal = sum(largest.values()), max(0, maximum - max(0, reserved)) * over // 100
    if scheduled > nominal:
        yield f"{scheduled} scheduled > {nominal}, {over}% of what may be used"
    if available - brought <= maximum * minimal // 100:
        yield f"{available} available less {brought} brought, of which {minimal}% of {maximum} must stay"
    written = part(disk, "written")
    owed = sum(max(0, size - _positive(written.get(directory))) for directory, size in largest.items())
    if policy == "written-aware" and owed > available * over // 100:
        yield f"{owed} still to be written > {over}% of {available} available"


def shares(books: Books, past: Past) -> list[Share]:
    """What the grants take, by the directory that each object has for life, wherever it is said to be now."""
    return [Share(_directory_for_life(key, grant.token, books, past), grant.size) for key, grant in books.grants.items()]


def _directory_for_life(key: AskKey, token: Token, books: Books, past: Past) -> str:
    if key.side != REPLICAS:
        return f"backing-images/{key.name}"
    found = past.find(REPLICA, books.namespace, key.name)
    directory = past.directory(token.uid or (uid_of(found) if found is not None else ""))
    return directory if directory and "/" not in directory else f"replicas/{key.name}"


def directory_now(key: AskKey, token: Token, books: Books, past: Past) -> str:
    """The directory that the disk holds for an ask: only what wants the ask and is placed here has one."""
    if key.side != REPLICAS:
        return f"backing-images/{key.name}"
    found = past.find(REPLICA, books.namespace, key.name)
    directory = ""
    if found is not None and is_wanted(key, token, books, past) and text_in(part(found, "spec"), "diskID") == books.uuid:
        directory = text_in(part(found, "spec"), "dataDirectoryName")
    return directory if directory and "/" not in directory else f"replicas/{key.name}"


def is_wanted(key: AskKey, token: Token, books: Books, past: Past) -> bool:
    """Whether the object that an ask was made for lives and has not moved on."""
    found = past.find(REPLICA if key.side == REPLICAS else f"{REPLICA.rpartition('/')[0]}/BackingImage", books.namespace, key.name)
    if found is None or (token.uid and token.uid != uid_of(found)):
        return False
    if key.side != REPLICAS:
        return True
    if not token.uid:
        return text_in(part(found, "spec"), "diskID") in {"", books.uuid}
    return placement_of(found) <= token.placement


def placement_of(replica: Document) -> int:
    """How often a Replica was assigned to a disk."""
    text = text_in(part(replica["metadata"], "annotations"), PLACEMENT)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _positive(value: Any) -> int:
    return max(0, whole(value))
