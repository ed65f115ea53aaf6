"""What must hold of the state once nobody has anything left to do."""

from typing import Any

import pytest
from tests.support.records import DISK, GIB, READY, RecordByHand

AGREEMENT = "asks and grants agree at rest"
ASKED = "what is placed is asked for at rest"
CLAIMS = "a disk has one identity and one claimant at rest"
OWNERS = "nothing outlives its owners"
SWEPT = "asks of nobody are swept"
WOKEN = "what fits is not refused at rest"
OTHER = "33333333-aaaa-4bbb-8ccc-444444444444"


def test_a_world_at_rest_breaks_nothing(held):
    """Silence must be possible, or noise means nothing."""
    assert held.broken_at_rest() == []


# ---- the books ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [40, 60, None])
def test_an_ask_that_was_not_decided_is_caught(record, wanted):
    """I7: once quiet, the books are closed."""
    record.asks(r1=50)
    record.grants(r1=50, more={"r1": {"orphanedSince": "2026-01-01T00:00:00Z"}})
    record.asks(r1=wanted)
    assert AGREEMENT in record.broken_at_rest()


def test_a_placed_replica_that_nobody_asked_for_is_caught(record):
    """It would never start, and nobody would know why."""
    record.replica("r1")
    assert record.broken_at_rest() == [ASKED]


@pytest.mark.parametrize("token", [None, "{uid}/1/0", "{uid}/9/0"])
def test_an_ask_that_is_not_for_this_placement_is_caught(record, token):
    """With the token of another placement it never starts either."""
    uid = record.replica("r1", placement=2).partition("/")[0]
    flagged = {"r1": {"orphanedSince": "2026-01-01T00:00:00Z"}} if token == "{uid}/1/0" else {}
    record.asks(r1=50, tokens={"r1": token and token.format(uid=uid)})
    record.grants(r1=50, more=flagged)
    assert record.broken_at_rest() == [ASKED]


@pytest.mark.parametrize(
    "change",
    [
        {"metadata": {"annotations": None}},
        {"metadata": {"annotations": {"holdfast.io/placement": "2"}}, "spec": {"diskID": ""}},
        {"metadata": {"annotations": {"holdfast.io/placement": "2"}}, "spec": {"diskID": "a disk without books"}},
    ],
    ids=["placed by another", "not placed", "placed where there are no books"],
)
def test_other_replicas_need_no_ask(record, change):
    """Whoever does not count placements knows nothing of asks, and a disk of Longhorn's has no books."""
    record.replica("r1")
    replica = record.now("Replica", "r1")
    replica["metadata"] |= {key: value or {} for key, value in change.get("metadata", {}).items()}
    replica["spec"] |= change.get("spec", {})
    record.revisions.pop()
    record.tells("ADDED", replica)
    assert record.broken_at_rest() == []


# ---- asks of nobody -----------------------------------------------------------------------------------------------------------


def flagged(record: RecordByHand) -> None:
    """An ask by hand, which no replica stands behind, seen as such."""
    record.time_passes(10)
    record.asks(r1=50)
    record.grants(r1=50, more={"r1": {"orphanedSince": "2026-01-01T00:00:00Z"}})


@pytest.mark.parametrize("seconds, broken", [(500, []), (800, [SWEPT])])
def test_an_ask_of_nobody_outlives_the_grace_by_a_little_only(record, seconds, broken):
    """I9: leaked bytes come back by themselves, after ten minutes."""
    flagged(record)
    record.time_passes(seconds)
    assert record.broken_at_rest() == broken


@pytest.mark.parametrize("grace, broken", [("1m", [SWEPT]), ("60", [SWEPT]), ("1h30m", []), ("soon", [])])
def test_the_grace_is_a_setting(record, grace, broken):
    """As people write times; what is none counts as the default."""
    record.setting("disk-schedule-orphan-grace", grace)
    flagged(record)
    record.time_passes(400)
    assert record.broken_at_rest() == broken


def test_a_clock_that_was_set_makes_no_time_pass(record):
    """An hour's jump of one clock is not an hour without a sweep."""
    flagged(record)
    record.renews("holdfast-node-n1", at=4000)
    record.renews("holdfast-node-n1", at=4010)
    assert record.broken_at_rest() == []


def test_the_grace_of_an_ask_that_was_made_anew_begins_anew(record):
    """Politeness is for each ask of its own."""
    flagged(record)
    record.time_passes(500)
    record.asks(r1=None)
    record.grants(r1=None)
    record.asks(r1=50)
    record.grants(r1=50, more={"r1": {"orphanedSince": "2026-01-01T00:10:00Z"}})
    record.time_passes(500)
    assert record.broken_at_rest() == []


