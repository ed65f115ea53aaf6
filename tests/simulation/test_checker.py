"""The checker itself: what it goes through, what it remembers, and how it says what it found."""

import pytest
from tests.support.records import DISK, RecordByHand

from holdfast.simulation.checker import Checker, Violation, invariants
from holdfast.simulation.invariant import Invariant
from holdfast.simulation.record import Revision


@pytest.fixture
def record() -> RecordByHand:
    record = RecordByHand()
    record.disk()
    record.asks(r1=50, r2=10)
    record.grants(r1=50, r2=10)
    return record


def test_every_invariant_in_the_folder_is_gone_through_in_a_fixed_order():
    """A file is all that a new one takes, and a run says the same every time."""
    found = invariants()
    assert len(found) > 15
    assert [each.__module__ for each in found] == sorted(each.__module__ for each in found)
    assert all(each.promise and each.__doc__ is not Invariant.__doc__ for each in found)


def test_a_promise_has_one_name():
    """A violation names the promise, and a reader looks for the file."""
    promises = [each.promise for each in invariants()]
    assert len(set(promises)) == len(promises)


def test_an_invariant_that_says_nothing_finds_nothing(record):
    """One that looks only at rest need not care for revisions."""
    checker = Checker()
    before = checker.past.take(record.revisions[0])
    assert list(Invariant().see(record.revisions[0], before, checker.past)) == []
    assert list(Invariant().at_rest(checker.past)) == []


def test_a_violation_is_one_line_with_its_numbers():
    """Which revision, which object, which promise, which numbers."""
    found = Violation("within the limit", 7, "DiskSchedule ns/d", "r1 grew: 2 scheduled > 1 available")
    assert str(found) == "revision 7: DiskSchedule ns/d: within the limit: r1 grew: 2 scheduled > 1 available"


def test_grants_are_counted(record):
    """That nothing was found means little if nothing was granted."""
    checker = Checker()
    assert checker.check_all(record.revisions) == []
    assert checker.grants_seen == 2


def test_the_objects_of_a_kind_are_those_that_live(record):
    """As they are after the last revision."""
    record.setting("s", "1")
    record.deletes("Setting", "s")
    checker = Checker()
    checker.check_all(record.revisions)
    assert [found["metadata"]["name"] for found in checker.objects("DiskSchedule")] == [DISK]
    assert checker.objects("Setting") == []
    assert checker.objects("Replica") == []


@pytest.mark.parametrize(
    "asks, grants, why",
    [
        ({"r3": 5}, {}, "r3 is asked and has no verdict"),
        ({"r1": None}, {}, "r1 is granted and not asked"),
        ({"r1": 40}, {}, "r1 asks 42949672960 and is scheduled with 53687091200"),
        ({}, {"r1": {"state": "rejected"}}, None),
    ],
)
def test_asks_and_grants_that_differ_are_told(record, asks, grants, why):
    """I7: once quiet, the books are closed."""
    record.asks(**asks)
    record.changes("DiskSchedule", DISK, {"status": {"replicas": grants}})
    checker = Checker()
    checker.check_all(record.revisions)
    assert checker.disagreements() == ([f"{DISK}: {why}"] if why else [])


def test_violations_at_rest_bear_the_last_revision(record):
    """There is no revision to blame: something is missing."""
    record.asks(r3=5)
    checker = Checker()
    checker.check_all(record.revisions)
    found = checker.at_rest()
    assert {violation.revision for violation in found} == {record.revisions[-1].revision}
    assert "asks and grants agree at rest" in {violation.promise for violation in found}


def test_a_revision_costs_no_more_in_a_large_world(record):
    """A run has hundreds of thousands of them: only what changed is looked at."""

    class Counted(dict):  # type: ignore[type-arg]  # a document
        reads = 0

        def get(self, *arguments):
            Counted.reads += 1
            return super().get(*arguments)

    checker = Checker()
    checker.check_all(record.revisions)
    for number in range(50):
        name = f"s{number}"
        obj = {
            "apiVersion": "longhorn.io/v1beta2",
            "kind": "Setting",
            "metadata": {"name": name, "uid": name, "resourceVersion": str(number + 20)},
        }
        checker.see(Revision(number + 20, "ADDED", Counted(obj)))
    Counted.reads = 0
    record.setting("last", "1")
    checker.see(Revision(100, "ADDED", record.now("Setting", "last")))
    assert Counted.reads == 0
