"""Which disk a person means: by UUID, by node and name, or by a name that only one node has."""

import difflib
from collections.abc import Iterable

from msgspec import Struct

from holdfast.api.longhorn import DiskSchedule, LonghornNode
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
            raise Failure(f"{reference} is more than one disk. Name one of:\n{_listed(found)}")
    raise Failure(f"there is no disk {reference} in namespace {namespace}. {_hint(reference, known)}")


def _hint(reference: str, known: list[Place]) -> str:
    if not known:
        return "There is no disk at all."
    names = {name: place for place in known for name in (place.uuid, f"{place.node}/{place.disk}", place.disk) if name}
    near = {names[name] for name in difflib.get_close_matches(reference, names, n=_SHOWN, cutoff=0.7)}
    return f"Near it are:\n{_listed(sorted(near))}" if near else f"There are:\n{_listed(known)}"


def _listed(found: list[Place]) -> str:
    lines = [f"  {place}" for place in found[:_SHOWN]]
    return "\n".join([*lines, *([f"  and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else [])])