def test_an_ask_of_nobody_that_nobody_noticed_is_caught(record):
    """Without a flag its grace never begins."""
    record.asks(r1=50, tokens={"r1": "gone/1/0"})
    record.grants(r1=50)
    assert record.broken_at_rest() == [SWEPT]


def test_a_flag_on_an_ask_that_is_wanted_is_caught(held):
    """It would be swept, were it not for the live read."""
    held.grants(r1=50, more={"r1": {"orphanedSince": "2026-01-01T00:00:00Z"}})
    assert held.broken_at_rest() == [SWEPT]


def test_in_a_record_that_begins_in_the_middle_only_flags_tell_of_nobody(record):
    """The replica may have been there before, and have changed nothing since."""
    late = RecordByHand()
    late.tells("MODIFIED", record.now("DiskSchedule", DISK), at=70)
    late.asks(r1=50, tokens={"r1": "seen-before/1/0"})
    late.grants(r1=50)
    late.revisions[-1].object["status"]["limit"]["nodeRevision"] = "3"
    assert late.broken_at_rest() == []


# ---- wake-ups -----------------------------------------------------------------------------------------------------------------


def refused(record: RecordByHand, **sizes: Any) -> None:
    flags = {name: {"orphanedSince": "2026-01-01T00:00:00Z"} for name in sizes}
    nothing: dict[str, Any] = dict.fromkeys(sizes, 0)
    record.asks(**sizes)
    record.grants(**nothing, more=flags)


def test_a_refusal_that_is_true_breaks_nothing(record):
    """It waits for room."""
    refused(record, r1=101)
    assert record.broken_at_rest() == []


def test_a_refused_ask_that_fits_is_a_lost_wakeup(record):
    """The room came, and nobody decided again."""
    record.node_says({"storageAvailable": 20 * GIB})
    refused(record, r1=50)
    assert record.broken_at_rest() == []
    record.node_says({"storageAvailable": 90 * GIB})
    assert record.broken_at_rest() == [WOKEN]


def test_a_setting_that_makes_room_must_be_heard(record):
    """Not only nodes wake."""
    refused(record, r1=150)
    record.setting("storage-over-provisioning-percentage", "200")
    assert record.broken_at_rest() == [WOKEN]


def test_a_closed_disk_owes_nobody_a_grant(record):
    """It refuses growth of any size."""
    record.node_says({"conditions": []})
    refused(record, r1=1)
    assert record.broken_at_rest() == []


@pytest.mark.parametrize("aging, broken", [("10m", []), ("0", [WOKEN])])
def test_those_behind_an_elder_may_have_to_wait(record, aging, broken):
    """Whoever waited long is next, if the setting says so."""
    record.setting("disk-schedule-aging", aging)
    refused(record, elder=101, younger=10)
    assert record.broken_at_rest() == broken


def test_an_image_needs_room_for_what_it_brings(record):
    """Its bytes are written at once, and must leave the share free that stays free."""
    record.adds("BackingImage", "i1", spec={"diskFileSpecMap": {DISK: {}}}, status={"size": 60 * GIB})
    record.node_says({"storageAvailable": 70 * GIB})
    books = {"spec": {"backingImages": {"i1": 60 * GIB}}}
    record.changes("DiskSchedule", DISK, books)
    refusal = {"state": "rejected", "scheduledSize": 0, "token": ""}
    record.changes("DiskSchedule", DISK, {"status": {"backingImages": {"i1": refusal}, "storageScheduled": 0}})
    assert record.broken_at_rest() == []
    record.node_says({"storageAvailable": 90 * GIB})
    assert record.broken_at_rest() == [WOKEN]


# ---- disks --------------------------------------------------------------------------------------------------------------------


def test_a_disk_without_books_is_caught(record):
    """Nothing can be asked of it."""
    record.node("n2", uuid=OTHER)
    assert record.broken_at_rest() == [CLAIMS]


def test_one_identity_on_two_ready_disks_is_caught(record):
    """A copied disk: both would take the bytes of one."""
    record.node("n2")
    assert record.broken_at_rest() == [CLAIMS]
    record.node_says({"conditions": [{"type": "Ready", "status": "False", "reason": "DuplicateUUID"}]}, node="n2")
    assert record.broken_at_rest() == []


