"""The way in without sockets behaves like a connection, also when it dies."""

import asyncio
import json
from typing import Any

import pytest
from tests.support.raw_api import CONFIG_MAPS, Lines, serving

from holdfast.api.wire import Answer, Request, Unreachable
from holdfast.process import Process, Tasks

_READ = Request("GET", CONFIG_MAPS)
_WATCH = Request("GET", CONFIG_MAPS, (("watch", "1"),))


async def test_a_dead_process_says_and_hears_nothing():
    """Crash semantics: the transport dies first, so nothing can be written by a task that is still unwinding."""
    async with serving() as api:
        transport = api.server.transport()
        process = Process("p")
        process.at_death(transport.kill)
        assert (await transport.send(_READ)).status == 200

        process.die()

        for call in (transport.send, transport.open):
            with pytest.raises(Unreachable):
                await call(_READ)
        assert (await api.get(CONFIG_MAPS)).code == 200, "others go on"


async def test_a_watch_is_cut_when_its_process_dies():
    """Also one that waits for news."""
    async with serving() as api:
        transport = api.server.transport()
        stream = await transport.open(_WATCH)
        assert not isinstance(stream, Answer)

        async def read_on() -> None:
            with pytest.raises(Unreachable):
                await anext(aiter(stream))

        async with Tasks() as tasks:
            reader = tasks.spawn(read_on(), name="reader")
            await asyncio.sleep(0)
            transport.kill()
            await reader
        await api.has("a")
        with pytest.raises(Unreachable):
            await anext(aiter(stream))
        assert not api.server.store.collection("configmaps").watches


async def test_a_call_in_flight_has_an_unknown_end():
    """The write was on its way to the journal: it may be done, and the caller must not believe either."""
    async with serving() as api:
        transport = api.server.transport()

        async def write() -> None:
            with pytest.raises(Unreachable):
                await transport.send(Request("POST", CONFIG_MAPS, (), {}, json.dumps({"metadata": {"name": "a"}}).encode()))

        async with Tasks() as tasks:
            writer = tasks.spawn(write(), name="writer")
            await asyncio.sleep(0)
            transport.kill()
            await writer
        await api.server.store.drained()
        assert (await api.get(f"{CONFIG_MAPS}/a")).code == 200


async def test_closing_ends_the_watches():
    """A client that hangs up leaves nothing behind."""
    async with serving() as api:
        transport = api.server.transport()
        stream = await transport.open(_WATCH)
        assert not isinstance(stream, Answer)
        await transport.close()

        assert await Lines(stream).rest() == []
        assert not api.server.store.collection("configmaps").watches


async def test_a_server_that_closes_ends_its_watches_and_takes_no_more_writes():
    """Clients notice, and look for the next one."""
    async with serving() as api:
        watch = await api.watch(CONFIG_MAPS)
    assert await watch.rest() == []
    assert (await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}})).code == 503


async def test_a_watch_may_be_read_like_an_answer():
    """For tools that know no streams: it ends by its own time."""
    async with serving() as api:
        await api.has("a")
        watch = await api.server.transport().open(Request("GET", CONFIG_MAPS, (("watch", "1"),)))
        assert not isinstance(watch, Answer)
        event = await Lines(watch).next()
        assert event["type"] == "ADDED"
        await watch.close()
        failed = await api.server.transport().send(Request("GET", CONFIG_MAPS, (("watch", "1"), ("resourceVersion", "999"))))
        assert json.loads(failed.body)["object"]["code"] == 410


async def test_every_revision_is_recorded_in_order():
    """The checker, trace and replay live on this record."""
    async with serving(background=True) as api:
        record: list[dict[str, Any]] = []
        api.server.record(record.append)
        await asyncio.gather(*(api.has(name) for name in "abc"))
        await api.patch(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}})
        await api.patch(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}})
        await api.delete(f"{CONFIG_MAPS}/b")

        assert [(line["type"], line["object"]["metadata"]["name"]) for line in record] == [
            ("ADDED", "a"),
            ("ADDED", "b"),
            ("ADDED", "c"),
            ("MODIFIED", "a"),
            ("DELETED", "b"),
        ]
        revisions = [line["revision"] for line in record]
        assert revisions == list(range(revisions[0], revisions[0] + 5))
        assert all(line["object"]["metadata"]["resourceVersion"] == str(line["revision"]) for line in record)
