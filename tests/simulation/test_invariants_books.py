"""What may happen to one ask and to its grant, revision by revision."""

import pytest
from tests.support.records import DISK, RecordByHand


def uid(record: RecordByHand) -> str:
    return record.uid("Replica", "r1")


# ---- grants -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("left", [40, None])
def test_a_grant_taken_back_is_caught(held, left):
    """Grants are sticky: a replica may be running on them."""
    held.grants(r1=left)
    assert "a grant stays" in held.broken()


def test_a_refused_growth_keeps_what_was_held(held):
    """And so does a verdict that forgets it."""
    held.asks(r1=200, tokens={"r1": f"{uid(held)}/1/1"})
    held.grants(r1=50)
    assert held.broken() == []
    held.grants(r1=0)
    assert held.broken() == ["a grant stays"]


def test_a_shrink_that_was_asked_for_is_no_loss(held):
    """D-44 the other way round: the smaller ask rules."""
    held.asks(r1=30, tokens={"r1": f"{uid(held)}/1/1"})
    held.grants(r1=30)
    assert held.broken() == []


def test_a_token_that_is_added_to_an_old_ask_keeps_its_grant(record):
    """An older writer knew no tokens, and its bytes may be in use."""
    record.asks(r1=50)
    record.grants(r1=50)
    record.asks(r1=50, tokens={"r1": record.replica("r1")})
    record.grants(r1=0)
    assert record.broken() == ["a grant stays"]


def test_another_uid_inherits_nothing(held):
    """A replica made again under the old name starts from zero, and that is no theft."""
    held.changes("Replica", "r1", {"metadata": {"finalizers": None}})
    held.deletes("Replica", "r1")
    held.asks(r1=None)
    held.asks(r1=50, tokens={"r1": held.replica("r1")})
    held.grants(r1=0)
    assert held.broken() == []


def test_a_wrong_sum_is_caught(held):
    """D-46: other controllers read the room from it."""
    held.changes("DiskSchedule", DISK, {"status": {"storageScheduled": 40}})
    assert held.broken() == ["storageScheduled is the sum of the grants"]


@pytest.mark.parametrize(
    "meanwhile",
    [{"r2": 10}, {"r1": 60}, {"r1": None}],
    ids=["one more ask", "another size", "the ask is gone"],
)
def test_a_verdict_on_older_asks_is_caught(record, meanwhile):
    """It was written without the resourceVersion of what it was decided on."""
    record.asks(r1=50)
    record.grants(r1=50)
    decided = record.now("DiskSchedule", DISK)["status"]
    blind = RecordByHand()
    blind.disk()
    blind.asks(r1=50)
    blind.asks(**meanwhile)
    blind.changes("DiskSchedule", DISK, {"status": decided})
    assert "a verdict is on what stands" in blind.broken()


def test_a_verdict_for_an_older_token_is_caught(record):
    """The ask was made again meanwhile: by the same bytes, for another intent."""
    token = record.replica("r1")
    record.asks(r1=50, tokens={"r1": token})
    record.grants(r1=50, more={"r1": {"token": "another/1/0"}})
    assert record.broken() == ["a verdict is on what stands"]


def test_asks_that_wait_for_their_verdict_break_nothing(record):
    """Between an ask and its verdict lies time."""
    record.asks(r1=50)
    record.asks(r2=50)
    record.asks(r1=None)
    assert record.broken() == []


def test_books_that_vanish_with_entries_are_caught(held):
    """A disk's schedule goes only when nothing is promised on it."""
    held.ends("DiskSchedule", DISK)
    held.deletes("DiskSchedule", DISK)
    assert held.broken() == ["books end empty"]


def test_empty_books_may_be_closed(record):
    """When the disk is gone and nothing stands in them."""
    record.ends("DiskSchedule", DISK)
    record.deletes("DiskSchedule", DISK)
    assert record.broken() == []


# ---- asks ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newer, older", [("3/1", "2/1"), ("3/1", "3/0"), ("3/1", "4/0")])
def test_a_token_that_falls_is_caught(record, newer, older):
    """An older intent that overwrites a newer one is how a running replica loses its bytes."""
    record.asks(r1=5, tokens={"r1": f"u1/{newer}"})
    record.asks(r1=5, tokens={"r1": f"u1/{older}"})
    assert record.broken() == ["tokens rise"]


def test_an_ask_that_loses_its_token_is_caught(record):
    """No token is the lowest one."""
    record.asks(r1=5, tokens={"r1": "u1/3/1"})
    record.asks(tokens={"r1": None})
    assert record.broken() == ["tokens rise"]


def test_an_ask_over_that_of_another_uid_is_caught(record):
    """It is the sweep that frees the key, never the newcomer."""
    record.asks(r1=5, tokens={"r1": "u1/1/0"})
    record.asks(r1=5, tokens={"r1": "u2/9/0"})
    assert record.broken() == ["tokens rise"]


def test_a_late_ask_for_a_past_placement_is_only_dead(held):
    """Where nothing stands a late writer may still ask: the sweep knows it by its token."""
    held.changes("Replica", "r1", {"metadata": {"annotations": {"holdfast.io/placement": "2"}}, "spec": {"diskID": "elsewhere"}})
    held.asks(r1=None)
    held.asks(r1=50, tokens={"r1": f"{uid(held)}/1/0"})
    assert held.broken() == []


