"""What is special about Kubernetes' own kinds, as far as they are served."""

import pytest
from tests.support.raw_api import CONFIG_MAPS, NAMESPACES, STRATEGIC, serving

from holdfast.embedded.built_in import PERMANENT_NAMESPACES
from holdfast.embedded.memory_journal import MemoryJournal

NODES = "/api/v1/nodes"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"


async def test_the_namespaces_of_every_cluster_are_there():
    """People work in "default" from the first moment; a second start makes nothing anew."""
    journal = MemoryJournal()
    async with serving(journal) as api:
        first = await api.get(NAMESPACES)
        assert set(first.names) == set(PERMANENT_NAMESPACES)
    async with serving(journal) as api:
        assert (await api.get(NAMESPACES)).body == first.body


async def test_a_namespace_is_active_and_carries_its_name_as_a_label():
    """Selectors over namespaces rest on that label."""
    async with serving() as api:
        reply = await api.post(NAMESPACES, {"metadata": {"generateName": "team-"}, "status": {"phase": "Terminating"}})

        name = reply.body["metadata"]["name"]
        assert reply.body["metadata"]["labels"] == {"kubernetes.io/metadata.name": name}
        assert reply.body["status"] == {"phase": "Active"}
        assert reply.body["spec"] == {"finalizers": ["kubernetes"]}
        stripped = await api.patch(f"{NAMESPACES}/{name}", {"metadata": {"labels": None}})
        assert stripped.body["metadata"]["labels"] == {"kubernetes.io/metadata.name": name}


async def test_a_node_comes_with_its_status():
    """A kubelet registers a machine with what it can hold."""
    async with serving() as api:
        ready = {"conditions": [{"type": "Ready", "status": "True"}]}
        reply = await api.post(NODES, {"metadata": {"name": "n1"}, "status": ready})
        assert reply.body["status"] == ready

        cordoned = await api.patch(f"{NODES}/n1", {"spec": {"unschedulable": True}, "status": {"conditions": []}})
        assert (cordoned.body["spec"], cordoned.body["status"]) == ({"unschedulable": True}, ready)

        pressed = {"status": {"conditions": [{"type": "DiskPressure", "status": "False"}]}, "metadata": {"annotations": {"a": "b"}}}
        told = await api.patch(f"{NODES}/n1/status", pressed, kind=STRATEGIC)
        assert [condition["type"] for condition in told.body["status"]["conditions"]] == ["DiskPressure", "Ready"]
        assert told.body["metadata"]["annotations"] == {"a": "b"}, "kubelet writes metadata by this path"
        assert told.body["spec"] == {"unschedulable": True}


@pytest.mark.parametrize(
    "path, body",
    [
        (CONFIG_MAPS, {"data": {"n": 1}}),
        (CONFIG_MAPS, {"data": ["n"]}),
        (NODES, {"spec": {"unschedulable": "yes"}}),
        (NODES, {"spec": []}),
        (NODES, {"status": "fine"}),
        (LEASES, {"spec": {"leaseDurationSeconds": "long"}}),
        (CONFIG_MAPS.replace("configmaps", "secrets"), {"stringData": {"a": 1}}),
        (CONFIG_MAPS.replace("configmaps", "secrets"), {"data": {"a": "%%%"}}),
        (CONFIG_MAPS.replace("configmaps", "events"), {"involvedObject": "x"}),
    ],
)
async def test_fields_have_their_types(path, body):
    """What controllers read must be what they expect."""
    async with serving() as api:
        reply = await api.post(path, {"metadata": {"name": "a"}, **body})
        assert reply.code in {400, 422}
        assert reply.words


@pytest.mark.parametrize("kind", ["configmaps", "secrets"])
async def test_what_is_marked_immutable_stays(kind):
    """The mark can be set, and then nothing of the content can change, the mark included."""
    async with serving() as api:
        path = CONFIG_MAPS.replace("configmaps", kind)
        await api.has("a", path=path, data={"k": "YQ=="})
        assert (await api.patch(f"{path}/a", {"immutable": True})).code == 200

        for change in ({"data": {"k": "Yg=="}}, {"data": None}, {"immutable": False}, {"immutable": None}):
            refusal = await api.patch(f"{path}/a", change)
            assert (refusal.code, refusal.reason) == (422, "Invalid")
            assert "field is immutable when `immutable` is set" in refusal.words
        assert (await api.delete(f"{path}/a")).code == 200


async def test_a_lease_is_a_lock():
    """Leader election rests on it: whoever read an old version loses."""
    async with serving() as api:
        (lease,) = await api.has("leader", path=LEASES, spec={"holderIdentity": "a", "leaseDurationSeconds": 15})
        taken = await api.put(f"{LEASES}/leader", {**lease, "spec": {"holderIdentity": "b"}})
        late = await api.put(f"{LEASES}/leader", {**lease, "spec": {"holderIdentity": "c"}})
        guarded = {"metadata": {"resourceVersion": lease["metadata"]["resourceVersion"]}, "spec": {"holderIdentity": "d"}}

        assert (taken.code, late.code) == (200, 409)
        assert (await api.patch(f"{LEASES}/leader", guarded)).code == 409
        assert (await api.get(f"{LEASES}/leader")).body["spec"]["holderIdentity"] == "b"
