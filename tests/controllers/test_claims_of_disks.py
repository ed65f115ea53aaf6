"""A disk has one claimant, and its books follow it: to another name, to another node, and never to a copy."""

import pytest
from tests.support.builders import machine, simulated_disk, size
from tests.support.world import World, said

from holdfast.agent.wishes import ANNOTATION
from holdfast.api.longhorn import DiskSchedule, LonghornNode

DISK = "n1/disk-1"
GONE = {"spec": {"disks": {"disk-1": None}}}


@pytest.fixture
async def world(world: World) -> World:
    """One machine with one disk of 100Gi."""
    await world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await world.settles()
    return world


async def test_a_copied_disk_is_unready_and_the_first_one_keeps_its_claim(world):
    """Two disks with one identity: the bytes of one must not be promised by the other."""
    clone = f'{{"disks": {{"copy": {{"size": "100Gi", "uuid": "{world.uuid(DISK)}"}}}}}}'
    await world.has(machine("n0", simulated_disk("own", "10Gi")))
    await world.settles()
    await world.applies(LonghornNode, "n0", {"metadata": {"annotations": {ANNOTATION: clone}}})
    await world.applies(LonghornNode, "n0", {"spec": {"disks": {"copy": {"path": "/copy", "allowScheduling": True}}}})
    await world.settles()

    ready = said(world.sees(LonghornNode, "n0").status.disk_status["copy"].conditions, "Ready")
    assert (ready.status, ready.reason) == ("False", "DuplicateUUID")
    assert (world.books(DISK).spec.node_id, world.books(DISK).spec.name) == ("n1", "disk-1")


async def test_a_disk_that_was_moved_to_another_node_takes_its_books_along(world):
    """A disk that is pulled here, and put in there, keeps every grant: the claim follows it."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.has(machine("n2", simulated_disk("own", "10Gi")))
    await world.settles()
    uid = world.books(DISK).metadata.uid
    moved = f'{{"disks": {{"moved": {{"size": "100Gi", "uuid": "{world.uuid(DISK)}"}}}}}}'

    world.machines["n1"].pull("disk-1")
    await world.applies(LonghornNode, "n2", {"metadata": {"annotations": {ANNOTATION: moved}}})
    await world.applies(LonghornNode, "n2", {"spec": {"disks": {"moved": {"path": "/moved", "allowScheduling": True}}}})
    await world.settles()
    while_claimed = world.books(DISK).spec.node_id
    await world.applies(LonghornNode, "n1", GONE)
    await world.settles()
    await world.asks("r2", "10Gi", on=DISK)
    await world.settles()

    books = world.books(DISK)
    assert (while_claimed, books.spec.node_id, books.spec.name, books.metadata.uid) == ("n1", "n2", "moved", uid)
    assert (world.granted("r1", on=DISK), world.granted("r2", on=DISK)) == (size("10Gi"), size("10Gi"))


async def test_a_disk_that_was_renamed_keeps_its_books(world):
    """Another name in the Node is the same disk."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()
    uid = world.books(DISK).metadata.uid
    renamed = f'{{"disks": {{"data": {{"size": "100Gi", "uuid": "{world.uuid(DISK)}"}}}}}}'

    await world.applies(LonghornNode, "n1", {"metadata": {"annotations": {ANNOTATION: renamed}}})
    await world.applies(LonghornNode, "n1", {"spec": {"disks": {"disk-1": None, "data": {"path": "/data", "allowScheduling": True}}}})
    await world.settles()
    await world.asks("r2", "10Gi", on=DISK)
    await world.settles()

    assert (world.books(DISK).spec.name, world.books(DISK).metadata.uid) == ("data", uid)
    assert (world.granted("r1", on=DISK), world.granted("r2", on=DISK)) == (size("10Gi"), size("10Gi"))


async def test_two_disks_of_one_node_with_one_identity_are_told_apart(world):
    """The copy may lie in the same machine as the original."""
    clone = f'{{"disks": {{"copy": {{"size": "100Gi", "uuid": "{world.uuid(DISK)}"}}}}}}'
    await world.applies(LonghornNode, "n1", {"metadata": {"annotations": {ANNOTATION: clone}}})
    await world.applies(LonghornNode, "n1", {"spec": {"disks": {"copy": {"path": "/copy", "allowScheduling": True}}}})
    await world.settles()

    disks = world.sees(LonghornNode, "n1").status.disk_status
    assert (said(disks["copy"].conditions, "Ready").reason, said(disks["disk-1"].conditions, "Ready").status) == ("DuplicateUUID", "True")


@pytest.mark.parametrize("node", ["", ".", "..", "../n1", "a/b", "n77", "N1"])
async def test_a_claim_that_was_edited_by_hand_is_put_right(world, node):
    """A slip of the hand in spec.nodeID takes no disk out of service, whatever was written there."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()

    await world.applies(DiskSchedule, world.uuid(DISK), {"spec": {"nodeID": node, "name": "nope"}})
    await world.settles()
    await world.asks("r2", "10Gi", on=DISK)
    await world.settles()

    spec = world.books(DISK).spec
    assert (spec.node_id, spec.name) == ("n1", "disk-1")
    assert (world.granted("r1", on=DISK), world.granted("r2", on=DISK)) == (size("10Gi"), size("10Gi"))