def test_an_ask_in_use_that_is_removed_is_caught(held):
    """Its replica lives, and may run on the grant."""
    held.asks(r1=None)
    assert held.broken() == ["an ask is removed with a reason"]


def test_an_ask_set_to_nothing_is_removed(held):
    """0 bytes release like a missing key."""
    held.asks(r1=0)
    assert held.broken() == ["an ask is removed with a reason"]


def test_an_ask_whose_verdict_is_awaited_may_not_be_removed(record):
    """A copy that lags says rejected; the disk is about to grant."""
    record.asks(r1=50, tokens={"r1": record.replica("r1")})
    record.asks(r1=None)
    assert record.broken() == ["an ask is removed with a reason"]


def test_a_refused_ask_may_be_removed_before_its_replica_moves(record):
    """Refused with nothing held, and for this very token."""
    record.asks(r1=200, tokens={"r1": record.replica("r1")})
    record.grants(r1=0)
    record.asks(r1=None)
    assert record.broken() == []


def test_a_refusal_of_an_older_token_is_no_reason(record):
    """C5: the verdict on what was asked before says nothing of what is asked now."""
    token = record.replica("r1", placement=2)
    record.asks(r1=200, tokens={"r1": token.replace("/2/", "/1/")})
    record.grants(r1=0)
    record.asks(r1=50, tokens={"r1": token})
    record.asks(r1=None)
    assert record.broken() == ["an ask is removed with a reason"]


def test_a_refused_growth_is_no_reason(held):
    """What was held before is still in use."""
    held.asks(r1=200, tokens={"r1": f"{uid(held)}/1/1"})
    held.grants(r1=50)
    held.asks(r1=None)
    assert held.broken() == ["an ask is removed with a reason"]


@pytest.mark.parametrize("state, broken", [("stopped", []), ("", []), ("running", ["an ask is removed with a reason"])])
def test_the_ask_of_a_replica_that_is_deleted_goes_when_it_does_not_run(held, state, broken):
    """First it stops, then its bytes are free."""
    held.changes("Replica", "r1", {"status": {"currentState": state}})
    held.ends("Replica", "r1")
    held.asks(r1=None)
    assert held.broken() == broken


def test_the_ask_of_an_image_goes_when_no_copy_is_wanted_there(record):
    """An image says itself which disks it wants to be on."""
    record.adds("BackingImage", "i1", spec={"diskFileSpecMap": {DISK: {}}})
    asked = {"backingImages": {"i1": 5}, "imageTokens": {"i1": f"{record.uid('BackingImage', 'i1')}/0/0"}}
    gone = {"backingImages": {"i1": None}, "imageTokens": {"i1": None}}
    record.changes("DiskSchedule", DISK, {"spec": asked})
    record.changes("DiskSchedule", DISK, {"spec": gone})
    assert record.broken() == ["an ask is removed with a reason"]
    record.revisions.pop()
    record.changes("BackingImage", "i1", {"spec": {"diskFileSpecMap": {DISK: None}}})
    record.changes("DiskSchedule", DISK, {"spec": gone})
    assert record.broken() == []


def test_an_ask_without_a_token_may_be_removed_by_anybody(record):
    """A hand wrote it."""
    record.replica("r1")
    record.asks(r1=50)
    record.grants(r1=50)
    record.asks(r1=None)
    assert record.broken() == []


def test_an_ask_of_nobody_may_be_removed(record):
    """No object bears the name."""
    record.asks(r1=50, tokens={"r1": "u1/1/0"})
    record.asks(r1=None)
    assert record.broken() == []


# ---- placements ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count, broken", [("2", []), ("1", ["placements are counted"]), ("0", ["placements are counted"])])
def test_a_replica_that_moves_counts_it(held, count, broken):
    """The count is what makes the old asks dead."""
    held.changes("Replica", "r1", {"metadata": {"annotations": {"holdfast.io/placement": count}}, "spec": {"diskID": "elsewhere"}})
    assert held.broken() == broken


def test_a_count_that_falls_is_caught(record):
    """What was dead would live again."""
    record.replica("r1", placement=3)
    record.changes("Replica", "r1", {"metadata": {"annotations": {"holdfast.io/placement": "2"}}})
    assert record.broken() == ["placements are counted"]


def test_a_replica_that_is_deleted_is_placed_no_more(held):
    """Whoever stops it would look in the wrong place."""
    held.ends("Replica", "r1")
    held.changes("Replica", "r1", {"metadata": {"annotations": {"holdfast.io/placement": "2"}}, "spec": {"diskID": "elsewhere"}})
    assert held.broken() == ["placements are counted"]


def test_replicas_that_do_not_count_may_be_moved_by_others(record):
    """Longhorn's manager knows nothing of placements."""
    record.adds("Replica", "r1", spec={"diskID": DISK})
    record.changes("Replica", "r1", {"spec": {"diskID": "elsewhere"}})
    assert record.broken() == []
