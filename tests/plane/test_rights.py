"""deploy/rbac.yaml grants what each part needs, and nothing else: here everything runs under exactly those rights."""

import asyncio
from itertools import pairwise

import pytest
import yaml
from tests.support.rights import MANIFEST, Restricted, Rights
from tests.support.watching import until, until_gone

from holdfast.agent.agent import Agent
from holdfast.agent.simulated import SimulatedDriver, uuid_of
from holdfast.api.conditions import find, is_true
from holdfast.api.core import Namespace
from holdfast.api.longhorn import BackingImage, DiskSchedule, LonghornNode, Replica, Setting
from holdfast.api.longhorn.disk_schedule import State
from holdfast.api.meta import ObjectMeta
from holdfast.cli.explain import explained
from holdfast.cli.sources import Live
from holdfast.embedded.server import Server
from holdfast.kube.client import Client
from holdfast.plane import preflight, rights
from holdfast.plane.definitions import apply_missing
from holdfast.plane.manager import Manager
from holdfast.process import Process, Tasks

NAMESPACE = "longhorn-system"
GIB = 2**30
#: What takes longer than a test to become necessary.
RARE = {
    ("get", "settings"),  # a copy of a setting that is older than the verdict before
    ("get", "leases"),  # an agent that was silent for longer than its Lease
    ("get", "events"),  # an event that another manager wrote
    ("patch", "events"),  # an event that comes again
}
ACCOUNTS = ("holdfast-manager", "holdfast-agent", "holdfast-explain")

pytestmark = pytest.mark.timeout(120)


def client_with(server: Server, allowed: Rights) -> Client:
    return Client(Restricted(server.transport(), allowed), Process("restricted"))


@pytest.fixture
async def person(client: Client) -> Client:
    """Who set the cluster up, and may do everything."""
    await client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
    await apply_missing(client)
    return client


async def test_everything_works_under_the_rights_that_are_deployed(api, person):
    """A right that is missing shows on the first real cluster, at night."""
    allowed = {account: Rights(account) for account in ACCOUNTS}
    manager_client = client_with(api, allowed["holdfast-manager"])
    await preflight.check(manager_client, NAMESPACE)
    async with Tasks() as tasks:
        manager = Manager(manager_client, Process("m"), namespace=NAMESPACE)
        working = tasks.spawn(manager.run(), name="manager")
        agent_client = client_with(api, allowed["holdfast-agent"])
        driver = SimulatedDriver("n1", {"disk-1": 100 * GIB})
        tasks.spawn(Agent(agent_client, Process("a"), driver, node="n1", namespace=NAMESPACE).run(), name="agent")

        uuid = uuid_of("n1", "disk-1")
        await until(person, DiskSchedule, uuid, NAMESPACE, lambda books: is_true(books.status.conditions, "Schedulable"))
        await person.create(Replica(metadata=ObjectMeta(name="r", namespace=NAMESPACE)))
        await person.create(BackingImage(metadata=ObjectMeta(name="b", namespace=NAMESPACE)))
        asks = {"spec": {"replicas": {"r": 60 * GIB, "gone": 60 * GIB}, "backingImages": {"b": GIB, "gone": GIB}}}
        await person.patch(DiskSchedule, uuid, NAMESPACE, asks)
        await until(person, DiskSchedule, uuid, NAMESPACE, lambda books: State.REJECTED in states(books))
        explain_client = client_with(api, allowed["holdfast-explain"])
        await explained(Live(explain_client, NAMESPACE), "n1/disk-1", NAMESPACE, 0.0)
        await explained(Live(explain_client, NAMESPACE), "disk-1", NAMESPACE, 0.0)

        # What nobody wants is swept, a bad value is told, and books that nobody needs are closed.
        await person.patch(Setting, "disk-schedule-orphan-grace", NAMESPACE, {"value": "0"})
        await until(person, DiskSchedule, uuid, NAMESPACE, lambda books: "gone" not in books.spec.replicas)
        await person.patch(Setting, "disk-schedule-limit", NAMESPACE, {"value": "bogus"})
        await until(person, Setting, "disk-schedule-limit", NAMESPACE, lambda setting: not setting.status.applied)
        await person.patch(LonghornNode, "n1", NAMESPACE, {"spec": {"disks": {"disk-1": None}}})
        await until(person, LonghornNode, "n1", NAMESPACE, lambda node: find(node.status.conditions, "DisksReleased") is not None)
        await person.patch(DiskSchedule, uuid, NAMESPACE, {"spec": {"replicas": {"r": None}, "backingImages": {"b": None}}})
        await until_gone(person, DiskSchedule, uuid, NAMESPACE)
        working.cancel()
        await asyncio.wait([working])
        await manager.leave()

    for account, used in allowed.items():
        assert (account, used.refused) == (account, set())
        assert (account, used.unused() - RARE) == (account, set())


def states(books: DiskSchedule) -> set[State]:
    return {entry.state for entry in (*books.status.replicas.values(), *books.status.backing_images.values())}


def test_nothing_is_granted_by_wildcards():
    """A star grants what is invented next year."""
    for document in yaml.safe_load_all(MANIFEST.read_text()):
        for rule in document.get("rules", ()):
            assert "*" not in [*rule["apiGroups"], *rule["resources"], *rule["verbs"]]


def test_who_explains_can_change_nothing():
    """It runs beside clusters that others are responsible for."""
    assert {verb for _, rule in Rights("holdfast-explain").rules for verb in rule["verbs"]} == {"get", "list"}


def test_every_rule_says_why_it_is_there():
    """Who reviews rights asks this of each line."""
    lines = [line.strip() for line in MANIFEST.read_text().splitlines()]
    for above, line in pairwise(lines):
        if line.startswith("- apiGroups"):
            assert above.startswith("#"), line


def test_only_the_look_at_one_definition_leaves_the_namespace():
    """Everything else ends where Longhorn's objects live."""
    wide = [rule for account in ACCOUNTS for namespace, rule in Rights(account).rules if not namespace]
    assert [(rule["resources"], rule["resourceNames"], rule["verbs"]) for rule in wide] == [
        (["customresourcedefinitions"], ["diskschedules.longhorn.io"], ["get"])
    ]


def test_a_manager_asks_for_what_is_granted_and_for_nothing_else():
    """What it names as missing at its start must be what the manifest would grant."""
    named = {(need.group, need.resource, need.name, verb) for need in rights.MANAGER for verb in need.verbs}
    granted = {
        (rule["apiGroups"][0], resource, rule.get("resourceNames", [""])[0], verb)
        for _, rule in Rights("holdfast-manager").rules
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert named == granted
