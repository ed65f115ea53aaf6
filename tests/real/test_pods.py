"""Pods on fake machines, placed by the real scheduler."""

import asyncio
from typing import Any

import pytest
from tests.support.fake_kubelet import FakeKubelet
from tests.support.real_control_plane import API
from tests.support.watching import until, until_gone

from holdfast.api.core import Node, Pod
from holdfast.process import Process, Tasks

pytestmark = pytest.mark.usefixtures("scheduler")


def pod(name: str, **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "none"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container], **spec}}


@pytest.fixture
async def kubelet(control_plane, namespace):
    """Two machines of this test alone, in two zones."""
    nodes = {f"{namespace}-{zone}": {"test": namespace, "topology.kubernetes.io/zone": zone} for zone in ("a", "b")}
    async with control_plane.client(name="kubelet") as client, Tasks() as tasks:
        kubelet = FakeKubelet(client, Process("kubelet"), nodes)
        tasks.spawn(kubelet.run(), name="kubelet")
        await kubelet.registered.wait()
        yield kubelet
        for node in nodes:
            await client.delete(Node, node)


def here(namespace: str, zone: str = "") -> dict[str, Any]:
    """Placed on a machine of this test."""
    selector = {"test": namespace}
    return {"nodeSelector": selector | ({"topology.kubernetes.io/zone": zone} if zone else {})}


def readiness(node: Node) -> list[str]:
    return [condition.status for condition in node.status.conditions if condition.type == "Ready"]


def taints(node: Node) -> set[str]:
    return {taint.key for taint in node.spec.taints}


def runs(pod: Pod) -> bool:
    return pod.status.phase == "Running"


async def test_a_node_becomes_ready_and_may_be_used(admin, kubelet, namespace):
    """Controllers take the taint of a new node away once its kubelet has spoken."""
    node = await until(admin, Node, f"{namespace}-a", "", lambda node: not node.spec.taints)
    assert readiness(node) == ["True"]


async def test_a_pod_is_placed_and_runs_and_goes(admin, kubectl, kubelet, namespace):
    """The life of a pod, with nobody but the real programs and our kubelet."""
    await kubectl("-n", namespace, "create", "-f", "-", given=pod("p", **here(namespace, "b")))
    running = await until(admin, Pod, "p", namespace, runs)
    assert running.spec.node_name == f"{namespace}-b"
    assert {condition.type: condition.status for condition in running.status.conditions}["Ready"] == "True"
    await admin.delete(Pod, "p", namespace)
    await until_gone(admin, Pod, "p", namespace)


async def test_a_pod_waits_until_it_may_start(admin, kubectl, kubelet, namespace):
    """A pod whose volume is not there yet is bound and Pending."""
    asked = asyncio.Event()
    allowed = asyncio.Event()

    async def may_start(_pod: Pod) -> bool:
        asked.set()
        return allowed.is_set()

    kubelet.may_start = may_start
    await kubectl("-n", namespace, "create", "-f", "-", given=pod("p", **here(namespace)))
    await asked.wait()
    waiting = await admin.get(Pod, "p", namespace)
    assert (bool(waiting.spec.node_name), waiting.status.phase) == (True, "Pending")
    allowed.set()
    await until(admin, Pod, "p", namespace, runs)


async def test_the_scheduler_takes_a_configuration(scheduler, admin, kubectl, kubelet, namespace):
    """Extenders and own profiles come with one."""
    await scheduler.run_scheduler({"profiles": [{"schedulerName": "second"}]})
    await kubectl("-n", namespace, "create", "-f", "-", given=pod("p", schedulerName="second", **here(namespace)))
    await until(admin, Pod, "p", namespace, runs)


async def test_a_machine_that_falls_silent_is_told_from_one_that_lives(scheduler, admin, kubelet, namespace):
    """Power cuts are tested with this: only the Lease tells that nobody is there."""
    await scheduler.run_controllers("--node-monitor-grace-period=8s", "--node-monitor-period=1s")
    kubelet.falls_silent(f"{namespace}-a")

    await until(admin, Node, f"{namespace}-a", "", lambda node: "node.kubernetes.io/unreachable" in taints(node))
    assert readiness(await admin.get(Node, f"{namespace}-a")) == ["Unknown"]
    assert readiness(await admin.get(Node, f"{namespace}-b")) == ["True"]
    kubelet.speaks_again(f"{namespace}-a")


async def test_the_kubelet_lives_through_a_restart_of_the_api_server(scheduler, admin, kubectl, kubelet, namespace):
    """A fault test is about our programs, not about its own tools."""
    await scheduler.restart(API)
    await kubectl("-n", namespace, "create", "-f", "-", given=pod("p", **here(namespace)))
    await until(admin, Pod, "p", namespace, runs)
