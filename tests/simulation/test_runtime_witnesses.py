"""Each witness of the client runtime catches a lie, and is content with the truth."""

import asyncio
from typing import Any

from msgspec import Struct
from tests.support.virtual_loop import virtual

from holdfast.api.core import ConfigMap, Event, ObjectReference
from holdfast.api.kinds import to_wire
from holdfast.api.meta import Object, ObjectMeta
from holdfast.api.wire import Answer, Request, Stream
from holdfast.kube.cache import Cache, Change
from holdfast.simulation.record import Revision
from holdfast.simulation.runtime_calls import Calls, Counted
from holdfast.simulation.runtime_hands import Hands
from holdfast.simulation.runtime_history import History
from holdfast.simulation.runtime_leaders import Leaders
from holdfast.simulation.runtime_mirror import Mirror
from holdfast.simulation.runtime_rounds import Rounds
from holdfast.simulation.runtime_told import Ears, Overheard
from holdfast.simulation.world import NAMESPACE


class Told:
    """What a witness said, by promise."""

    def __init__(self) -> None:
        self.promises: list[str] = []

    def __call__(self, promise: str, subject: str, numbers: str) -> None:
        assert subject
        assert numbers
        self.promises.append(promise)


def origin(version: int, *, name: str = "o1", uid: str = "one", value: str = "", group: str = "a") -> ConfigMap:
    metadata = ObjectMeta(name=name, namespace=NAMESPACE, uid=uid, resource_version=str(version), labels={"group": group})
    return ConfigMap(metadata=metadata, data={"value": value})


def stored(*objects: Object, gone: tuple[Object, ...] = ()) -> History:
    history = History()
    for obj in objects:
        history.see(Revision(int(obj.metadata.resource_version), "MODIFIED", to_wire(obj)))
    for obj in gone:
        history.see(Revision(int(obj.metadata.resource_version), "DELETED", to_wire(obj)))
    return history


class Shown:
    """A cache that shows what a test says."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.filed: dict[str, list[Any]] = {}

    def get(self, name: str, _namespace: str = "") -> Any:
        return self.objects.get(name)

    def all(self) -> list[Any]:
        return list(self.objects.values())

    def by(self, _index: str, value: str) -> list[Any]:
        return self.filed.get(value, [])


def heard(history: History, *changes: tuple[Any, Any]) -> list[str]:
    """What a mirror says of a cache that tells these changes and shows them."""
    told, shown = Told(), Shown()
    mirror = Mirror("p1", shown, history, told)
    for old, new in changes:
        shown.objects[(new or old).metadata.name] = new
        mirror.hears(Change(old, new))
    return told.promises


# ---- caches ------------------------------------------------------------------------------------------------------------------


def test_a_true_cache_is_left_in_peace():
    """A witness that cries for nothing is switched off before long."""
    one, two, anew = origin(1), origin(2), origin(4, uid="two")
    history = stored(one, two, anew, gone=(origin(3),))
    assert heard(history, (None, one), (one, two), (two, None), (None, anew)) == []


def test_a_cache_that_goes_back_is_seen():
    """A decision on what was replaced already is how promises are broken."""
    assert heard(stored(origin(1), origin(2)), (None, origin(2)), (origin(2), origin(1))) == ["a cache never goes back"]


def test_a_change_told_twice_is_seen():
    """Whoever counts by handlers counts wrong then."""
    assert heard(stored(origin(1)), (None, origin(1)), (None, origin(1)))[0] == "handlers hear every change once"


def test_a_gap_between_two_changes_is_seen():
    """An old object that was never told makes handlers undo what they never did."""
    history = stored(origin(1), origin(2), origin(3))
    assert heard(history, (None, origin(1)), (origin(2), origin(3))) == ["handlers hear every change once"]


def test_an_object_that_comes_back_from_the_dead_is_seen():
    """Its name is somebody else's by now."""
    history = stored(origin(1), origin(2), gone=(origin(3),))
    assert heard(history, (None, origin(1)), (origin(1), None), (None, origin(2))) == ["a deleted object stays away"]


def test_another_object_under_the_same_name_is_no_change():
    """What belongs to a uid must hear that the uid is gone."""
    history = stored(origin(1), origin(3, uid="two"), gone=(origin(2),))
    assert heard(history, (None, origin(1)), (origin(1), origin(3, uid="two"))) == ["an object made anew is another one"]


def test_a_version_that_never_was_is_seen():
    """A cache may be late; it may not make things up."""
    assert heard(stored(origin(1)), (None, origin(7))) == ["a cache shows what was stored"]


def test_a_handler_that_is_told_other_than_shown_is_seen():
    """Rounds read the cache when a handler wakes them."""
    told, shown = Told(), Shown()
    Mirror("p1", shown, stored(origin(1)), told).hears(Change(None, origin(1)))
    assert told.promises == ["handlers hear what the cache shows"]


def test_an_index_that_lags_behind_is_seen():
    """A controller counts by an index."""
    told, shown = Told(), Shown()
    mirror = Mirror("p1", shown, stored(origin(1)), told)
    mirror.indexes["group"] = lambda obj: obj.metadata.labels.values()
    shown.objects["o1"] = origin(1)
    mirror.hears(Change(None, shown.objects["o1"]))
    assert told.promises == ["an index shows what the cache holds"]