def test_books_of_a_disk_that_was_replaced_stay_while_they_hold_something(record):
    """Two books claim one place then, and only the newer is of the disk that is there."""
    flagged(record)
    record.node_says({"diskUUID": OTHER})
    record.adds("DiskSchedule", OTHER, metadata={"finalizers": ["longhorn.io"]}, spec={"name": "ssd1", "nodeID": "n1"})
    assert record.broken_at_rest() == []


def test_empty_books_of_a_disk_that_was_replaced_are_closed(record):
    """Else two would claim one place for ever."""
    record.node_says({"diskUUID": OTHER})
    record.adds("DiskSchedule", OTHER, metadata={"finalizers": ["longhorn.io"]}, spec={"name": "ssd1", "nodeID": "n1"})
    assert record.broken_at_rest() == [CLAIMS]


def test_empty_books_of_a_disk_that_was_taken_out_are_closed(record):
    """Away is not gone; out of the spec is."""
    record.node_says({"diskUUID": ""})
    assert record.broken_at_rest() == []
    record.changes("Node", "n1", {"spec": {"disks": {"ssd1": None}}})
    assert record.broken_at_rest() == [CLAIMS]


def test_books_of_a_disk_that_moved_follow_it(record):
    """Grants would be decided by the wrong numbers."""
    record.changes("Node", "n1", {"spec": {"disks": {"ssd1": None}}})
    record.node("n2", "hdd1")
    assert record.broken_at_rest() == [CLAIMS]
    record.changes("DiskSchedule", DISK, {"spec": {"nodeID": "n2", "name": "hdd1"}})
    assert record.broken_at_rest() == []


def test_books_made_by_hand_are_left_alone(record):
    """Of an unknown disk nobody but their maker knows what they are for."""
    record.adds("DiskSchedule", OTHER, spec={"name": "x", "nodeID": "nowhere"})
    assert record.broken_at_rest() == []


def test_empty_books_that_are_being_deleted_go(record):
    """Their finalizer waits for nothing any more."""
    record.ends("DiskSchedule", DISK)
    assert record.broken_at_rest() == [CLAIMS]


# ---- owners and ends ----------------------------------------------------------------------------------------------------------


def owned_by(record: RecordByHand, *uids: str) -> None:
    owners = [{"apiVersion": "longhorn.io/v1beta2", "kind": "Node", "name": "n1", "uid": uid} for uid in uids]
    record.adds("ConfigMap", "owned", metadata={"ownerReferences": owners, "generation": None})


def test_what_lives_with_an_owner_breaks_nothing(record):
    """One living owner of two is enough."""
    owned_by(record, record.uid("Node", "n1"), "never-there")
    assert record.broken_at_rest() == []


def test_what_outlives_its_owner_is_caught(record):
    """Garbage collection leaves nothing behind."""
    record.node("n2", uuid="")
    owned_by(record, record.uid("Node", "n2"))
    record.deletes("Node", "n2")
    assert record.broken_at_rest() == [OWNERS]


def test_an_owner_that_never_was_is_gone(record):
    """A late create may name a uid that was deleted long ago."""
    owned_by(record, "never-there")
    assert record.broken_at_rest() == [OWNERS]


def test_owners_of_kinds_that_the_record_does_not_tell_of_are_not_judged(record):
    """Nobody knows whether they live."""
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "unseen"}
    record.adds("ConfigMap", "owned", metadata={"ownerReferences": [owner], "generation": None})
    assert record.broken_at_rest() == []


def test_what_is_being_deleted_and_held_by_nobody_is_caught(record):
    """The server should have let it go."""
    record.setting("s", "1")
    record.ends("Setting", "s")
    assert record.broken_at_rest() == ["deletion goes one way"]


def test_a_replica_that_waits_for_its_finalizer_may_be_at_rest(held):
    """Somebody else's finalizer may stand for days."""
    held.changes("Replica", "r1", {"metadata": {"finalizers": ["example.com/backup"]}})
    held.ends("Replica", "r1")
    assert held.broken_at_rest() == []


def test_ready_disks_of_two_namespaces_are_two_worlds(record):
    """Two installations may even share a machine."""
    record.adds(
        "Node",
        "other",
        metadata={"namespace": "elsewhere"},
        spec={"allowScheduling": True, "disks": {"ssd1": {}}},
        status={"conditions": READY, "diskStatus": {"ssd1": {"diskUUID": DISK, "conditions": READY}}},
    )
    record.adds("DiskSchedule", DISK, metadata={"namespace": "elsewhere"}, spec={"name": "ssd1", "nodeID": "other"})
    assert record.broken_at_rest() == []
