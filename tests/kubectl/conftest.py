"""A server on a free port and the kubectl of this machine for it."""

import pytest
from tests.support.embedded_http import http_api
from tests.support.kubectl import Kubectl, kubectls
from tests.support.widgets import definition


@pytest.fixture
async def front(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    async with http_api(data) as front:
        yield front


@pytest.fixture
async def kubectl(front, tmp_path):
    """Kubectl against an empty server."""
    if not kubectls():
        pytest.skip("there is no kubectl on this machine")
    return Kubectl(kubectls()[0], tmp_path, front.kubeconfig)


@pytest.fixture
async def widgets(kubectl):
    """Kubectl against a server that knows widgets."""
    await kubectl("create", "-f", "-", given=definition())
    return kubectl
