"""Which disk a person means."""

import pytest

from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec
from holdfast.api.longhorn.node import DiskSpec, DiskStatus, NodeSpec, NodeStatus
from holdfast.api.meta import ObjectMeta
from holdfast.cli.disks import Place, place_of, places
from holdfast.plane.failure import Failure

HERE = "longhorn-system"

ROOMY = Place("n1", "roomy", "1111")
DISK_1 = Place("n1", "disk", "2222")
DISK_2 = Place("n2", "disk", "3333")
KNOWN = [ROOMY, DISK_1, DISK_2]


@pytest.mark.parametrize("reference", ["1111", "n1/roomy", "roomy"])
def test_a_disk_is_found_by_each_of_its_names(reference):
    """People copy whichever name the table or the event showed."""
    assert place_of(reference, KNOWN, HERE) == ROOMY


def test_a_name_that_several_nodes_use_asks_which():
    """Every node has its disk-1; guessing would explain the wrong one."""
    with pytest.raises(Failure) as refusal:
        place_of("disk", KNOWN, HERE)
    assert str(refusal.value) == "disk is more than one disk. Name one of:\n  n1/disk (2222)\n  n2/disk (3333)"


def test_a_misspelt_disk_shows_what_is_near():
    """Mostly it is one letter."""
    with pytest.raises(Failure) as refusal:
        place_of("n1/romy", KNOWN, HERE)
    assert "Near it are:\n  n1/roomy (1111)" in str(refusal.value)


def test_an_unknown_disk_shows_those_that_exist():
    """The next command is then a copy away."""
    with pytest.raises(Failure) as refusal:
        place_of("zzzzzzzz", KNOWN, HERE)
    assert str(refusal.value) == (
        "there is no disk zzzzzzzz in namespace longhorn-system. There are:\n  n1/roomy (1111)\n  n1/disk (2222)\n  n2/disk (3333)"
    )


def test_a_large_cluster_does_not_flood_the_terminal():
    """Ten are enough to see how they are called."""
    with pytest.raises(Failure, match=r"and 90 more$"):
        place_of("elsewhere", [Place(f"m{number:03}", "d", f"{number:03}") for number in range(100)], HERE)


def test_a_cluster_without_disks_says_so():
    """Then the name was not the mistake."""
    with pytest.raises(Failure, match="no disk at all"):
        place_of("disk", [], HERE)


def test_disks_are_known_by_their_books_and_by_their_nodes():
    """A disk without books (plain Longhorn) and books without a disk (it is away for good) are both worth a question."""
    books = DiskSchedule(metadata=ObjectMeta(name="1111"), spec=DiskScheduleSpec(name="roomy", node_id="n1"))
    away = DiskSchedule(metadata=ObjectMeta(name="4444"), spec=DiskScheduleSpec(name="old", node_id="gone"))
    node = LonghornNode(
        metadata=ObjectMeta(name="n1"),
        spec=NodeSpec(disks={"roomy": DiskSpec(), "new": DiskSpec()}),
        status=NodeStatus(disk_status={"roomy": DiskStatus(disk_uuid="1111"), "disk": DiskStatus(disk_uuid="2222")}),
    )
    assert places([books, away], [node]) == [Place("gone", "old", "4444"), DISK_1, Place("n1", "new"), ROOMY]


def test_a_copied_disk_shows_both_places():
    """Two disks with one UUID: which one is meant is the person's to say."""
    books = DiskSchedule(metadata=ObjectMeta(name="1111"), spec=DiskScheduleSpec(name="roomy", node_id="n1"))
    copy = LonghornNode(metadata=ObjectMeta(name="n2"), status=NodeStatus(disk_status={"copy": DiskStatus(disk_uuid="1111")}))
    with pytest.raises(Failure, match=r"n1/roomy \(1111\)\n  n2/copy \(1111\)"):
        place_of("1111", places([books], [copy]), HERE)
