"""`holdfast manager` in a namespace where longhorn-manager is: it does not decide beside it, and does when it is gone."""

import asyncio

import pytest
from tests.support.program import Started, holdfast, surroundings
from tests.support.real_rights import grant_in

from holdfast.plane import manager
from holdfast.plane.failure import Failure
from holdfast.process import Process

_TEMPLATE = {
    "metadata": {"labels": {"app": "longhorn-manager"}},
    "spec": {
        "serviceAccountName": "longhorn-service-account",
        "containers": [{"name": "longhorn-manager", "image": "example.com/longhorn-manager:v1.12.0"}],
    },
}
#: As Longhorn's chart names and labels it.
_DAEMON_SET = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "longhorn-manager", "labels": {"app": "longhorn-manager"}},
    "spec": {"selector": {"matchLabels": {"app": "longhorn-manager"}}, "template": _TEMPLATE},
}
_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "longhorn-manager-x7k2p", "labels": {"app": "longhorn-manager"}},
    "spec": _TEMPLATE["spec"],
}

pytestmark = pytest.mark.usefixtures("kinds")


@pytest.fixture
async def command(control_plane, admin, namespace, kubectl):
    """The manager as its service account, with the rights of deploy/rbac.yaml."""
    await grant_in(namespace, kubectl, admin)
    await kubectl("-n", namespace, "create", "serviceaccount", "longhorn-service-account")
    kubeconfig = await control_plane.kubeconfig_of_account(namespace, "holdfast-manager")
    return ("manager", "--kubeconfig", kubeconfig, "--namespace", namespace, "--metrics-port", "0")


@pytest.mark.parametrize("there, told", [(_DAEMON_SET, "the DaemonSet longhorn-manager"), (_POD, "a Pod of longhorn-manager")])
async def test_it_starts_only_where_longhorn_does_not_decide(kubectl, namespace, command, tmp_path, there, told):
    """Two deciders with different books promise the same byte twice. A DaemonSet counts without a single pod: its nodes may come."""
    await kubectl("-n", namespace, "create", "-f", "-", given=there)
    refused = holdfast(*command, environment=surroundings(tmp_path))
    assert refused.code == 1
    assert f"{told} is in namespace {namespace}: Longhorn decides there" in refused.err
    assert "holdfast explain disk" in refused.err
    assert "Traceback" not in refused.err

    await kubectl("-n", namespace, "delete", there["kind"], there["metadata"]["name"], "--grace-period=0", "--force")
    started = Started(*command, environment=surroundings(tmp_path), last_line="Metrics:", listen_to="stderr")
    assert started.stop().code == 0


async def test_another_program_beside_it_is_no_obstacle(kubectl, namespace, command, tmp_path):
    """Only longhorn-manager decides where replicas go; its drivers, its user interface and strangers do not."""
    other = {**_POD, "metadata": {"name": "longhorn-ui", "labels": {"app": "longhorn-ui"}}}
    await kubectl("-n", namespace, "create", "-f", "-", given=other)
    started = Started(*command, environment=surroundings(tmp_path), last_line="Metrics:", listen_to="stderr")
    assert started.stop().code == 0


@pytest.mark.usefixtures("command")
async def test_one_that_runs_makes_way_for_longhorn(control_plane, kubectl, namespace, monkeypatch):
    """Longhorn may be installed at any time, and does not ask who was there before."""
    monkeypatch.setattr(manager, "_WATCHFUL", 0.1)
    kubeconfig = await control_plane.kubeconfig_of_account(namespace, "holdfast-manager")
    async with control_plane.client(kubeconfig, name="manager") as client, asyncio.timeout(30):
        running = manager.Manager(client, Process("manager"), namespace=namespace).run()
        installed = kubectl("-n", namespace, "create", "-f", "-", given=_DAEMON_SET)
        with pytest.raises(Failure, match="the DaemonSet longhorn-manager is in namespace"):
            await asyncio.gather(running, installed)
