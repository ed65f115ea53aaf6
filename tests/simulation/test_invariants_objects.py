"""What holds of any object that an API keeps."""

import copy
from typing import Any

import pytest
from tests.support.records import RecordByHand

SELF = "an object stays itself"
ONE_WAY = "deletion goes one way"
COUNTS = "the generation counts"


@pytest.fixture
def record() -> RecordByHand:
    """A setting, and a replica that something holds."""
    record = RecordByHand()
    record.setting("s", "1")
    record.adds("Replica", "r1", metadata={"finalizers": ["longhorn.io", "example.com/x"]}, spec={"volumeName": "v"})
    return record


def test_a_life_from_beginning_to_end_breaks_nothing(record):
    """Created, changed, reported on, deleted, let go."""
    record.changes("Replica", "r1", {"spec": {"volumeName": "w"}})
    record.changes("Replica", "r1", {"status": {"currentState": "running"}})
    record.changes("Replica", "r1", {"metadata": {"labels": {"a": "b"}}})
    record.ends("Replica", "r1")
    record.changes("Replica", "r1", {"metadata": {"finalizers": ["longhorn.io"]}})
    record.deletes("Replica", "r1")
    record.setting("r1", "1")
    record.adds("Replica", "r1", spec={})
    assert record.broken() == []


# ---- revisions ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", [1, 2])
def test_a_revision_that_does_not_rise_is_caught(record, revision):
    """The order of commits is what every precondition rests on."""
    changed = record.now("Setting", "s") | {"value": "2"}
    changed["metadata"]["generation"] = 2
    record.tells("MODIFIED", changed, at=revision)
    assert record.broken() == ["revisions rise"]


def test_an_object_that_carries_another_revision_is_caught(record):
    """Whoever read it would guard his write by the wrong one."""
    record.changes("Setting", "s", {"value": "2"})
    record.revisions[-1].object["metadata"]["resourceVersion"] = "1"
    assert record.broken() == ["revisions rise"]


# ---- identity -----------------------------------------------------------------------------------------------------------------


def test_a_uid_that_changes_is_caught(record):
    """Another object took the place of the one that is watched, and nobody was told."""
    record.changes("Setting", "s", {"metadata": {"uid": "another"}})
    assert SELF in record.broken()


def test_what_is_made_twice_is_caught(record):
    """A name is one object's."""
    record.setting("s", "2")
    assert SELF in record.broken()


def test_a_uid_of_two_is_caught(record):
    """Owners and tokens are told apart by nothing else."""
    record.adds("Setting", "t", metadata={"uid": record.uid("Setting", "s")}, value="1")
    assert record.broken() == [SELF]


@pytest.mark.parametrize("type_", ["ADDED", "MODIFIED"])
def test_what_comes_back_from_the_dead_is_caught(record, type_):
    """A change of an object that was deleted: the write was not under its uid."""
    dead = record.now("Setting", "s")
    record.deletes("Setting", "s")
    record.tells(type_, dead)
    assert record.broken() == [SELF]


def test_a_new_time_of_creation_is_caught(record):
    """Age is the order in which disks grant."""
    record.changes("Setting", "s", {"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"}})
    assert record.broken() == [SELF]


# ---- deletion -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("then", [None, "2030-01-01T00:00:00Z"], ids=["taken back", "put off"])
def test_a_deletion_that_is_withdrawn_is_caught(record, then):
    """Others have begun to let go."""
    record.ends("Replica", "r1")
    record.changes("Replica", "r1", {"metadata": {"deletionTimestamp": then}})
    assert ONE_WAY in record.broken()


def test_a_finalizer_that_is_added_too_late_is_caught(record):
    """Who holds it may have been told already that it goes."""
    record.ends("Replica", "r1")
    record.changes("Replica", "r1", {"metadata": {"finalizers": ["longhorn.io", "late"]}})
    assert record.broken() == [ONE_WAY]


def test_the_server_may_hold_what_is_deleted_for_its_dependents(record):
    """A second deletion with another policy does."""
    record.ends("Replica", "r1")
    record.changes("Replica", "r1", {"metadata": {"finalizers": ["longhorn.io", "foregroundDeletion"]}})
    assert record.broken() == []


def test_what_is_held_does_not_vanish(record):
    """A finalizer is a promise to its holder."""
    record.deletes("Replica", "r1")
    assert record.broken() == [ONE_WAY]


# ---- generation ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "patch",
    [
        {"spec": {"volumeName": "w"}, "metadata": {"generation": 1}},
        {"spec": {"volumeName": "w"}, "metadata": {"generation": 3}},
        {"status": {"started": True}, "metadata": {"generation": 2}},
        {"metadata": {"labels": {"a": "b"}, "generation": 2}},
        {"metadata": {"labels": {"a": "b"}, "generation": 0}},
    ],
    ids=["wanted and not counted", "counted twice", "a status counted", "a label counted", "fell"],
)
def test_a_generation_that_does_not_count_what_was_wanted_is_caught(record, patch):
    """Whoever waits for observedGeneration waits for the wrong thing."""
    record.changes("Replica", "r1", patch)
    assert record.broken() == [COUNTS]


def test_the_value_of_a_setting_is_what_is_wanted(record):
    """It has no spec, and counts all the same."""
    record.changes("Setting", "s", {"value": "2", "metadata": {"generation": 1}})
    assert record.broken() == [COUNTS]


# ---- writes without a cause -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"managedFields": [{"manager": "m"}]}], ids=["nothing", "who wrote it"])
def test_a_write_that_changes_nothing_is_caught(record, more):
    """Two controllers that do it to each other never rest."""
    again: dict[str, Any] = copy.deepcopy(record.now("Setting", "s"))
    again["metadata"] |= more
    record.tells("MODIFIED", again)
    assert record.broken() == ["a write changes something"]


def test_a_new_start_of_a_server_tells_what_is_there_without_blame(record):
    """What was listed at the beginning is no write."""
    late = RecordByHand()
    late.tells("ADDED", record.now("Replica", "r1"), at=70)
    late.tells("MODIFIED", record.now("Setting", "s") | {"value": "2"}, at=71)
    assert late.broken() == []
