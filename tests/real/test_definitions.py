"""Our definitions at a real API server, which serves a kind a little after it has called its definition established."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.real_control_plane import ControlPlane, served

from holdfast.api import kinds
from holdfast.api.core import CustomResourceDefinition
from holdfast.api.errors import NotFound
from holdfast.kube.client import Client
from holdfast.plane.definitions import apply_missing
from holdfast.process import Process, Tasks

_TIMES = 5


@pytest.fixture(scope="module")
def own_plane(kubernetes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """One whose definitions nobody else needs."""
    yield from served(ControlPlane(kubernetes, tmp_path_factory.mktemp("definitions")))


@pytest.mark.timeout(180)
@pytest.mark.xdist_group("real")
async def test_the_first_request_after_it_finds_every_kind(own_plane):
    """A program that starts in a new cluster must not fail by being fast. Looked at by a client without retries of its own."""
    async with own_plane.client() as admin:
        for _ in range(_TIMES):
            await apply_missing(admin)
            transport = own_plane.transport()
            first = Client(transport, Process("first"))
            async with Tasks() as tasks:
                asked = [tasks.spawn(first.list(kind.type, "default"), name=kind.plural) for kind in kinds.CUSTOM]
                assert [(await listing).items for listing in asked] == [()] * len(kinds.CUSTOM)
            await transport.close()
            for kind in kinds.CUSTOM:
                await admin.delete(CustomResourceDefinition, kind.resource)
            for kind in kinds.CUSTOM:
                while await _is_there(admin, kind.resource):
                    pass


async def _is_there(admin: Client, name: str) -> bool:
    try:
        await admin.get(CustomResourceDefinition, name)
    except NotFound:
        return False
    return True
