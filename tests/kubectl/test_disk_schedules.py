"""The kinds of this project, as their definitions are shipped, under the hands of a person with kubectl."""

import json
import shutil
from pathlib import Path

import pytest
from tests.support.homes import in_the_real_tier
from tests.support.kubectl import Kubectl

DEPLOY = Path(__file__).parents[2] / "deploy" / "crds"
NAME = "3f8f8a4e-1c1e-4a6c-9d5e-6a1b2c3d4e5f"
SCHEDULE = {
    "apiVersion": "longhorn.io/v1beta2",
    "kind": "DiskSchedule",
    "metadata": {"name": NAME},
    "spec": {"name": "disk-1", "nodeID": "n1"},
}


@pytest.fixture
async def ours(kubectl):
    """The embedded API, with what a person applies first."""
    await kubectl("create", "-f", str(DEPLOY))
    await kubectl("create", "namespace", "longhorn-system")
    await kubectl("config", "set-context", "--current", "--namespace=longhorn-system")
    return kubectl


@pytest.fixture
async def real(kubernetes, control_plane, kinds, namespace, tmp_path):
    """The same at a real control plane, where every test has a namespace of its own."""
    kubeconfig = shutil.copy(control_plane.kubeconfig, tmp_path / "config")
    kubectl = Kubectl(kubernetes / "kubectl", tmp_path, kubeconfig)
    await kubectl("config", "set-context", "--current", f"--namespace={namespace}")
    return kubectl


@pytest.fixture(params=["ours", in_the_real_tier("real")])
def home(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
async def ledger(home):
    """Kubectl at a home where a disk has books."""
    await home("create", "-f", "-", given=SCHEDULE)
    return home


def asks(**replicas: object) -> str:
    return json.dumps({"spec": {"replicas": replicas}})


async def test_space_is_asked_for_with_a_patch_and_given_back_with_another(ledger):
    """The ledger can be tried with kubectl alone."""
    await ledger("patch", "lhds", NAME, "--type=merge", "-p", asks(r1=5 * 2**30))
    asked = (await ledger("get", "lhds", NAME, "-o", "json")).json
    await ledger("patch", "lhds", NAME, "--type=merge", "-p", asks(r1=None))
    given_back = (await ledger("get", "lhds", NAME, "-o", "json")).json

    assert asked["spec"]["replicas"] == {"r1": 5 * 2**30}
    assert given_back["spec"]["replicas"] == {}
    assert given_back["metadata"]["generation"] == 3


@pytest.mark.parametrize(
    "wanted,words",
    [
        (-1, "should be greater than or equal to"),
        ("5Gi", "must be of type int"),
        (1.5, "must be of type int"),
        (2**63, "must be of type int"),
        ({}, "must be of type int"),
    ],
)
async def test_an_absurd_size_is_refused_at_once(ledger, wanted, words):
    """The controller never sees it, and the person reads which field it was."""
    said = await ledger.says("patch", "lhds", NAME, "--type=merge", "-p", asks(r1=wanted))

    assert said.code == 1
    assert words in said.err
    assert not (await ledger("get", "lhds", NAME, "-o", "json")).json["spec"].get("replicas")


async def test_a_disk_schedule_is_closed_and_longhorns_kinds_are_open(ledger):
    """A misspelt ask is refused; a field of Longhorn's that we do not know is kept."""
    misspelt = await ledger.says("patch", "lhds", NAME, "--type=merge", "-p", '{"spec":{"replica":{"r1":1}}}')
    node = {"apiVersion": "longhorn.io/v1beta2", "kind": "Node", "metadata": {"name": "n1"}, "spec": {"evictionRequested": True}}
    await ledger("create", "-f", "-", given=node)

    assert 'unknown field "spec.replica"' in misspelt.err
    assert (await ledger("get", "lhn", "n1", "-o", "json")).json["spec"] == {"evictionRequested": True}


async def test_the_kinds_are_listed_and_explained(ledger):
    """A person finds out what a field is for without leaving the terminal."""
    explained = await ledger("explain", "diskschedule.spec.replicas")
    listed = await ledger("get", "lhds")

    assert "Wanted bytes by replica name" in explained.out
    assert listed.rows[0][0] == NAME
    assert {"diskschedules", "settings", "replicas", "backingimages"} <= {row[0] for row in (await ledger("api-resources")).rows}
