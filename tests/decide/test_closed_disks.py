"""A disk that takes no growth: away, not ready, disabled, being emptied."""

import pytest
from msgspec.structs import replace
from tests.support.ledgers import UNREADY, Book, disk_status, node

from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec

GI = 2**30

CLOSED = {
    "node-missing": None,
    "disk-missing": node(disk_status(diskUUID="")),
    "uuid-differs": node(disk_status(diskUUID="another")),
    "disk-removed": node(spec={"disks": {}}),
    "node-not-ready": node(conditions=UNREADY),
    "disk-not-ready": node(disk_status(conditions=UNREADY)),
    "node-scheduling-disabled": node(spec={"allowScheduling": False}),
    "disk-scheduling-disabled": node(wanted={"allowScheduling": False}),
    "node-evicting": node(spec={"evictionRequested": True}),
    "disk-evicting": node(wanted={"evictionRequested": True}),
}


def closed(code: str) -> Book:
    """A disk that was open while ``a`` was granted, and is closed now."""
    book = Book()
    book.asks(a="50Gi")
    book.has_node, book.node = code != "node-missing", CLOSED[code]
    return book


@pytest.mark.parametrize("code", CLOSED)
def test_a_closed_disk_refuses_growth_and_says_why(code):
    """Growth is granted or rejected, never left silent; each cause has its own word."""
    book = closed(code)
    book.asks(a="60Gi", b="1Gi")
    assert book.entry("a") == ("rejected", 50 * GI)
    assert book.refused() == {"a": code, "b": code}
    assert book.why("b").code == code


@pytest.mark.parametrize("code", CLOSED)
def test_a_closed_disk_keeps_shrinks_and_releases(code):
    """A disk that comes back must find its books as they were, and a disabled one must be able to empty."""
    book = closed(code)
    book.decides()
    assert book.entry("a") == ("scheduled", 50 * GI)
    book.asks(a="20Gi")
    assert book.entry("a") == ("scheduled", 20 * GI)
    book.releases("a")
    assert book.status.storage_scheduled == 0


@pytest.mark.parametrize("code", CLOSED)
def test_a_closed_disk_shows_it_in_its_condition(code):
    """What kubectl shows is what the verdict was made with."""
    book = closed(code)
    book.decides()
    condition = book.condition("Schedulable")
    assert condition.status == "False"
    assert condition.reason.lower() == code.replace("-", "")
    assert "example-disk" in condition.message


@pytest.mark.parametrize("code", ["node-missing", "disk-missing", "uuid-differs"])
def test_a_disk_that_is_away_promises_nothing(code):
    """Whoever looks for room must find none there; what it holds shows as over the limit."""
    book = closed(code)
    book.decides()
    assert (book.status.limit.bytes, book.status.limit.rule) == (0, code)
    assert book.condition("OverLimit").status == "True"


def test_a_disabled_disk_still_says_what_it_could_hold():
    """The numbers are known: only growth is off."""
    book = closed("disk-scheduling-disabled")
    book.decides()
    assert book.status.limit.bytes == 500 * GI


def test_a_disk_that_opens_again_decides_what_waited():
    """No ask has to be written again."""
    book = closed("node-not-ready")
    book.asks(b="1Gi")
    book.node = node()
    book.decides()
    assert book.entry("b") == ("scheduled", GI)


def test_a_schedule_that_is_being_deleted_works_on_and_says_so():
    """A slip of the hand must not close a disk: its finalizer waits for empty books, however long that takes."""
    book = Book()
    book.asks(a="50Gi")
    metadata = replace(book.schedule.metadata, deletion_timestamp="2006-01-02T15:04:05Z")
    book.schedule = replace(book.schedule, metadata=metadata)
    book.asks(b="1Gi")
    assert book.granted() == {"a": 50 * GI, "b": GI}
    assert "Deleting" in {condition.type for condition in book.schedule.status.conditions}


def test_a_schedule_that_names_no_node_is_told_so():
    """A DiskSchedule written by hand without its node."""
    book = Book()
    book.schedule = replace(book.schedule, spec=DiskScheduleSpec())
    book.asks(a="1Gi")
    assert book.refused() == {"a": "node-missing"}
    assert "names no node" in book.condition("Schedulable").message
