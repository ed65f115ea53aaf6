"""The limit, computed again from what a verdict names: what passes, and what does not."""

from typing import Any

import pytest
from tests.support.records import DISK, GIB, READY, RecordByHand

OVER = "storage-over-provisioning-percentage"
MINIMAL = "storage-minimal-available-percentage"


@pytest.fixture
def record() -> RecordByHand:
    return RecordByHand()


def asked_and_granted(record: RecordByHand, **sizes: Any) -> list[str]:
    record.asks(**sizes)
    record.grants(**sizes)
    return record.broken()


def test_a_grant_that_fits_breaks_nothing(record):
    """Silence must be possible, or noise means nothing."""
    record.disk()
    assert asked_and_granted(record, r1=50) == []
    assert asked_and_granted(record, r2=25) == []


@pytest.mark.parametrize(
    "numbers, size",
    [({"maximum": 40, "available": 60}, 41), ({"reserved": 60}, 41), ({"available": 40}, 41), ({"available": 25}, 1)],
    ids=["over the disk", "over the disk less the reserve", "more than is free", "below the minimum"],
)
def test_a_grant_over_a_rule_is_caught(record, numbers, size):
    """Each rule of the default policy is computed again from the recorded Node."""
    record.disk(**numbers)
    assert asked_and_granted(record, r1=size) == ["within the limit"]


@pytest.mark.parametrize("written, broken", [(10, []), (9, ["within the limit"])])
def test_written_bytes_are_not_counted_twice(record, written, broken):
    """They are missing from what is free already; what is still to be written must fit there."""
    record.disk(available=50)
    token = record.replica("r1", directory="v-r1-dir")
    record.node_says({"written": {"v-r1-dir": written * GIB}})
    record.asks(r1=60, tokens={"r1": token})
    record.grants(r1=60)
    assert record.broken() == broken


def test_a_new_replica_does_not_inherit_the_bytes_of_its_namesake(record):
    """A directory belongs to one uid: what the old one wrote is not free for the new one."""
    record.disk(available=50)
    record.replica("r1", directory="old")
    record.node_says({"written": {"old": 20 * GIB}})
    record.changes("Replica", "r1", {"metadata": {"finalizers": None}})
    record.deletes("Replica", "r1")
    token = record.replica("r1", directory="new")
    record.asks(r1=60, tokens={"r1": token})
    record.grants(r1=60)
    assert record.broken() == ["within the limit"]


def test_two_replicas_in_one_directory_count_once(record):
    """The bytes exist once: the larger grant takes them."""
    record.disk()
    tokens = {name: record.replica(name, directory="shared") for name in ("r1", "r2")}
    record.asks(r1=70, r2=60, tokens=tokens)
    record.grants(r1=70, r2=60)
    assert record.broken() == []


def test_a_setting_counts_from_the_revision_that_the_verdict_names(record):
    """A grant decided with the old value is honest only if it says so."""
    record.disk()
    record.setting(OVER, "50")
    record.asks(r1=80)
    record.grants(r1=80)
    assert record.broken() == ["within the limit", "within the limit"]


def test_a_verdict_that_names_no_setting_used_the_defaults(record):
    """It was decided before anybody had heard of the value, and says so."""
    record.disk()
    record.setting(OVER, "50")
    record.asks(r1=80)
    record.grants(r1=80)
    record.revisions[-1].object["status"]["limit"]["settingsRevisions"] = {}
    assert record.broken() == []


@pytest.mark.parametrize("text", ["lots", "", '{"v2": "10"}', '{"v1": {}}', "[1]", "-5", "1e2", "9" * 30])
def test_a_refused_setting_counts_as_its_default(record, text):
    """What the controllers refuse, the checker must not believe either."""
    record.disk()
    record.setting(OVER, text)
    assert asked_and_granted(record, r1=100) == []
    assert asked_and_granted(record, r2=1) == ["within the limit", "within the limit"]


@pytest.mark.parametrize("text", ["50", " 50 ", '{"v1": "50", "v2": "100"}', '{"v1": 50}'])
def test_a_setting_may_be_written_per_data_engine(record, text):
    """Longhorn does: one value each, and v1 is ours."""
    record.disk()
    record.setting(OVER, text)
    assert asked_and_granted(record, r1=50) == []
    assert "within the limit" in asked_and_granted(record, r2=1)


def test_the_share_that_must_stay_free_is_a_setting(record):
    """At 0 a disk may be filled."""
    record.disk(available=10)
    assert asked_and_granted(record, r1=5) == ["within the limit"]
    other = RecordByHand()
    other.disk(available=10)
    other.setting(MINIMAL, "0")
    assert asked_and_granted(other, r1=5) == []


