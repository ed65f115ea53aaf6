"""The record of a real cluster, put together from watches, and the checker's word on it."""

from typing import Any

import pytest
from tests.support.builders import disk, node, size
from tests.support.homes import Home, real_home

from holdfast.agent.simulated import uuid_of
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec
from holdfast.api.meta import ObjectMeta
from holdfast.kube.client import Client
from holdfast.simulation.checker import Checker, Violation
from holdfast.simulation.record import Revision

UUID = uuid_of("n1", "disk-1")


class Judge:
    """Holds every revision to the promises."""

    def __init__(self) -> None:
        self.checker = Checker()
        self.revisions: list[Revision] = []
        self.violations: list[Violation] = []

    def sees(self, told: dict[str, Any]) -> None:
        self.revisions.append(Revision(**told))
        self.violations += self.checker.see(self.revisions[-1])


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
async def home(control_plane, kinds, namespace, judge):
    async with real_home(control_plane, namespace, judge.sees) as home:
        yield home


async def granted(home: Home, client: Client, amount: str) -> None:
    """A disk of 100Gi, and a grant on it that names the Node's revision, whoever decided it."""
    wanted = node("n1", disk("disk-1", maximum="100Gi"))
    metadata = ObjectMeta(name="n1", namespace=home.namespace)
    made = await client.create(LonghornNode(metadata=metadata, spec=wanted.spec))
    told = await client.change(
        LonghornNode(metadata=made.metadata), LonghornNode(metadata=made.metadata, status=wanted.status), subresource="status"
    )
    spec = DiskScheduleSpec(name="disk-1", node_id="n1", replicas={"r": size(amount)})
    await client.create(DiskSchedule(metadata=ObjectMeta(name=UUID, namespace=home.namespace), spec=spec))
    status = {
        "replicas": {"r": {"state": "scheduled", "scheduledSize": size(amount)}},
        "storageScheduled": size(amount),
        "limit": {"nodeRevision": told.metadata.resource_version},
    }
    await client.patch(DiskSchedule, UUID, home.namespace, {"status": status}, subresource="status")
    await home.catch_up()


@pytest.mark.parametrize("amount, broken", [("100Gi", set()), ("101Gi", {"within the limit"})])
async def test_a_promise_that_is_broken_on_a_real_cluster_is_found(home, judge, admin, amount, broken):
    """A judge who hears half of it would call everybody innocent, or nobody."""
    await granted(home, admin, amount)

    assert {violation.promise for violation in judge.violations} == broken
    assert judge.checker.grants_seen == 1


async def test_revisions_come_in_the_order_of_their_commits(home, judge, admin):
    """Each kind has a watch of its own, and the order between kinds is what a grant rests on."""
    await granted(home, admin, "1Gi")
    for number in range(20):
        await admin.patch(LonghornNode, "n1", home.namespace, {"spec": {"tags": [f"t{number}"]}})
        await admin.patch(DiskSchedule, UUID, home.namespace, {"spec": {"replicas": {f"r{number}": 1}}})
    await admin.delete(DiskSchedule, UUID, home.namespace)
    await home.catch_up()

    kinds = [revision.object["kind"] for revision in judge.revisions]
    assert kinds == ["Node", "Node", "DiskSchedule", "DiskSchedule", *["Node", "DiskSchedule"] * 20, "DiskSchedule"]
    assert [revision.type for revision in judge.revisions if revision.type != "MODIFIED"] == ["ADDED", "ADDED", "DELETED"]
    assert [revision.revision for revision in judge.revisions] == sorted({revision.revision for revision in judge.revisions})