def test_a_missing_and_a_leftover_object_are_seen_at_rest():
    """Nothing will ever tell of them any more."""
    told, shown = Told(), Shown()
    shown.objects["o2"] = origin(2, name="o2", uid="two")
    mirror = Mirror("p1", shown, stored(origin(1), origin(2, name="o2", uid="two"), gone=(origin(3, name="o2", uid="two"),)), told)
    mirror.held["", "o2"] = shown.objects["o2"]
    mirror.at_rest(ConfigMap)
    assert told.promises.count("at rest a cache is the store") == 2


def test_a_real_cache_passes():
    """The witness and the cache have to speak of the same thing."""
    told, cache = Told(), Cache(ConfigMap, NAMESPACE)
    cache.index("group", lambda obj: obj.metadata.labels.values())
    mirror = Mirror("p1", cache, stored(origin(1), origin(2, group="b")), told)
    mirror.indexes["group"] = lambda obj: obj.metadata.labels.values()
    cache.on_change(mirror.hears)
    cache.saw(origin(1))
    cache.saw(origin(2, group="b"))
    mirror.at_rest(ConfigMap)
    assert told.promises == []


# ---- own writes --------------------------------------------------------------------------------------------------------------


class Writes:
    """A client whose every write is answered with the same object."""

    def __init__(self, answer: Object) -> None:
        self._answer = answer

    async def create(self, _obj: Object) -> Object:
        return self._answer

    async def delete(self, *_names: Any, **_conditions: Any) -> None:
        return


@virtual
async def test_a_program_that_does_not_see_its_own_write_is_seen():
    """It would do the same again."""
    told, shown = Told(), Shown()
    shown.objects["o1"] = origin(1)
    hands = Hands("p1", Writes(origin(2)), lambda _: [shown], stored(origin(1)), told)  # type: ignore[arg-type]  # a stand-in
    await hands.create(origin(2))
    await hands.delete(origin(1))
    assert told.promises == ["a program reads what it wrote"] * 2


@virtual
async def test_a_write_that_somebody_has_undone_need_not_be_shown():
    """The watch may be faster than the answer: what is shown is newer, and must stay."""
    told = Told()
    gone = stored(origin(2), gone=(origin(3),))
    await Hands("p1", Writes(origin(2)), lambda _: [Shown()], gone, told).create(origin(2))  # type: ignore[arg-type]  # as above
    assert told.promises == []


# ---- rounds ------------------------------------------------------------------------------------------------------------------


def at_rest(rounds: Rounds) -> None:
    rounds.at_rest(lambda _: True)


@virtual
async def test_a_key_in_two_hands_is_seen():
    """Two rounds over one object undo each other's work."""
    rounds = Rounds("p1", told := Told())
    rounds.woken("k")
    rounds.begins("k")
    rounds.woken("k")
    rounds.begins("k")
    assert told.promises == ["a key is in one hand at most"]


@virtual
async def test_a_change_that_is_forgotten_is_seen():
    """Nobody will look at the object until something else happens to it."""
    rounds = Rounds("p1", told := Told())
    rounds.woken("k")
    rounds.begins("k")
    rounds.woken("k")
    rounds.ends_well("k", None)
    at_rest(rounds)
    assert told.promises == ["no change is forgotten"]


@virtual
async def test_a_round_without_a_cause_is_seen():
    """A queue that turns by itself eats a processor and storms a server."""
    rounds = Rounds("p1", told := Told())
    rounds.woken("k")
    for _ in range(2):
        rounds.begins("k")
        rounds.ends_well("k", None)
    assert told.promises == ["no round without a cause"]


@virtual
async def test_a_key_that_fails_may_come_back_later_each_time():
    """The shortest delays are told from no delay at all."""
    rounds = Rounds("p1", told := Told(), is_prompt=True)
    rounds.woken("k")
    for failures in range(10):
        rounds.begins("k")
        rounds.fails("k")
        await asyncio.sleep(0.0051 * 2**failures)
    assert told.promises == []
    rounds.begins("k")
    rounds.fails("k")
    await asyncio.sleep(0.0051)
    rounds.begins("k")
    assert told.promises == ["no round without a cause"]


@virtual
async def test_a_look_that_comes_late_is_seen():
    """Times are kept, or whoever waits for one waits for ever."""
    rounds = Rounds("p1", told := Told(), is_prompt=True)
    rounds.works()
    rounds.woken("k")
    rounds.begins("k")
    rounds.ends_well("k", 3.0)
    await asyncio.sleep(9.0)
    at_rest(rounds)
    rounds.begins("k")
    rounds.ends_well("k", None)
    rounds.woken("k")
    await asyncio.sleep(9.0)
    rounds.begins("k")
    assert told.promises == ["looks are kept", "looks are kept", "a change is looked at soon"]


@virtual
async def test_a_round_that_never_ends_is_seen():
    """Its key is in nobody else's hand for ever."""
    rounds = Rounds("p1", told := Told())
    rounds.woken("k")
    rounds.begins("k")
    await asyncio.sleep(60.0)
    at_rest(rounds)
    assert told.promises == ["a round ends"]


@virtual
async def test_what_another_has_taken_over_is_not_missed():
    """A process that shares its keys may let the times of some of them go by."""
    rounds = Rounds("p1", told := Told(), is_prompt=True)
    rounds.woken("k")
    rounds.begins("k")
    rounds.ends_well("k", 3.0)
    rounds.shared_anew([])
    await asyncio.sleep(9.0)
    at_rest(rounds)
    assert told.promises == []


# ---- leaders, requests, events -----------------------------------------------------------------------------------------------


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
