"""Each lie of a watch is found; and the two revisions are right on which all judgements rest."""

from typing import Any

import pytest
from tests.support.store_story import ALL, A, B, Story, config_map

from holdfast.api.wire import Answer, Request
from holdfast.simulation.dice import Dice
from holdfast.simulation.journal import VirtualJournal
from holdfast.simulation.store_calls import Call, Desk
from holdfast.simulation.store_chronicle import CONFIG_MAPS, NAMESPACES, Selection, at_revision
from holdfast.simulation.store_watcher import StoreWatcher


@pytest.fixture
def story() -> Story:
    return Story()


class Teller:
    """A way to a server that tells one watch what the test says."""

    def __init__(self, story: Story, selection: Selection = ALL) -> None:
        self.broken: list[str] = []
        journal = VirtualJournal(Dice(0))
        journal.loads.append(0)
        desk = Desk(story.chronicle, journal, lambda promise, _subject, _numbers: self.broken.append(promise), history=8)
        self.watcher = StoreWatcher("w", desk, selection)
        self.watcher.place = 1

    def tells(self, type_: str, obj: dict[str, Any]) -> list[str]:
        self.watcher._takes({"type": type_, "object": obj})
        return self.broken


def bookmark(revision: int, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"resourceVersion": str(revision), **metadata}}


def test_a_watch_that_tells_the_truth_is_believed(story: Story):
    """Every change once, also when an object leaves what is watched."""
    teller = Teller(story, Selection(CONFIG_MAPS.resource, "default", "x"))
    story.writes((NAMESPACES.resource, "", "n"), {"metadata": {"name": "n"}})
    made = story.writes(A, config_map())
    story.writes(A, config_map(part="y"))
    assert teller.tells("ADDED", made) == []
    assert teller.tells("DELETED", at_revision(made, 3)) == []
    assert teller.tells("BOOKMARK", bookmark(3)) == []
    teller.watcher.at_rest()
    assert teller.broken == []


def test_each_lie_of_a_watch_is_found(story: Story):
    """Left out, told twice, told wrong, told too soon, and never told."""
    story.writes(B, config_map("b"))
    first = story.writes(A, config_map())
    second = story.writes(A, config_map(mark="m2"))
    once = "a watch tells every change once, in order"

    assert Teller(story).tells("MODIFIED", second) == [once], "the first one was left out"
    assert Teller(story).tells("ADDED", at_revision(first, 1)) == [once], "it was seen before"
    assert Teller(story).tells("MODIFIED", first) == [once], "it was added"
    assert Teller(story).tells("ADDED", {**first, "data": {}}) == [once]
    assert once in Teller(story).tells("ADDED", at_revision(second, 4)), "it is not durable"
    assert Teller(story).tells("BOOKMARK", bookmark(3)) == ["a bookmark is not ahead of what was told"]
    assert Teller(story).tells("BOOKMARK", bookmark(0)) == ["a bookmark is not ahead of what was told"]
    silent = Teller(story)
    silent.watcher.at_rest()
    assert silent.broken == [once]


def test_an_end_of_a_watch_must_have_its_reason(story: Story):
    """410 costs every client a list: it is for what is forgotten, and nobody comes from the future."""
    story.writes(A, config_map())
    gone = "a watch is ended with 410 only where something may be forgotten"
    assert Teller(story).tells("ERROR", {"code": 410, "message": "too old resource version: 1 (5)"}) == [gone]
    assert Teller(story).tells("ERROR", {"code": 410, "message": "too large resource version: 9"}) == [gone]
    assert Teller(story).tells("ERROR", {"code": 500, "message": "oh"}) == [gone]
    for number in range(8):
        story.writes(A, config_map(mark=f"n{number}"))
    assert Teller(story).tells("ERROR", {"code": 410, "message": "too old resource version: 1 (5)"}) == []


def test_a_watch_that_begins_with_a_wrong_list_is_found(story: Story):
    """What it begins with is what it builds on."""
    made = story.writes(A, config_map())
    end = bookmark(1, annotations={"k8s.io/initial-events-end": "true"})
    for told, is_broken in (((made,), False), ((), True)):
        teller = Teller(story)
        teller.watcher._initial = {}
        for obj in told:
            teller.tells("ADDED", obj)
        assert bool(teller.tells("BOOKMARK", end)) == is_broken


class Answering:
    async def send(self, _: Request) -> Answer:
        return Answer(201, {}, b'{"kind":"ConfigMap"}')

    async def open(self, _: Request) -> Answer:
        return Answer(400)

    async def close(self) -> None:
        """Nothing is open."""

    def kill(self) -> None:
        """Nothing to die."""


async def test_the_desk_writes_down_when_a_call_began_and_ended(story: Story):
    """All judgements rest on these two revisions."""
    story.writes(A, config_map())
    story.writes(B, config_map("b"), told=False)
    desk = Desk(story.chronicle, VirtualJournal(Dice(0)), lambda *_: None, history=8)
    call = Call(who="c", verb="create", key=A)

    assert await desk.ask(Answering(), call, Request("POST", "/")) == (201, {"kind": "ConfigMap"})
    assert (call.floor, call.until, call.status) == (1, 2, 201)
    assert not desk.may_forget(CONFIG_MAPS.resource, 0)
