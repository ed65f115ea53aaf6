"""Which disk a person means: by UUID, by node and name, or by a name that only one node has."""

import difflib
from collections.abc import Iterable

from msgspec import Struct

from holdfast.api.conditions import find
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.cli.sources import Source
from holdfast.decide import foreign_books, words
from holdfast.plane.failure import Failure

_SHOWN = 10


class Place(Struct, frozen=True, order=True):
    """A disk, by everything that it is called. A disk that its node could not look at yet has no UUID."""

    node: str
    disk: str
    uuid: str = ""

    def __str__(self) -> str:
        return f"{self.node or '(no node)'}/{self.disk or '(no name)'}{f' ({self.uuid})' if self.uuid else ''}"


def places(schedules: Iterable[DiskSchedule], nodes: Iterable[LonghornNode]) -> list[Place]:
    """Every disk that its books or its node know. Where they differ (a copied UUID), both are there."""
    found = {Place(schedule.spec.node_id, schedule.spec.name, schedule.metadata.name) for schedule in schedules}
    for node in nodes:
        for name in {*node.spec.disks, *node.status.disk_status}:
            status = node.status.disk_status.get(name)
            found.add(Place(node.metadata.name, name, status.disk_uuid if status else ""))
    return sorted(found)


def place_of(reference: str, known: list[Place], namespace: str) -> Place:
    """The disk that is meant. Raises ``Failure`` that names those that could be."""
    by_uuid = [place for place in known if place.uuid == reference]
    by_path = [place for place in known if f"{place.node}/{place.disk}" == reference]
    by_name = [place for place in known if place.disk == reference]
    for found in (by_uuid, by_path, by_name):
        if len(found) == 1:
            return found[0]
        if found:
            raise Failure(f"{words.shown(reference)} is more than one disk. Name one of:\n{_listed(found)}")
    raise Failure(f"there is no disk {words.shown(reference)} in namespace {namespace}. {_hint(reference, known)}")


def _hint(reference: str, known: list[Place]) -> str:
    if not known:
        return "There is no disk at all."
    names = {name: place for place in known for name in (place.uuid, f"{place.node}/{place.disk}", place.disk) if name}
    near = {names[name] for name in difflib.get_close_matches(reference, names, n=_SHOWN, cutoff=0.7)}
    return f"Near it are:\n{_listed(sorted(near))}" if near else f"There are:\n{_listed(known)}"


def _listed(found: list[Place]) -> str:
    lines = [f"  {place}" for place in found[:_SHOWN]]
    return "\n".join([*lines, *([f"  and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else [])])


class Subject(Struct, frozen=True):
    """A disk to talk about: its books, its node if there is one, and whether the books are a DiskSchedule or noted in the Node."""

    books: DiskSchedule
    node: LonghornNode | None
    has_schedule: bool = True


async def subject_of(source: Source, reference: str, namespace: str) -> Subject:
    """The disk that is meant. What is named exactly is read alone; for anything else all disks are listed."""
    books = await source.get(DiskSchedule, reference)
    if books is not None:
        return Subject(books, await source.get(LonghornNode, books.spec.node_id))
    node_name, _, disk = reference.partition("/")
    node = await source.get(LonghornNode, node_name) if disk else None
    if node is not None and disk in node.status.disk_status:
        return await _subject_at(source, Place(node_name, disk, node.status.disk_status[disk].disk_uuid), node)
    place = place_of(reference, places(await source.all(DiskSchedule), await source.all(LonghornNode)), namespace)
    return await _subject_at(source, place, await source.get(LonghornNode, place.node))


async def _subject_at(source: Source, place: Place, node: LonghornNode | None) -> Subject:
    books = await source.get(DiskSchedule, place.uuid) if place.uuid else None
    if books is None and node is not None and place.disk in node.status.disk_status and place.uuid:
        return Subject(foreign_books.books_in(node, place.disk), node, has_schedule=False)
    if books is None:
        raise Failure(f"disk {place.disk} of node {place.node} has not been found by its node yet{_excuse(node, place.disk)}.")
    if (books.spec.node_id, books.spec.name) != (place.node, place.disk):
        raise Failure(
            f"disk {place.disk} of node {place.node} shows the UUID {place.uuid}, whose books belong to disk {books.spec.name} of node "
            f"{books.spec.node_id}: one is a copy of the other. To see the books: holdfast explain disk {place.uuid}"
        )
    return Subject(books, node)


def _excuse(node: LonghornNode | None, disk: str) -> str:
    status = node.status.disk_status.get(disk) if node else None
    ready = find(status.conditions, "Ready") if status else None
    return f": {ready.message}" if ready and ready.message else ""