@pytest.mark.parametrize("size, broken", [(60, []), (61, ["within the limit"])])
def test_the_policy_of_the_spec_compares_with_what_is_available(record, size, broken):
    """D-45: the text's own rule is selectable, and the checker follows."""
    record.disk(available=60)
    record.setting("disk-schedule-limit", "storage-available")
    assert asked_and_granted(record, r1=size) == broken


def test_what_longhorn_promises_does_not_look_at_what_is_to_be_written(record):
    """D-45: two rules of the three."""
    record.disk(available=30)
    record.setting("disk-schedule-limit", "longhorn")
    assert asked_and_granted(record, r1=90) == []


@pytest.mark.parametrize(
    "closing",
    [
        {"spec": {"allowScheduling": False}},
        {"spec": {"evictionRequested": True}},
        {"spec": {"disks": {"ssd1": {"allowScheduling": False}}}},
        {"spec": {"disks": {"ssd1": {"evictionRequested": True}}}},
        {"spec": {"disks": {"ssd1": None}}},
        {"status": {"conditions": [{"type": "Ready", "status": "False"}]}},
        {"status": {"diskStatus": {"ssd1": {"conditions": []}}}},
        {"status": {"diskStatus": {"ssd1": {"diskUUID": "another"}}}},
        {"status": {"diskStatus": {"ssd1": None}}},
    ],
    ids=str,
)
def test_a_closed_disk_grants_nothing_new(record, closing):
    """Growth needs a disk that is there, ready, and open."""
    record.disk()
    record.changes("Node", "n1", closing)
    assert asked_and_granted(record, r1=1) == ["within the limit"]


def test_a_closed_disk_lets_go(record):
    """Shrink and release are always granted."""
    record.disk()
    asked_and_granted(record, r1=50, r2=10)
    record.changes("Node", "n1", {"spec": {"allowScheduling": False}})
    assert asked_and_granted(record, r1=20) == []
    assert asked_and_granted(record, r2=None) == []


def test_a_disk_that_shrinks_takes_nothing_back(record):
    """Only growth is held to the limit; what was granted before stays."""
    record.disk()
    asked_and_granted(record, r1=80)
    record.node_says({"storageMaximum": 50 * GIB, "storageAvailable": 50 * GIB})
    assert asked_and_granted(record, r1=70) == []
    assert "within the limit" in asked_and_granted(record, r2=1)


def test_a_grant_that_names_no_real_node_revision_is_caught(record):
    """A limit that rests on nothing is no limit."""
    record.disk()
    record.asks(r1=1)
    record.grants(r1=1)
    record.revisions[-1].object["status"]["limit"]["nodeRevision"] = "77"
    assert record.broken() == ["within the limit"]


def test_what_was_adopted_may_pass_the_limit_but_nothing_grows_beside_it(record):
    """Bytes that exist are granted and flagged; they take nobody's promise back."""
    record.disk()
    record.asks(r1=120)
    record.grants(r1=120, more={"r1": {"adopted": True}})
    assert record.broken() == []
    assert "within the limit" in asked_and_granted(record, r2=1)


def test_a_record_that_begins_in_the_middle_holds_nobody_to_what_it_does_not_tell(record):
    """`holdfast up` on yesterday's folder: the Node may be older than the record."""
    record.disk()
    asked_and_granted(record, r1=150)
    (books,) = [found for found in record.revisions if found.object["kind"] == "DiskSchedule" and found.type == "ADDED"]
    late = RecordByHand()
    late.revisions = record.revisions[record.revisions.index(books) + 1 :]
    assert late.broken() == []


def test_the_node_of_a_verdict_is_the_one_that_the_books_name(record):
    """Another node's numbers are no excuse."""
    record.disk(maximum=40)
    record.node("n2", "ssd1", DISK, maximum=400)
    record.asks(r1=50)
    record.grants(r1=50)
    record.revisions[-1].object["status"]["limit"]["nodeRevision"] = record.now("Node", "n2")["metadata"]["resourceVersion"]
    assert record.broken() == ["within the limit"]


def test_ready_is_a_condition_that_says_true(record):
    """Unknown is not ready: nobody knows whether the disk is there."""
    record.disk()
    record.node_says({"conditions": [{"type": "Ready", "status": "Unknown"}]})
    assert asked_and_granted(record, r1=1) == ["within the limit"]
    record.node_says({"conditions": READY})
    assert len(asked_and_granted(record, r2=1)) == 1


@pytest.mark.parametrize("uid, broken", [("one", []), ("another", ["within the limit"])])
def test_what_another_uid_gets_is_a_new_grant(record, uid, broken):
    """Another uid inherits nothing: on a disk that has promised too much it would be a promise more."""
    record.disk()
    record.asks(r1=60, tokens={"r1": "one/1/1"})
    record.grants(r1=60)
    record.node_says({"storageAvailable": 50 * GIB})
    record.asks(r1=60, tokens={"r1": f"{uid}/2/2"})
    record.grants(r1=60)
    assert [promise for promise in record.broken() if promise == "within the limit"] == broken
