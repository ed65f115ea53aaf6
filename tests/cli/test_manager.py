"""`holdfast manager` against an API that is not its own."""

import re
import signal

import aiohttp
import pytest
from tests.support.program import Started, surroundings
from tests.support.served import Cluster, cluster
from tests.support.watching import until

from holdfast.agent.agent import Agent
from holdfast.agent.simulated import SimulatedDriver, uuid_of
from holdfast.api.core import Lease
from holdfast.api.longhorn import DiskSchedule
from holdfast.process import Process, Tasks, Thread

pytestmark = pytest.mark.slow

NAMESPACE = "longhorn-system"
GIB = 2**30


@pytest.fixture
async def served(tmp_path):
    """A cluster with one simulated node; nobody decides there yet."""
    async with cluster(tmp_path / "data") as found, Tasks() as tasks:
        agent = Agent(found.client, Process("agent"), SimulatedDriver("n1", {"disk-1": 100 * GIB}), node="n1", namespace=NAMESPACE)
        tasks.spawn(agent.run(), name="agent")
        yield found


@pytest.fixture
async def starts(served, tmp_path):
    """Starts managers, in a thread: this process serves them meanwhile. What still runs at the end is stopped."""
    thread, started = Thread("programs"), []
    environment = surroundings(tmp_path, KUBECONFIG=str(served.kubeconfig))

    async def start(*more: str) -> Started:
        manager = await thread.run(
            lambda: Started("manager", "--metrics-port", "0", *more, environment=environment, listen_to="stderr", last_line="Metrics:")
        )
        started.append(manager)
        return manager

    yield start
    for manager in started:
        await thread.run(manager.stop)
    thread.close()


async def granted(served: Cluster, name: str) -> DiskSchedule:
    return await until(served.client, DiskSchedule, uuid_of("n1", "disk-1"), NAMESPACE, lambda books: name in books.status.replicas)


async def test_it_decides_and_shows_its_metrics_and_ends_well(served, starts):
    """The whole life of a manager: found by kubeconfig, at work, watched by Prometheus, told to go."""
    manager = await starts()
    uuid = uuid_of("n1", "disk-1")
    await until(served.client, DiskSchedule, uuid, NAMESPACE, lambda books: bool(books.status.limit.policy))
    await served.client.patch(DiskSchedule, uuid, NAMESPACE, {"spec": {"replicas": {"demo": GIB}}})
    assert (await granted(served, "demo")).status.storage_scheduled == GIB

    (address,) = [found[1] for line in manager.said if (found := re.search(r"(http://\S+/metrics)", line))]
    async with aiohttp.ClientSession() as session, session.get(address) as page:
        assert 'holdfast_reconcile_total{controller="DiskSchedules",result="success"}' in await page.text()

    thread = Thread("end")
    ended = await thread.run(lambda: manager.ends_by(signal.SIGTERM))
    thread.close()
    assert (ended.code, ended.err) == (0, "")
    leases = [lease.metadata.name for lease in (await served.client.list(Lease, NAMESPACE)).items]
    assert [name for name in leases if "manager" in name] == []


async def test_another_goes_on_where_one_was_killed(served, starts):
    """Nothing that matters lives in a manager's memory."""
    first = await starts("--name", "m1")
    uuid = uuid_of("n1", "disk-1")
    await until(served.client, DiskSchedule, uuid, NAMESPACE, lambda books: bool(books.status.limit.policy))
    thread = Thread("end")
    assert (await thread.run(lambda: first.ends_by(signal.SIGKILL))).code == -signal.SIGKILL
    thread.close()

    await served.client.patch(DiskSchedule, uuid, NAMESPACE, {"spec": {"replicas": {"demo": GIB}}})
    await starts("--name", "m1")
    assert (await granted(served, "demo")).status.storage_scheduled == GIB
