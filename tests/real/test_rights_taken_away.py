"""Each rule of deploy/rbac.yaml is taken away in turn: whoever needed it says what is missing, to whom and what to do, and lives on."""

import asyncio
import logging
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.support.builders import size
from tests.support.looking import until_true
from tests.support.program import Started, surroundings
from tests.support.raw_json import store
from tests.support.real_rights import Role, grant_in
from tests.support.watching import until

from holdfast.agent.agent import Agent
from holdfast.agent.simulated import SimulatedDriver, uuid_of
from holdfast.api import kinds as all_kinds
from holdfast.api.conditions import is_true
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.disk_schedule import State
from holdfast.cli.explain import explained
from holdfast.cli.reach import reached
from holdfast.cli.sources import Live
from holdfast.kube.client import Client
from holdfast.plane import preflight
from holdfast.plane.failure import Failure
from holdfast.process import Process, Tasks

GIB = size("1Gi")
WHAT_TO_DO = "deploy/rbac.yaml"

pytestmark = pytest.mark.usefixtures("kinds")


@pytest.fixture
async def accounts(admin, namespace, kubectl):
    """The accounts of deploy/rbac.yaml, in the namespace of the test."""
    await grant_in(namespace, kubectl, admin)
    return namespace


class Warnings(logging.Handler):
    """What our program tells the operator while it goes on."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.told: list[str] = []
        self._heard = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())
        self._heard.set()

    async def one_with(self, *words: str) -> None:
        """Until one of them has all these words."""
        async with asyncio.timeout(20):
            while not any(all(word in line for word in words) for line in self.told):
                self._heard.clear()
                await self._heard.wait()


@pytest.fixture
def warnings():
    handler = Warnings()
    logger = logging.getLogger("holdfast")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


@asynccontextmanager
async def acting_as(control_plane, namespace: str, account: str) -> AsyncIterator[Client]:
    """As a command of ours does: what the server refuses becomes a ``Failure``."""
    kubeconfig = await control_plane.kubeconfig_of_account(namespace, account)
    async with reached(Process(account), kubeconfig, None) as connection:
        yield connection.client


async def what_is_said(work: Any) -> str:
    """The words of its failure, or none."""
    try:
        await work
    except Failure as failure:
        return str(failure)
    return ""


@pytest.mark.parametrize("kind", ["Role", "ClusterRole"])
async def test_a_manager_names_the_right_that_it_lacks(control_plane, admin, accounts, warnings, kind):
    """At its start, all of them at once: not an hour later, by a disk that grants nothing."""
    role = Role(admin, accounts, "holdfast-manager", kind)
    for rule in role.rules:
        await role.loses(rule)
        warnings.told.clear()
        async with acting_as(control_plane, accounts, "holdfast-manager") as client:
            said = await what_is_said(preflight.check(client, accounts))
        lines = [*said.splitlines(), *warnings.told]
        for resource in rule["resources"]:
            for verb in rule["verbs"]:
                right = f"{verb} {resource.partition('/')[0]}"
                assert [line for line in lines if right in line], (right, lines)
        assert WHAT_TO_DO in "".join(lines)
        assert role.user in said or not said
    await role.has_all()
    async with acting_as(control_plane, accounts, "holdfast-manager") as client:
        assert await what_is_said(preflight.check(client, accounts)) == ""


async def test_a_manager_lives_on_without_the_right_to_grant(control_plane, admin, accounts, tmp_path):
    """Rights are tidied up while it runs. It says so, and goes on where it stood when they are back."""
    role = Role(admin, accounts, "holdfast-manager")
    kubeconfig = await control_plane.kubeconfig_of_account(accounts, "holdfast-manager")
    command = ("manager", "--kubeconfig", kubeconfig, "--namespace", accounts, "--metrics-port", "0")
    manager = Started(*command, environment=surroundings(tmp_path), last_line="Metrics:", listen_to="stderr")
    driver, uuid = SimulatedDriver("n1", {"disk-1": 100 * GIB}), uuid_of("n1", "disk-1")
    try:
        async with Tasks() as tasks:
            tasks.spawn(Agent(admin, Process("agent"), driver, node="n1", namespace=accounts).run(), name="agent")
            await until(admin, DiskSchedule, uuid, accounts, lambda books: is_true(books.status.conditions, "Schedulable"))
            (grants,) = [rule for rule in role.rules if rule["resources"] == ["diskschedules/status"]]
            await role.loses(grants)
            await admin.patch(DiskSchedule, uuid, accounts, {"spec": {"replicas": {"r1": GIB}}})
            await admin.patch(DiskSchedule, uuid, accounts, {"spec": {"replicas": {"r2": GIB}}})
            await until_true(lambda: was_refused(manager))
            await role.has_all()
            books = await until(admin, DiskSchedule, uuid, accounts, lambda books: len(books.status.replicas) == 2)
            assert {entry.state for entry in books.status.replicas.values()} == {State.SCHEDULED}
    finally:
        ended = manager.stop()
    assert ended.code == 0
    assert 'cannot patch resource "diskschedules/status"' in ended.err
    assert WHAT_TO_DO in ended.err
    assert "Traceback" not in ended.err


def was_refused(manager: Started) -> bool:
    """Whether the server has refused a patch of it, as it counts itself."""
    page = manager.said[-1].removeprefix("Metrics: ").partition(". ")[0]
    with urllib.request.urlopen(page) as answer:  # noqa: S310 - a page of our own, on loopback
        counted = answer.read().decode()
    return 'rest_client_requests_total{code="403",method="PATCH"}' in counted


async def test_an_agent_names_the_right_that_it_lacks_and_works_when_it_has_it(control_plane, admin, accounts, warnings):
    """Its node would only look silent."""
    role = Role(admin, accounts, "holdfast-agent")
    for number, rule in enumerate(role.rules):
        await role.loses(rule)
        node = f"n{number}"
        async with acting_as(control_plane, accounts, "holdfast-agent") as client, Tasks() as tasks:
            agent = Agent(client, Process(node), SimulatedDriver(node, {"disk-1": GIB}), node=node, namespace=accounts, interval=0.2)
            tasks.spawn(agent.run(), name=node)
            await warnings.one_with(f"node {node}", role.user, f'"{rule["resources"][0]}"', WHAT_TO_DO)
            await role.has_all()
            await until(admin, LonghornNode, node, accounts, lambda found: is_true(found.status.conditions, "Ready"))


async def test_an_agent_that_can_not_watch_says_so(control_plane, admin, accounts, warnings):
    """It works on at its own pace; only what is wanted of its disks reaches it late."""
    role = Role(admin, accounts, "holdfast-agent")
    (nodes,) = [rule for rule in role.rules if rule["resources"] == ["nodes"]]
    nodes["verbs"].remove("watch")
    await role.has_all()
    async with acting_as(control_plane, accounts, "holdfast-agent") as client, Tasks() as tasks:
        agent = Agent(client, Process("n"), SimulatedDriver("n", {"disk-1": GIB}), node="n", namespace=accounts)
        tasks.spawn(agent.run(), name="n")
        await warnings.one_with("does not hear", role.user, "cannot watch", WHAT_TO_DO)
        await until(admin, LonghornNode, "n", accounts, lambda found: is_true(found.status.conditions, "Ready"))


async def test_who_explains_names_the_right_that_is_missing(control_plane, admin, accounts):
    """A person who may not look is told what to ask for."""
    disk = "3f8f8a4e-1c1e-4a6c-9d5e-6a1b2c3d4e5f"
    books = {"name": "disk-1", "nodeID": "n1", "replicas": {"r": 1}, "backingImages": {"b": 1}}
    kind = all_kinds.DISK_SCHEDULE
    await store(admin, kind.path(accounts), {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": disk}, "spec": books})
    role = Role(admin, accounts, "holdfast-explain")
    for rule in role.rules:
        await role.loses(rule)
        said = await what_is_said(an_explanation(control_plane, accounts, disk))
        assert role.user in said
        assert f'"{rule["resources"][0]}"' in said or f'"{rule["resources"][-1]}"' in said
        assert WHAT_TO_DO in said
    await role.has_all()
    assert await what_is_said(an_explanation(control_plane, accounts, disk)) == ""


async def an_explanation(control_plane, namespace: str, disk: str) -> None:
    async with acting_as(control_plane, namespace, "holdfast-explain") as client:
        await explained(Live(client, namespace), disk, namespace, 0.0)
