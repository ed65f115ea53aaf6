"""A record that is put together from watches is the record that the server itself would write."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.support.builders import NAMESPACE
from tests.support.embedded import client_of, embedded_api

from holdfast.api.core import Namespace
from holdfast.api.kinds import CUSTOM
from holdfast.api.longhorn import DiskSchedule, Setting
from holdfast.api.meta import ObjectMeta
from holdfast.api.wire import Answer, Request, Stream, Transport, Unreachable
from holdfast.embedded.server import Server
from holdfast.kube.client import Client
from holdfast.plane.definitions import apply_missing
from holdfast.process import Process, Tasks
from holdfast.simulation.watching_record import Gap, WatchingRecord

KINDS = {kind.name for kind in CUSTOM}


@pytest.fixture
async def api() -> AsyncIterator[Server]:
    async with embedded_api() as server:
        client = client_of(server)
        await client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
        await apply_missing(client)
        yield server


@pytest.fixture
def client(api: Server) -> Client:
    return client_of(api)


@pytest.fixture
def committed(api: Server) -> list[dict[str, Any]]:
    """What the server itself records of our kinds, from now on."""
    told: list[dict[str, Any]] = []
    api.record(lambda revision: told.append(revision) if revision["object"]["kind"] in KINDS else None)
    return told


async def make(name: str, client: Client) -> None:
    await client.create(Setting(metadata=ObjectMeta(name=name, namespace=NAMESPACE), value="1"))


async def things_happen(client: Client, name: str) -> None:
    """Kinds in turn, so that their order matters, and every type of event."""
    for number in range(5):
        await make(f"{name}-{number}", client)
        await client.create(DiskSchedule(metadata=ObjectMeta(name=f"{name}-{number}", namespace=NAMESPACE)))
        await client.patch(Setting, f"{name}-{number}", NAMESPACE, {"value": "2"})
    await client.delete(Setting, f"{name}-0", NAMESPACE)
    await client.delete(DiskSchedule, f"{name}-1", NAMESPACE)


async def test_it_is_what_the_server_itself_records(api, client, committed):
    """The checker must come to the same words on any home."""
    told: list[dict[str, Any]] = []
    await things_happen(client, "before")
    async with Tasks() as tasks:
        record = WatchingRecord(api.transport(), Process("record"), told.append, namespace=NAMESPACE)
        tasks.spawn(record.run(), name="record")
        await record.begins()
        seen = len(committed)
        await things_happen(client, "while")
        await record.catch_up()
    at_the_start = told[: -len(committed[seen:])]
    assert told[len(at_the_start) :] == committed[seen:]
    assert {(line["type"], line["object"]["metadata"]["name"].partition("-")[0]) for line in at_the_start} == {("ADDED", "before")}
    assert len(at_the_start) == 8
    assert [line["revision"] for line in told] == sorted(line["revision"] for line in told)


async def test_what_happens_is_told_without_being_asked_for(api, client):
    """A test that waits for a state of the record sees it come."""
    heard = asyncio.Event()
    async with Tasks() as tasks:
        record = WatchingRecord(api.transport(), Process("record"), lambda _: heard.set(), namespace=NAMESPACE, hold_back=0.05)
        tasks.spawn(record.run(), name="record")
        await record.begins()
        await make("s", client)
        async with asyncio.timeout(20):
            await heard.wait()


class Wrapped:
    """A transport; what it opens is another matter."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner

    async def send(self, request: Request) -> Answer:
        return await self.inner.send(request)

    async def open(self, request: Request) -> Answer | Stream:
        return await self.inner.open(request)

    async def close(self) -> None:
        await self.inner.close()

    def kill(self) -> None:
        self.inner.kill()


class Cut(Wrapped):
    """Every watch is cut in the middle of its fourth event."""

    cuts = 0

    async def open(self, request: Request) -> Answer | Stream:
        opened = await self.inner.open(request)
        return opened if isinstance(opened, Answer) else _Beginning(opened, self)


class _Beginning:
    def __init__(self, inner: Stream, cut: Cut) -> None:
        self._inner = inner
        self._cut = cut

    async def __aiter__(self) -> AsyncIterator[bytes]:
        lines = 0
        async for piece in self._inner:
            for line in piece.splitlines(keepends=True):
                lines += 1
                if lines == 4:
                    self._cut.cuts += 1
                    yield line[: len(line) // 2]
                    raise Unreachable("cut")
                yield line

    async def close(self) -> None:
        await self._inner.close()


async def test_a_watch_that_is_cut_leaves_no_gap(api, client, committed):
    """It is taken up where it stood."""
    told: list[dict[str, Any]] = []
    transport = Cut(api.transport())
    async with Tasks() as tasks:
        record = WatchingRecord(transport, Process("record"), told.append, namespace=NAMESPACE, hold_back=60)
        tasks.spawn(record.run(), name="record")
        await record.begins()
        seen = len(committed)
        await things_happen(client, "while")
        await record.catch_up()
    assert transport.cuts > 0
    assert told == committed[seen:]


class Forgetful(Wrapped):
    """Lists, but has forgotten what happened since."""

    async def open(self, request: Request) -> Answer | Stream:
        gone = b'{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"}'
        return Answer(410, {"content-type": "application/json"}, gone)


async def test_a_record_with_a_gap_says_so(api):
    """What was not seen can not be judged; silence would look like innocence."""
    record = WatchingRecord(Forgetful(api.transport()), Process("record"), lambda _: None, namespace=NAMESPACE)
    with pytest.raises(Gap, match="has forgotten what happened"):
        await record.run()
