"""`holdfast manager`, the program, at a real API server with the rights of deploy/rbac.yaml and nothing more."""

import json
import signal

import pytest
from tests.support.program import Started, holdfast, surroundings
from tests.support.real_control_plane import API
from tests.support.real_rights import grant_in
from tests.support.watching import until

from holdfast.agent.agent import Agent
from holdfast.agent.simulated import SimulatedDriver, uuid_of
from holdfast.api.conditions import is_true
from holdfast.api.core import Lease
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.longhorn.disk_schedule import State
from holdfast.kube.ownership import PREFIX
from holdfast.process import Process, Tasks

GIB = 2**30

pytestmark = pytest.mark.usefixtures("kinds")


@pytest.fixture
async def accounts(admin, namespace, kubectl):
    """The accounts of deploy/rbac.yaml, in the namespace of the test."""
    await grant_in(namespace, kubectl, admin)
    return namespace


@pytest.fixture
async def manager(control_plane, accounts, tmp_path):
    """The program, started as its service account."""
    kubeconfig = await control_plane.kubeconfig_of_account(accounts, "holdfast-manager")
    command = ("manager", "--kubeconfig", kubeconfig, "--namespace", accounts, "--metrics-port", "0")
    started = Started(*command, environment=surroundings(tmp_path), last_line="Metrics:", listen_to="stderr")
    yield started
    started.ends_by(signal.SIGKILL)


@pytest.fixture
async def disk(control_plane, accounts, manager, admin):
    """The UUID of a disk of 100Gi, once its books are open; its agent runs with the rights of agents."""
    kubeconfig = await control_plane.kubeconfig_of_account(accounts, "holdfast-agent")
    async with control_plane.client(kubeconfig, name="agent") as client, Tasks() as tasks:
        driver = SimulatedDriver("n1", {"disk-1": 100 * GIB})
        tasks.spawn(Agent(client, Process("agent"), driver, node="n1", namespace=accounts).run(), name="agent")
        uuid = uuid_of("n1", "disk-1")
        await until(admin, DiskSchedule, uuid, accounts, lambda books: is_true(books.status.conditions, "Schedulable"))
        yield uuid


def verdicts(books: DiskSchedule) -> dict[str, State]:
    return {name: entry.state for name, entry in books.status.replicas.items()}


async def ask(admin, namespace, disk, **asks):
    """The books, once every ask has a verdict."""
    wanted = {name: size and size * GIB for name, size in asks.items()}
    await admin.patch(DiskSchedule, disk, namespace, {"spec": {"replicas": wanted}})
    return await until(admin, DiskSchedule, disk, namespace, lambda books: set(books.status.replicas) == set(books.spec.replicas))


async def test_it_grants_what_fits_and_refuses_what_does_not(admin, namespace, disk):
    """The whole thread, through a real API server, with least rights."""
    books = await ask(admin, namespace, disk, first=30)
    assert verdicts(books) == {"first": State.SCHEDULED}
    assert books.status.storage_scheduled == 30 * GIB
    books = await ask(admin, namespace, disk, second=90)
    assert verdicts(books) == {"first": State.SCHEDULED, "second": State.REJECTED}


async def test_it_goes_on_when_the_api_server_comes_back(control_plane, admin, namespace, disk):
    """A control plane is upgraded now and then; nobody restarts managers for it."""
    await ask(admin, namespace, disk, first=30)
    control_plane.programs[API].kill()
    await control_plane.restart(API)
    assert verdicts(await ask(admin, namespace, disk, second=10)) == {"first": State.SCHEDULED, "second": State.SCHEDULED}


async def test_its_lease_goes_with_it(manager, disk, admin, namespace):
    """The others take over its keys at once when they see it leave."""

    async def managers() -> list[str]:
        return [lease.metadata.name for lease in (await admin.list(Lease, namespace)).items if lease.metadata.name.startswith(PREFIX)]

    assert len(await managers()) == 1
    assert manager.stop().code == 0
    assert await managers() == []


async def test_it_does_not_start_where_it_may_nothing(control_plane, namespace, kubectl, tmp_path):
    """An operator who forgot to apply the rights is told which one is missing, at once and without a traceback."""
    await kubectl("-n", namespace, "create", "serviceaccount", "nobody")
    kubeconfig = await control_plane.kubeconfig_of_account(namespace, "nobody")
    ended = holdfast("manager", "--kubeconfig", kubeconfig, "--namespace", namespace, environment=surroundings(tmp_path))
    assert ended.code == 1
    assert f"system:serviceaccount:{namespace}:nobody" in ended.err
    assert "Traceback" not in ended.err


async def test_people_who_may_only_look_get_an_explanation(control_plane, admin, namespace, disk, tmp_path):
    """`explain` runs beside clusters that others are responsible for, with rights to read."""
    await ask(admin, namespace, disk, first=30)
    kubeconfig = await control_plane.kubeconfig_of_account(namespace, "holdfast-explain")
    command = ("explain", "disk", "n1/disk-1", "--kubeconfig", kubeconfig, "--namespace", namespace, "-o", "json")
    ended = holdfast(*command, environment=surroundings(tmp_path))
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["uuid"] == disk
