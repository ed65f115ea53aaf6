"""Where a scenario may take place: the embedded API over HTTPS, or a real control plane. It sees the same either way.

A home has a kubeconfig for programs, clients for those in this process, a namespace that is the scenario's own, and a record of every
revision. The embedded one writes the record itself; that of the real one is put together from watches.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from tests.support.real_control_plane import ControlPlane

from holdfast.api import kinds
from holdfast.api.core import Namespace
from holdfast.api.meta import ObjectMeta
from holdfast.api.wire import Transport
from holdfast.embedded.http import serve
from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.kube.client import Client
from holdfast.plane.definitions import apply_missing
from holdfast.process import Process, Tasks
from holdfast.simulation.watching_record import WatchingRecord


def in_the_real_tier(name: str) -> Any:
    """A parameter of a fixture that leads to the real control plane by a fixture of that name; its tests are told from the others."""
    return pytest.param(name, marks=[pytest.mark.real, pytest.mark.xdist_group("real"), pytest.mark.timeout(180)], id="real")


Observer = Callable[[dict[str, Any]], None]
#: What a record holds, of a home whose record is made of watches.
RECORDED = (*kinds.CUSTOM, kinds.LEASE, kinds.EVENT)


class Home(Struct, frozen=True):
    """An API that knows our kinds, and a namespace with nothing in it."""

    namespace: str
    kubeconfig: Path
    transports: Callable[[], Transport]
    catch_up: Callable[[], Awaitable[None]]
    """When it returns, the observer has been told of all that has happened."""
    news: Callable[[], Awaitable[None]]
    """Until something happens of which the observer has not been told before."""

    def client(self, name: str) -> Client:
        return Client(self.transports(), Process(name))


class _Ear:
    """Passes on what the embedded server tells, at the moment of its commit."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._heard = asyncio.Event()

    def __call__(self, revision: dict[str, Any]) -> None:
        self._observer(revision)
        self._heard.set()

    async def catch_up(self) -> None:
        """It is never behind."""

    async def news(self) -> None:
        self._heard.clear()
        await self._heard.wait()


@asynccontextmanager
async def embedded_home(folder: Path, observer: Observer) -> AsyncIterator[Home]:
    async with AsyncExitStack() as stack:
        process, namespace = Process("api"), "longhorn-system"
        server = await Server.open(process, MemoryJournal())
        stack.push_async_callback(server.close)
        tasks = await stack.enter_async_context(Tasks())
        tasks.spawn(server.run(), name="api")
        front = await stack.enter_async_context(serve(server, process, port=0, data_dir=folder))
        ear = _Ear(observer)
        server.record(ear)
        client = Client(server.transport(), process)
        await client.create(Namespace(metadata=ObjectMeta(name=namespace)))
        await apply_missing(client)
        yield Home(namespace, front.kubeconfig, server.transport, ear.catch_up, ear.news)


@asynccontextmanager
async def real_home(plane: ControlPlane, namespace: str, observer: Observer) -> AsyncIterator[Home]:
    """Our kinds are served, and the namespace is there."""
    opened: list[Transport] = []

    def transport() -> Transport:
        opened.append(plane.transport())
        return opened[-1]

    try:
        async with Tasks() as tasks:
            record = WatchingRecord(transport(), Process("record"), observer, namespace=namespace, watched=RECORDED)
            tasks.spawn(record.run(), name="record")
            await record.begins()
            yield Home(namespace, plane.kubeconfig, transport, record.catch_up, record.hears)
    finally:
        for each in opened:
            await each.close()
