"""Two homes that serve Longhorn's kinds by Longhorn's own definitions: the embedded API, and a real one of its own.

Of its own, because everywhere else the same names stand for our definitions.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.embedded import client_of, embedded_api
from tests.support.homes import in_the_real_tier
from tests.support.raw_json import make
from tests.support.real_binaries import must_be_there
from tests.support.real_control_plane import ControlPlane, served
from tests.support.real_kinds import serve_kinds
from tests.support.upstream import definitions as upstream

from holdfast.api.core import Namespace
from holdfast.api.kinds import CUSTOM_RESOURCE_DEFINITION
from holdfast.api.meta import ObjectMeta
from holdfast.kube.client import Client
from holdfast.process import Randomness


@pytest.fixture(scope="session")
def definitions() -> dict[str, Any]:
    """Longhorn's definitions by the names of their kinds."""
    found = upstream()
    if not found.by_kind:
        if must_be_there():
            pytest.fail(f"Longhorn's own definitions can not be had: {found.missing}", pytrace=False)
        pytest.skip(f"NOT JUDGED BY LONGHORN'S OWN DEFINITIONS: {found.missing}")
    return found.by_kind


@pytest.fixture(scope="session")
def _longhorn_plane(kubernetes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    yield from served(ControlPlane(kubernetes, tmp_path_factory.mktemp("longhorn")))


@pytest.fixture
async def _real_home(_longhorn_plane: ControlPlane, definitions: dict[str, Any]) -> AsyncIterator[Client]:
    async with _longhorn_plane.client() as client:
        await _define(client, definitions)
        yield client


@pytest.fixture
async def _embedded_home(definitions: dict[str, Any]) -> AsyncIterator[Client]:
    async with embedded_api() as server:
        client = client_of(server)
        await _define(client, definitions)
        yield client


async def _define(client: Client, definitions: dict[str, Any]) -> None:
    """All of Longhorn's, as its chart does; and ours, of which only the DiskSchedule is left to define."""
    for definition in definitions.values():
        await make(client, CUSTOM_RESOURCE_DEFINITION.path(), definition)
    await serve_kinds(client)


@pytest.fixture(params=[pytest.param("_embedded_home", id="embedded"), in_the_real_tier("_real_home")])
def longhorn(request: pytest.FixtureRequest) -> Client:
    """A client of one of the homes."""
    client: Client = request.getfixturevalue(request.param)
    return client


@pytest.fixture
async def place(longhorn: Client) -> str:
    """A namespace of the test."""
    return await _made_in(longhorn)


@pytest.fixture
async def place_at_the_real_home(_real_home: Client) -> str:
    """A namespace at the real one."""
    return await _made_in(_real_home)


async def _made_in(home: Client) -> str:
    return (await home.create(Namespace(metadata=ObjectMeta(name=f"longhorn-{Randomness().suffix(8)}")))).metadata.name
