"""What a manager shows of itself over HTTP."""

import socket

import aiohttp
import pytest

from holdfast.api.core import Namespace
from holdfast.api.meta import ObjectMeta
from holdfast.plane.definitions import apply_missing
from holdfast.plane.failure import Failure
from holdfast.plane.manager import Manager
from holdfast.plane.status_page import shown
from holdfast.process import Process, Tasks


@pytest.fixture
async def manager(client) -> Manager:
    """One that has not begun."""
    await client.create(Namespace(metadata=ObjectMeta(name="longhorn-system")))
    await apply_missing(client)
    return Manager(client, Process("m"), namespace="longhorn-system")


async def read(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.text()


async def test_metrics_are_prometheus_text(manager):
    """Queues, rounds and requests under the names that dashboards know."""
    async with shown(manager, 0) as url:
        status, text = await read(f"{url}/metrics")
    assert status == 200
    assert "# TYPE workqueue_depth gauge" in text
    assert "# TYPE rest_client_requests_total counter" in text


async def test_it_is_healthy_at_once_and_ready_when_it_has_seen_everything(manager):
    """A probe must not send work to a manager that does not know the world yet, nor kill one that is still reading it."""
    async with shown(manager, 0) as url:
        assert (await read(f"{url}/healthz"))[0] == 200
        assert (await read(f"{url}/readyz"))[0] == 503
        async with Tasks() as tasks:
            tasks.spawn(manager.run(), name="manager")
            await manager.runtime.caches.wait_synced()
            assert await read(f"{url}/readyz") == (200, "ok\n")


async def test_it_listens_on_loopback_only(manager):
    """Metrics tell names of volumes and nodes."""
    async with shown(manager, 0) as url:
        assert url.startswith("http://127.0.0.1:")


async def test_a_port_in_use_is_told_with_the_way_out(manager):
    """A second manager on one machine."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Failure, match=rf"port {port}: it is in use.*--metrics-port"):
            async with shown(manager, port):
                pass
