"""At rest every disk has its books, every identity is one disk's, and books that nobody needs are closed.

Books keep their claim while they hold something, also when another disk has been put in the place of theirs: away is not gone.
"""

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from holdfast.simulation.invariant import DISK_SCHEDULE, NODE, Broken, Invariant, subject
from holdfast.simulation.past import Past
from holdfast.simulation.recorded_books import Books, Document, part, text_in
from holdfast.simulation.recorded_limit import is_ready

_OURS = "longhorn.io"
_CAN_NAME_AN_OBJECT = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*").fullmatch


class Claims(Invariant):
    promise: ClassVar[str] = "a disk has one identity and one claimant at rest"

    def at_rest(self, past: Past) -> Broken:
        ready: dict[tuple[str, str], str] = {}
        for node in past.all(NODE):
            namespace = node["metadata"].get("namespace", "")
            for name, uuid, disk in _disks(node):
                if is_ready(disk) and (other := ready.setdefault((namespace, uuid), name)) != name:
                    yield subject(node), f"UUID {uuid} is ready as {other} and as {name}"
                if _CAN_NAME_AN_OBJECT(uuid) and (DISK_SCHEDULE, namespace, uuid) not in past.books:
                    yield subject(node), f"disk {name} with UUID {uuid} has no books"
        if past.is_whole:
            yield from _idle_books(past)


def _disks(node: Document) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The disks that a node wants and reports: name, UUID, status."""
    wanted, reported = part(part(node, "spec"), "disks"), part(part(node, "status"), "diskStatus")
    for name in reported:
        disk = part(reported, name)
        if name in wanted and (uuid := text_in(disk, "diskUUID")):
            yield f"{node['metadata']['name']}/{name}", uuid, disk


def _idle_books(past: Past) -> Broken:
    reported: dict[tuple[str, str], set[str]] = {}
    for node in past.all(NODE):
        for name, uuid, _ in _disks(node):
            reported.setdefault((node["metadata"].get("namespace", ""), uuid), set()).add(name)
    for books in past.books.values():
        schedule = past.find(DISK_SCHEDULE, books.namespace, books.uuid) or {"metadata": {}}
        claim, heirs = f"{books.node}/{books.disk}", reported.get((books.namespace, books.uuid), set())
        if schedule["metadata"].get("deletionTimestamp"):
            if not books.names and schedule["metadata"].get("finalizers") == [_OURS]:
                yield subject(schedule), "it is empty, is being deleted, and still there"
        elif claim in heirs or not _is_given_up(books, past):
            continue
        elif heirs:
            yield subject(schedule), f"it claims {claim}, and the disk is {', '.join(sorted(heirs))}"
        elif not books.names and _OURS in (schedule["metadata"].get("finalizers") or ()):
            yield subject(schedule), f"it is empty and claims {claim}, which is gone"


def _is_given_up(books: Books, past: Past) -> bool:
    """Whether the claimant can not come back with this disk."""
    node = past.find(NODE, books.namespace, books.node)
    if node is None or books.disk not in part(part(node, "spec"), "disks"):
        return True
    found = text_in(part(part(part(node, "status"), "diskStatus"), books.disk), "diskUUID")
    return found not in {"", books.uuid}
