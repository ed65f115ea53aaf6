"""Everything here runs against an embedded API in memory, without sockets."""

from collections.abc import AsyncIterator

import pytest
from tests.support.embedded import client_of, embedded_api

from holdfast.embedded.server import Server
from holdfast.kube.client import Client


@pytest.fixture
async def api() -> AsyncIterator[Server]:
    async with embedded_api() as server:
        yield server


@pytest.fixture
def client(api: Server) -> Client:
    return client_of(api)
