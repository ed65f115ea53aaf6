"""Each witness of leaders, requests and events catches a lie, and is content with the truth."""

import asyncio
from typing import Any

from msgspec import Struct
from tests.support.virtual_loop import virtual
from tests.support.witnesses import Told, stored

from holdfast.api.core import Event, ObjectReference
from holdfast.api.meta import ObjectMeta
from holdfast.api.wire import Answer, Request, Stream
from holdfast.simulation.runtime_calls import Calls, Counted
from holdfast.simulation.runtime_leaders import Leaders
from holdfast.simulation.runtime_told import Ears, Overheard
from holdfast.simulation.world import NAMESPACE


class Right(Struct):
    epoch: int
    holds: bool = True
    remaining: float = 5.0


def test_two_leaders_are_seen():
    """What one leader does, another undoes."""
    leaders = Leaders(told := Told())
    leaders.begins("p1", Right(1))
    leaders.begins("p2", Right(2))
    assert set(told.promises) == {"one leads"}
    assert leaders.holding == ["p1", "p2"]


def test_a_leader_that_works_on_is_seen():
    """Its right is over, and it has not heard."""
    leaders = Leaders(told := Told())
    leaders.begins("p1", Right(1, holds=False, remaining=-2.0))
    assert told.promises == ["work ends with the right to it"]


def test_an_epoch_that_comes_twice_is_seen():
    """Writes of an old leader are told from those of a new one by it."""
    leaders = Leaders(told := Told())
    for who in ("p1", "p2"):
        leaders.begins(who, Right(1))
        leaders.ends(who)
    assert told.promises == ["each leader has a number of its own"]


class Refuses:
    """A server that answers at once, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: dict[str, str] = {}

    async def send(self, request: Request) -> Answer:
        self.asked = dict(request.query)
        return Answer(503)

    async def open(self, _request: Request) -> Answer | Stream:
        return Answer(503)

    async def close(self) -> None: ...

    def kill(self) -> None: ...


@virtual
async def test_a_storm_of_requests_is_seen():
    """A server that comes back would fall again."""
    way = Counted(Refuses(), Calls("p1", told := Told()))
    for _ in range(12):
        await way.open(Request("GET", "/api/v1/nodes"))
    for _ in range(100):
        await way.send(Request("GET", "/api/v1/nodes"))
        await asyncio.sleep(0.1)
    assert told.promises == []
    for _ in range(13):
        await way.open(Request("GET", "/api/v1/nodes"))
    for _ in range(300):
        await way.send(Request("GET", "/api/v1/nodes"))
    assert told.promises == ["no storm of requests"] * 2


@virtual
async def test_a_program_that_wants_little_asks_for_little():
    """Pages and the end of watches come up in small worlds too."""
    server = Refuses()
    query = (("limit", "500"), ("continue", "here"))
    await Counted(server, Calls("p1", Told()), is_small=True).send(Request("GET", "/api/v1/nodes", query))
    assert server.asked == {"limit": "2", "continue": "here"}
    await Counted(server, Calls("p1", Told())).send(Request("GET", "/api/v1/nodes", query))
    assert server.asked == dict(query)


class Speaks:
    def emit(self, *_words: Any) -> None:
        return


def event(count: int, name: str = "e") -> Event:
    about = ObjectReference(name="told")
    return Event(
        metadata=ObjectMeta(name=name, namespace=NAMESPACE, uid=name, resource_version="1"), involved_object=about, message="m", count=count
    )


def ears(*events: Event) -> tuple[Ears, Told]:
    told = Told()
    return Ears(stored(*events), told), told


def test_an_event_that_counts_wrong_is_seen():
    """People judge by it how often something happens."""
    for count in (1, 3):
        listener, told = ears(event(count))
        for _ in range(2):
            listener.emit("life", Speaks(), ("told", "m"))
        listener.at_rest()
        assert told.promises == ["an event counts what was told"]


def test_one_matter_in_two_events_is_seen():
    """It is to be one line for who reads it."""
    listener, told = ears(event(1), event(1, "another"))
    for _ in range(2):
        listener.emit("life", Speaks(), ("told", "m"))
    listener.at_rest()
    assert told.promises == ["what is told again is one event"]


def test_a_program_that_dies_may_lose_what_it_had_to_tell():
    """Events are commentary: nothing is held back for them."""
    listener, told = ears()
    listener.emit("life", Speaks(), ("told", "m"))
    listener.ends("life")
    listener.at_rest()
    assert told.promises == []


def test_what_a_program_says_it_lost_is_not_missed():
    """It may be short of time or of room; it may not be silent about it."""
    listener, told = ears()
    metrics = Overheard()
    metrics.event("written")
    listener.emit("life", Speaks(), ("told", "m"))
    listener.hears_losses("life", metrics)
    listener.at_rest()
    metrics.event("failed")
    listener.hears_losses("life", metrics)
    listener.at_rest()
    assert told.promises == ["an event counts what was told"]


def test_a_teller_that_is_made_to_suffer_is_seen():
    """Telling must never cost the teller anything."""

    class Fails:
        def emit(self, *_words: Any) -> None:
            raise RuntimeError

    listener, told = ears()
    listener.emit("life", Fails(), ("told", "m"))
    assert told.promises == ["telling costs nothing"]
