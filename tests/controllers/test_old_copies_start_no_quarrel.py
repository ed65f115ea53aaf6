"""Managers whose copies differ do not write over each other: whoever is behind sees it, and reads before he contradicts.

Each of these was seen in simulated runs as hundreds of writes a second, for as long as one of two managers heard nothing.
"""

from collections.abc import Callable

import pytest
from tests.support.builders import machine, replica, simulated_disk, size
from tests.support.faulty_transports import Deaf, Outrun
from tests.support.world import World

from holdfast.api.longhorn import DiskSchedule, LonghornNode, Replica
from holdfast.api.wire import Request, Transport
from holdfast.decide import settings
from holdfast.decide.orphans import PLACEMENT
from holdfast.decide.tokens import Token

DISK, OTHER = "n1/disk-1", "n1/disk-2"


class Pen:
    """Counts the writes of one manager to the status of one kind."""

    def __init__(self, plural: str) -> None:
        self.writes = 0
        self._plural = plural

    def held_by(self, transport: Transport) -> Transport:
        return Outrun(transport, self._count)

    async def _count(self, request: Request) -> None:
        self.writes += request.method == "PATCH" and f"/{self._plural}/" in request.path and request.path.endswith("/status")


async def two_managers(world: World, *, deaf_to: str, pen: Pen) -> None:
    """One hears everything, the other nothing more of one kind than what there is when he starts."""
    for name, changed in _ears(deaf_to).items():
        world.starts_manager(name, pen.held_by(changed(world.transports())))
    await world.settles()


def _ears(deaf_to: str) -> dict[str, Callable[[Transport], Transport]]:
    return {"hears": lambda transport: transport, "deaf": lambda transport: Deaf(transport, deaf_to)}


@pytest.mark.takes_hours
async def test_an_old_copy_of_a_node_decides_nothing_anew(empty_world):
    """D-02: a verdict never rests on less than the verdict before it."""
    pen = Pen("diskschedules")
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await empty_world.passes(30)
    await two_managers(empty_world, deaf_to="nodes", pen=pen)
    before = pen.writes

    empty_world.machines["n1"].fill("disk-1", size("60Gi"))  # the deaf one goes on to see an empty disk
    await empty_world.passes(30)
    await empty_world.asks("r1", "70Gi", on=DISK)
    await empty_world.settles()

    assert pen.writes - before < 10
    assert empty_world.granted("r1", on=DISK) == 0


@pytest.mark.takes_hours
async def test_an_old_copy_of_a_setting_decides_nothing_anew(empty_world):
    """D-02: what was allowed yesterday is no verdict of today."""
    pen = Pen("diskschedules")
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await empty_world.passes(30)
    await two_managers(empty_world, deaf_to="settings", pen=pen)
    before = pen.writes

    await empty_world.sets(settings.OVER_PROVISIONING, "50")
    await empty_world.asks("r1", "60Gi", on=DISK)
    await empty_world.settles()

    assert pen.writes - before < 10
    assert empty_world.granted("r1", on=DISK) == 0


@pytest.mark.takes_hours
async def test_an_old_copy_of_a_replica_does_not_bring_an_orphan_back(empty_world):
    """An ask whose replica has moved on stays an orphan, also for who has not heard of the move."""
    pen = Pen("diskschedules")
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi"), simulated_disk("disk-2", "100Gi")))
    await empty_world.has(replica("r1", on=empty_world.uuid(DISK), placement=1))
    await empty_world.passes(30)
    await two_managers(empty_world, deaf_to="replicas", pen=pen)
    uid = empty_world.sees(Replica, "r1").metadata.uid
    await empty_world.asks("r1", "10Gi", on=DISK, token=Token(uid, 1, 0))
    await empty_world.settles()
    before = pen.writes

    moved = {"metadata": {"annotations": {PLACEMENT: "2"}}, "spec": {"diskID": empty_world.uuid(OTHER)}}
    await empty_world.applies(Replica, "r1", moved)
    await empty_world.passes(60)

    assert pen.writes - before < 6
    assert empty_world.entry("r1", on=DISK).orphaned_since


@pytest.mark.takes_hours
async def test_an_old_copy_of_the_books_does_not_contradict_the_node(empty_world):
    """That a disk in use was taken out is said once, and not taken back by who has old books."""
    pen = Pen("nodes")
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi"), simulated_disk("disk-2", "100Gi")))
    manager = empty_world.starts_manager("first")
    await empty_world.settles()
    await manager.dies()
    await two_managers(empty_world, deaf_to="diskschedules", pen=pen)
    await empty_world.asks("r1", "10Gi", on=DISK)
    await empty_world.settles()
    before = pen.writes

    await empty_world.applies(LonghornNode, "n1", {"spec": {"disks": {"disk-1": None}}})
    await empty_world.passes(60)

    assert pen.writes - before < 10
    assert "r1" in empty_world.node_condition("n1", "DisksReleased").message


@pytest.mark.takes_hours
async def test_an_old_copy_of_a_node_opens_no_books_for_a_disk_that_is_out(empty_world):
    """One would open them and the other close them, over and over."""
    pen = Pen("diskschedules")
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi"), simulated_disk("disk-2", "100Gi")))
    await empty_world.passes(30)
    await two_managers(empty_world, deaf_to="nodes", pen=pen)
    before = pen.writes

    await empty_world.applies(LonghornNode, "n1", {"spec": {"disks": {"disk-1": None}}})
    await empty_world.passes(60)

    assert pen.writes - before < 10
    assert empty_world.sees(DiskSchedule, empty_world.uuid(DISK)) is None
