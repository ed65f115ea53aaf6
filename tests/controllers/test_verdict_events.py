"""Events tell what turned, and nothing else."""

from msgspec.structs import replace
from tests.support.builders import BIRTH, disk, node, schedule, size

from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.controllers.verdict_events import Told, events_of
from holdfast.decide.ledger import decide
from holdfast.decide.policy import Policy
from holdfast.decide.snapshot import situation_of
from holdfast.decide.values import AskKey, AskKind


def decided(books: DiskSchedule, on: LonghornNode, *, gone: str = "") -> tuple[DiskSchedule, list[Told]]:
    """The books after a verdict, and what is told of it."""
    orphans = {AskKey(AskKind.REPLICA, gone): BIRTH} if gone else {}
    situation = situation_of(books, on, Policy(), lambda _: None, lambda _: None, orphans)
    verdict = decide(situation, BIRTH)
    return replace(books, status=verdict.status), list(events_of(situation, verdict))


def asking(books: DiskSchedule, **asks: str) -> DiskSchedule:
    return replace(books, spec=replace(books.spec, replicas={name: size(each) for name, each in asks.items()}))


def test_a_grant_is_told_once():
    """The second look at the same grant is no news."""
    books, first = decided(schedule(asks={"r1": "5Gi"}), node())
    _, second = decided(books, node())

    assert first == [Told("Normal", "Scheduled", "replica r1: 5Gi granted")]
    assert second == []


def test_a_refusal_is_told_with_what_it_was_short_of():
    """A person reads the rule and the numbers where he looks first."""
    _, (told,) = decided(schedule(asks={"r1": "105Gi"}), node())

    assert (told.type, told.reason) == ("Warning", "Rejected")
    assert told.message.startswith("replica r1, 105Gi: n1/disk-1  over-provisioned: 105Gi + 0 scheduled > 100Gi; short by 5Gi")


def test_a_refusal_for_another_reason_is_news():
    """Somebody who waits for space should know that the disk is away now."""
    books, _ = decided(schedule(asks={"r1": "105Gi"}), node())

    _, told = decided(books, node("n1", disk(is_ready=False)))

    assert [event.reason for event in told] == ["Rejected"]
    assert "not ready" in told[0].message


def test_a_growth_and_a_shrink_are_told():
    """What is held has changed."""
    books, _ = decided(schedule(asks={"r1": "5Gi"}), node())
    books, grown = decided(asking(books, r1="7Gi"), node())
    _, shrunk = decided(asking(books, r1="6Gi"), node())

    assert [event.message for event in (*grown, *shrunk)] == ["replica r1: 7Gi granted", "replica r1: 6Gi granted"]


def test_an_orphan_is_told_when_it_is_found():
    """And not at every look until it is swept."""
    books, first = decided(schedule(asks={"r1": "5Gi"}), node(), gone="r1")
    _, second = decided(books, node(), gone="r1")

    assert [event.reason for event in first] == ["Scheduled", "AskOrphaned"]
    assert second == []


def test_a_disk_that_comes_to_hold_too_much_is_told_once():
    """A warning that repeats itself is not read."""
    books, _ = decided(schedule(asks={"r1": "90Gi"}), node())
    small = node("n1", disk(maximum="80Gi"))
    books, first = decided(books, small)
    _, second = decided(books, small)

    assert [event.reason for event in first] == ["OverLimit"]
    assert second == []
