"""What goes wrong on a wire goes wrong as it is said to, and only when it is wanted."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from tests.support.virtual_loop import virtual, virtual_process

from holdfast.api.core import ConfigMap, Namespace
from holdfast.api.errors import NotFound
from holdfast.api.meta import ObjectMeta
from holdfast.api.wire import Request, Unreachable
from holdfast.kube.client import Client
from holdfast.process import Tasks
from holdfast.simulation.api import Api
from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import happenings, names_on_the_wire
from holdfast.simulation.journal import VirtualJournal
from holdfast.simulation.profiles import PROFILES
from holdfast.simulation.trace import Trace
from holdfast.simulation.weather import Weather
from holdfast.simulation.wire import Doom, Wire

POST = {"content-type": "application/json"}
MAPS = "/api/v1/namespaces/default/configmaps"


def creation(name: str) -> Request:
    body = f'{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "{name}"}}}}'
    return Request("POST", MAPS, headers=POST, body=body.encode())


@contextlib.asynccontextmanager
async def an_api() -> AsyncIterator[Api]:
    async with Tasks() as tasks:
        api = Api(virtual_process("api"), VirtualJournal(Dice(1)), tasks, lambda _: None)
        await api.start()
        yield api


def wire(api: Api, only: str = "", *, seed: int = 1) -> Wire:
    """A way on which one fault befalls every call that it concerns, and no other does."""
    weather = Weather({"*": 0.0, only: 1e9} if only else {"*": 0.0})
    return Wire("p", api, weather, Dice(seed), Trace(keeps=False))


def plain(api: Api) -> Client:
    return Client(wire(api), virtual_process("looks"))


async def has(api: Api, name: str) -> bool:
    try:
        await plain(api).get(ConfigMap, name, "default")
    except NotFound:
        return False
    return True


def test_every_fault_has_a_name_of_its_own_and_is_found():
    """A fault is switched off by its name, and one that is not found never happens."""
    names = [*names_on_the_wire(), *happenings()]

    assert len(names) == len(set(names))
    assert {"lost-answer", "cut-watch", "crash", "api-crash", "disk-away", "clock-step"} <= set(names)


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_speak_of_faults_that_exist(profile):
    """A misspelt name would be a fault that never comes."""
    assert set(PROFILES[profile]) - {"*"} <= {*names_on_the_wire(), *happenings()}


@virtual
async def test_a_lost_answer_is_that_of_a_write_that_took_place():
    """The sender can not tell it from a write that never was: that is what it is for."""
    async with an_api() as api:
        with pytest.raises(Unreachable):
            await wire(api, "lost-answer").send(creation("a"))

        assert await has(api, "a")


@virtual
async def test_a_lost_request_was_never_there():
    """Nothing left, so nothing was done."""
    async with an_api() as api:
        with pytest.raises(Unreachable):
            await wire(api, "lost-request").send(creation("a"))

        assert not await has(api, "a")


@virtual
async def test_a_busy_server_did_nothing():
    """A 503 that hides a write would be a lie of the simulation, not a fault of a server."""
    async with an_api() as api:
        answer = await wire(api, "busy").send(creation("a"))

        assert answer.status == 503
        assert not await has(api, "a")


@virtual
async def test_calm_weather_befalls_nobody():
    """When the world has to come to rest nothing may go wrong any more."""
    async with an_api() as api:
        rough = wire(api, "lost-request")
        rough._weather.clear()

        assert (await rough.send(creation("a"))).status == 201


@pytest.mark.parametrize("acts", [False, True])
@virtual
async def test_a_doomed_program_dies_before_or_after_the_server_acted(acts):
    """Every await can be the last, on either side of the wire."""
    async with an_api() as api, Tasks() as tasks:
        ends = asyncio.Event()
        doomed = wire(api)
        doomed.doom, doomed.on_doom = Doom(1, acts), ends.set
        await doomed.send(creation("a"))
        tasks.spawn(doomed.send(creation("b")), name="last words")
        await ends.wait()
        doomed.kill()

        assert await has(api, "b") == acts
        with pytest.raises(Unreachable):
            await doomed.send(creation("c"))


@virtual
async def test_a_dead_program_is_not_heard_and_what_it_sent_is_done():
    """That its sender dies does not stop a request that is with the server."""
    async with an_api() as api, Tasks() as tasks:
        dying = wire(api)
        sending = tasks.spawn(dying.send(creation("a")), name="sends")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        dying.kill()
        sending.cancel()
        await asyncio.sleep(1)

        assert await has(api, "a")


async def hears_nobody(api: Api) -> bool:
    try:
        await wire(api).send(creation("a"))
    except Unreachable:
        return True
    return False


@virtual
async def test_a_server_that_dies_answers_nobody_and_forgets_nothing_acknowledged():
    """Who waits hears that nobody is there; what was answered is there again."""
    async with an_api() as api, Tasks() as tasks:
        await plain(api).create(Namespace(metadata=ObjectMeta(name="kept")))
        waiting = tasks.spawn(hears_nobody(api), name="waits")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await api.crash()
        assert await waiting
        assert await hears_nobody(api)
        await api.start()

        assert (await plain(api).get(Namespace, "kept")).metadata.uid


async def told_by(api: Api, only: str, *, pieces: int = 1) -> bytes:
    """What a watch on a bad wire tells until it breaks, at most so many pieces."""
    listing = await plain(api).list(ConfigMap, "default")
    query = (("watch", "true"), ("resourceVersion", listing.resource_version))
    stream = await wire(api, only).open(Request("GET", MAPS, query))
    for name in ("a", "b"):
        await wire(api).send(creation(name))
    heard = b""
    with contextlib.suppress(Unreachable):
        for _ in range(pieces):
            heard += await anext(stream)  # type: ignore[call-overload]  # a watch that was opened is a stream
    await stream.close()  # type: ignore[union-attr]  # as above
    return heard


@virtual
async def test_a_torn_watch_ends_within_a_line():
    """Readers of lines must not take half of one for a whole."""
    async with an_api() as api:
        heard = await told_by(api, "torn-watch", pieces=3)

        assert not heard.endswith(b"}\n")


@virtual
async def test_events_that_come_twice_are_the_same():
    """A cache that counts on once would count double."""
    async with an_api() as api:
        lines = (await told_by(api, "events-twice")).splitlines()

        assert len(lines) >= 2
        assert lines[: len(lines) // 2] == lines[len(lines) // 2 :]


@virtual
async def test_a_forgotten_past_is_told_as_servers_tell_it():
    """As an ERROR event with a 410, after which nothing comes."""
    async with an_api() as api:
        heard = await told_by(api, "gone", pieces=3)

        assert heard.startswith(b'{"type":"ERROR"')
        assert b'"code":410' in heard


@virtual
async def test_who_is_deaf_hears_everything_later():
    """Late is not lost."""
    async with an_api() as api:
        loop = asyncio.get_running_loop()
        deaf = wire(api)
        deaf._weather.deafen("p", "configmaps", 20.0)
        stream = await deaf.open(Request("GET", MAPS, (("watch", "true"), ("resourceVersion", str(api.journal.revision)))))
        await wire(api).send(creation("a"))
        began = loop.time()
        heard = await anext(stream)  # type: ignore[call-overload]  # a watch that was opened is a stream

        assert b'"name":"a"' in heard
        assert loop.time() - began > 15
        await stream.close()  # type: ignore[union-attr]  # as above
