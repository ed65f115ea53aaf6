"""Three homes of the API, one suite: embedded in this process, embedded behind HTTPS, and the real kube-apiserver.

The real one has kube-controller-manager beside it, which collects garbage and ends namespaces, as embedded does by itself.
A claim that is made here holds at all three. Where one of them differs, that is a fault of embedded's.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.conformance_kinds import serve_widgets
from tests.support.embedded import embedded_api
from tests.support.embedded_http import http_api
from tests.support.home import Home
from tests.support.real_control_plane import ControlPlane

from holdfast.api.wire import Transport
from holdfast.kube.connect import find
from holdfast.kube.http_transport import HttpTransport
from holdfast.process import Process, Randomness

_HOMES = ("embedded", "https", "real")
#: Starting a control plane, on a busy machine.
_DEADLINE = 180


def pytest_itemcollected(item: pytest.Item) -> None:
    callspec = getattr(item, "callspec", None)
    if callspec is not None and callspec.params.get("home") == "real":
        item.add_marker(pytest.mark.real)
        item.add_marker(pytest.mark.xdist_group("real"))
        item.add_marker(pytest.mark.timeout(_DEADLINE))


@pytest.fixture(params=_HOMES)
def home(request: pytest.FixtureRequest) -> Home:
    """Each home in turn."""
    found: Home = request.getfixturevalue(f"_{request.param}")
    return found


@pytest.fixture
async def widgets(home: Home) -> Home:
    """The same, with a kind of our own."""
    await serve_widgets(home)
    return home


@pytest.fixture
async def _embedded() -> AsyncIterator[Home]:
    async with embedded_api() as server:
        yield await _settled("embedded", server.transport())


@pytest.fixture
async def _https(tmp_path: Path) -> AsyncIterator[Home]:
    folder = tmp_path / "data"
    folder.mkdir()
    async with http_api(folder) as front:
        transport = _transport(front.kubeconfig)
        try:
            yield await _settled("https", transport)
        finally:
            await transport.close()


@pytest.fixture
async def _real(controllers: ControlPlane) -> AsyncIterator[Home]:
    transport = _transport(controllers.kubeconfig)
    try:
        home = await _settled("real", transport)
        yield home
        await home.leave()
    finally:
        await transport.close()


def _transport(kubeconfig: Path) -> HttpTransport:
    target = find(kubeconfig, None, {}, Process("test").clock)
    return HttpTransport(target.server, tls=target.tls, tls_server_name=target.tls_server_name, credentials=target.credentials)


async def _settled(name: str, transport: Transport) -> Home:
    """With a namespace of its own, which is there for every verb."""
    home = Home(name, transport, f"conformance-{Randomness().suffix(8)}", [])
    made = await home.post(home.at("namespaces"), {"metadata": {"name": home.namespace}})
    assert made.code == 201, made
    return home
