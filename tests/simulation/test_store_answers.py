"""What a server of the store says is held against what became durable: one story, told right and told wrong."""

from typing import Any

import msgspec
import pytest
from tests.support.store_story import ALL, SPACE, A, B, Story, config_map

from holdfast.embedded.journal import Change
from holdfast.simulation import store_reads, store_writes
from holdfast.simulation.record import Revision
from holdfast.simulation.store_calls import Call
from holdfast.simulation.store_chronicle import at_revision


@pytest.fixture
def story() -> Story:
    return Story()


def test_a_change_that_is_told_otherwise_than_it_is_stored_is_found(story: Story):
    """The record of a server is what everybody else checks."""
    made = story.writes(A, config_map(), told=False)
    assert story.chronicle.untold()
    story.chronicle.tell(Revision(revision=1, type="MODIFIED", object=made))
    story.chronicle.tell(Revision(revision=7, type="ADDED", object=made))
    assert len(story.chronicle.problems) == 2


def test_a_revision_that_does_not_rise_is_found(story: Story):
    """Two writes under one revision: a watch would leave one out."""
    story.writes(A, config_map())
    story.chronicle.take(Change("/".join(B), 1, msgspec.json.encode(at_revision(config_map("b"), 1))), None)
    assert [where for where, _ in story.chronicle.problems] == ["configmaps default/b"]


def test_an_acknowledged_write_has_to_be_there_as_it_was_sent(story: Story):
    """Durable, whole, under the revision of the answer, and newer than all that was told before."""
    made = story.writes(A, config_map())
    call = story.call("create", sent=config_map())

    assert not list(store_writes.acknowledged(call, made, story.chronicle))
    lies = {
        "not stored": (call, at_revision(made, 5)),
        "another object": (call, {**made, "data": {}}),
        "another name": (story.call("create", key=B, sent=config_map()), made),
        "another mark": (story.call("create", mark="m2", sent=config_map()), made),
        "other labels": (story.call("create", sent=config_map(part="y")), made),
        "other content": (story.call("create", sent={**config_map(), "data": {}}), made),
        "an old revision": (story.call("create", sent=config_map(), floor=1), made),
    }
    assert [lie for lie, (call, answer) in lies.items() if not list(store_writes.acknowledged(call, answer, story.chronicle))] == []


def test_a_write_takes_place_on_what_it_names_and_nowhere_else(story: Story):
    """Compare and swap, in all its forms."""
    story.writes(A, config_map())
    after = story.writes(A, config_map(mark="m2"))
    for bound, value in (("version", "1"), ("tested", "m1"), ("uid", "uid-a")):
        for named, is_broken in ((value, False), (f"{value}0", True)):
            call = story.call(mark="m2", sent=config_map(mark="m2"))
            setattr(call, bound, named)
            found = [promise for promise, _ in store_writes.acknowledged(call, after, story.chronicle)]
            assert found == ([store_writes.BOUND] if is_broken else [])


def test_a_patch_changes_what_it_names_and_nothing_else(story: Story):
    """Otherwise somebody's write is lost between two others."""
    story.writes(A, config_map(part="x"))
    after = story.writes(A, config_map(mark="m2", part="y"))
    mark = (("metadata", "annotations", "mark"), "m2")

    whole = story.call("patch", mark="m2", changes=(mark, (("metadata", "labels", "part"), "y")))
    assert not list(store_writes.acknowledged(whole, after, story.chronicle))
    assert list(store_writes.acknowledged(story.call("patch", mark="m2", changes=(mark,)), after, story.chronicle))


def test_a_deletion_that_did_not_take_place_is_found(story: Story):
    """Acknowledged is acknowledged, also here."""
    made = story.writes(A, config_map())
    call = story.call("delete", floor=1)
    status = {"kind": "Status", "details": {"uid": "uid-a"}}
    assert list(store_writes.deleted(call, status, story.chronicle))
    assert list(store_writes.deleted(call, made, story.chronicle)), "it is not being deleted"
    assert list(store_writes.cleared(call, {"items": [made]}, story.chronicle))

    story.writes(A, None)
    assert not list(store_writes.deleted(call, status, story.chronicle))
    assert not list(store_writes.cleared(call, {"items": [made]}, story.chronicle))


@pytest.mark.parametrize(
    "reason, call",
    [
        ("NotFound", Call(who="c", verb="update", key=A)),
        ("AlreadyExists", Call(who="c", verb="create", key=B)),
        ("Conflict", Call(who="c", verb="update", key=A, version="1", uid="uid-a")),
        ("Invalid", Call(who="c", verb="test", key=A, tested="m1")),
        ("Forbidden", Call(who="c", verb="create", key=B)),
        ("InternalError", Call(who="c", verb="create", key=B)),
    ],
)
def test_a_refusal_without_a_reason_is_found(story: Story, reason: str, call: Call):
    """A server that always says no loses nothing."""
    story.writes(SPACE, {"metadata": {"name": "default"}})
    story.writes(A, config_map())
    call.floor = call.until = 2
    call.version = call.version and "2"
    answer = {"reason": reason, "details": {"name": "a"}}
    assert [promise for promise, _ in store_writes.refused(call, answer, story.chronicle)] == [store_writes.REFUSED]


def test_a_conflict_with_what_came_between_is_none(story: Story):
    """It was so at some moment while the call was under way."""
    story.writes(A, config_map())
    story.writes(A, config_map(mark="m2"))
    call = story.call(version="1", floor=1)
    assert not list(store_writes.refused(call, {"reason": "Conflict", "details": {"name": "a"}}, story.chronicle))


def test_a_read_of_the_past_or_of_what_is_not_durable_is_found(story: Story):
    """Nobody may see an older state than one that was told, nor one that a crash can take."""
    first = story.writes(A, config_map())
    second = story.writes(A, config_map(mark="m2"))

    assert not list(store_reads.got(story.call("get", floor=2), second, story.chronicle))
    assert not list(store_reads.got(story.call("get", floor=1), first, story.chronicle))
    assert list(store_reads.got(story.call("get", floor=2), first, story.chronicle))
    assert list(store_reads.got(story.call("get", floor=2), at_revision(second, 3), story.chronicle))
    assert list(store_reads.got_nothing(story.call("get", floor=2), story.chronicle))


def test_a_list_of_two_moments_is_found(story: Story):
    """Each object in it is true, and together they never were."""
    old = story.writes(A, config_map())
    new = story.writes(A, config_map(mark="m2"))
    other = story.writes(B, config_map("b", mark="m3"))
    call = story.call("list", floor=2)

    def answer(*items: Any, revision: int = 3, token: str = "") -> dict[str, Any]:
        return {"metadata": {"resourceVersion": str(revision), "continue": token}, "items": list(items)}

    assert not list(store_reads.listed(call, ALL, answer(new, other), story.chronicle))
    assert list(store_reads.listed(call, ALL, answer(old, other), story.chronicle))
    assert list(store_reads.listed(call, ALL, answer(new), story.chronicle))
    assert list(store_reads.listed(call, ALL, answer(old, revision=1), story.chronicle)), "it is of before the call"
    assert not list(store_reads.page(call, ALL, answer(new, token="more"), 0, 1, story.chronicle))
    assert list(store_reads.page(call, ALL, answer(new), 0, 1, story.chronicle)), "it ends too soon"
    assert list(store_reads.page(call, ALL, answer(old, token="more"), 0, 1, story.chronicle))
