"""An embedded API in memory, for tests that need a cluster and no network."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.kube.client import Client
from holdfast.process import Process, Tasks


@asynccontextmanager
async def embedded_api() -> AsyncIterator[Server]:
    """A server with its background work."""
    process = Process("api")
    server = await Server.open(process, MemoryJournal())
    try:
        async with Tasks() as tasks:
            tasks.spawn(server.run(), name="embedded API")
            yield server
    finally:
        await server.close()


def client_of(server: Server, name: str = "test") -> Client:
    """A client without sockets."""
    return Client(server.transport(), Process(name))
