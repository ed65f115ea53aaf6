"""A status that somebody edited by hand is healed, the same way by everyone."""

import pytest
from msgspec.structs import replace
from tests.support.ledgers import Book

from holdfast.api.longhorn.disk_schedule import ScheduledResource, State
from holdfast.api.meta import Condition

GI = 2**30


@pytest.mark.parametrize("claimed", [-1, -(2**63), 2**63 - 1, 2**64, 70 * GI])
def test_a_claimed_size_is_brought_between_nothing_and_the_ask(claimed):
    """No edit may free or take bytes that nobody asked for."""
    book = Book("100Gi")
    book.asks(a="50Gi")
    book.records(a=ScheduledResource(state=State.SCHEDULED, scheduled_size=claimed))
    book.decides()
    assert book.entry("a") == ("scheduled", 50 * GI)
    assert book.status.storage_scheduled == 50 * GI


def test_an_entry_without_an_ask_leaves():
    """Status follows spec."""
    book = Book("100Gi")
    book.records(ghost=ScheduledResource(state=State.SCHEDULED, scheduled_size=90 * GI))
    book.asks(a="50Gi")
    assert book.granted() == {"a": 50 * GI}


def test_a_wrong_word_for_a_whole_grant_is_put_right():
    """What is held in full is scheduled, whatever the state says."""
    book = Book("100Gi")
    book.asks(a="50Gi")
    book.records(a=ScheduledResource(state=State.REJECTED, scheduled_size=50 * GI, reason="because"))
    book.decides()
    assert book.entry("a") == ("scheduled", 50 * GI)
    assert book.status.replicas["a"].reason == ""


def test_a_wrong_word_for_a_part_is_decided():
    """Scheduled with less than was asked is a growth that waits: D-44."""
    book = Book("100Gi")
    book.asks(a="50Gi", b="50Gi")
    book.records(a=ScheduledResource(state=State.SCHEDULED, scheduled_size=10 * GI))
    book.decides()
    assert book.entry("a") == ("scheduled", 50 * GI)


def test_a_wrong_sum_is_counted_again():
    """D-46: the sum is what the entries add up to."""
    book = Book("100Gi")
    book.asks(a="50Gi")
    book.schedule = replace(book.schedule, status=replace(book.status, storage_scheduled=-7))
    book.decides()
    assert book.status.storage_scheduled == 50 * GI


def test_strange_conditions_and_times_are_put_right():
    """One condition of each type, each with a time that can be read."""
    book = Book("100Gi")
    book.asks(a="50Gi")
    junk = (Condition(type="Foreign", status="True"), Condition(type="Schedulable", status="True", last_transition_time="yesterday"))
    book.records(a=replace(book.status.replicas["a"], last_transition_time="yesterday", orphaned_since="yesterday"))
    book.schedule = replace(book.schedule, status=replace(book.status, conditions=junk + junk))
    book.decides()
    assert [condition.type for condition in book.status.conditions] == ["Schedulable"]
    assert book.condition("Schedulable").last_transition_time == "2006-01-02T15:04:05Z"
    assert book.status.replicas["a"].last_transition_time == "2006-01-02T15:04:05Z"
    assert book.status.replicas["a"].orphaned_since == ""


@pytest.mark.parametrize("asked", [-1, -(2**70)])
def test_a_negative_ask_is_a_release(asked):
    """It must never lend its sign to the sum."""
    book = Book("100Gi")
    book.asks(a=asked, b="100Gi")
    assert book.granted() == {"b": 100 * GI}
    assert "a" not in book.status.replicas


def test_an_absurd_ask_is_refused_and_hurts_nobody():
    """One typo of twenty digits must not stop the disk."""
    book = Book("100Gi")
    book.asks(a=10**30, b="100Gi")
    assert book.entry("a") == ("rejected", 0)
    assert book.granted() == {"b": 100 * GI}
