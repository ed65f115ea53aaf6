"""A scripted server, and the real client on a real connection to it."""

from collections.abc import AsyncIterator

import pytest
from tests.support.fake_api import FakeApi, fake_api

from holdfast.kube.client import Client
from holdfast.kube.http_transport import HttpTransport
from holdfast.kube.retry import Patience
from holdfast.process import Process, Randomness


@pytest.fixture
async def api() -> AsyncIterator[FakeApi]:
    async with fake_api() as running:
        yield running


@pytest.fixture
async def transport(api: FakeApi) -> AsyncIterator[HttpTransport]:
    transport = HttpTransport(api.url)
    yield transport
    await transport.close()


@pytest.fixture
def client(transport: HttpTransport) -> Client:
    """A client that waits only milliseconds between attempts."""
    return Client(transport, Process("test", randomness=Randomness(1)), patience=Patience(attempts=5, first=0.001, most=0.01))
