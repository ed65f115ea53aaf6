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


SECRETS = CONFIG_MAPS.replace("configmaps", "secrets")
NO_JSON = {".dockerconfigjson": "bm8="}
TOO_DEEP = {".dockerconfigjson": "W1tb" * 100_000}


@pytest.mark.parametrize(
    "path,fields,field",
    [
        (CONFIG_MAPS, {"data": {"a b": "c"}}, "data[a b]"),
        (CONFIG_MAPS, {"data": {"..a": "c"}}, "data[..a]"),
        (CONFIG_MAPS, {"data": {"k" * 254: "c"}}, f"data[{'k' * 254}]"),
        (CONFIG_MAPS, {"data": {"a": "c"}, "binaryData": {"a": "AAEC"}}, "data[a]"),
        (CONFIG_MAPS, {"metadata": {"name": "a", "finalizers": ["hold"]}}, "metadata.finalizers[0]"),
        (CONFIG_MAPS, {"metadata": {"name": "a", "generation": -1}}, "metadata.generation"),
        (SECRETS, {"data": {"a b": "YQ=="}}, "data[a b]"),
        (SECRETS, {"data": {"a": "AAAA" * 400_000}}, "data"),
        (SECRETS, {"type": "kubernetes.io/tls", "data": {"tls.crt": ""}}, "data[tls.key]"),
        (SECRETS, {"type": "kubernetes.io/ssh-auth", "data": {"ssh-privatekey": ""}}, "data[ssh-privatekey]"),
        (SECRETS, {"type": "kubernetes.io/basic-auth"}, "data[username]"),
        (SECRETS, {"type": "kubernetes.io/dockerconfigjson"}, "data[.dockerconfigjson]"),
        (SECRETS, {"type": "kubernetes.io/dockerconfigjson", "data": NO_JSON}, "data[.dockerconfigjson]"),
        (SECRETS, {"type": "kubernetes.io/dockerconfigjson", "data": TOO_DEEP}, "data[.dockerconfigjson]"),
        (SECRETS, {"type": "kubernetes.io/service-account-token"}, "metadata.annotations[kubernetes.io/service-account.name]"),
        (LEASES, {"spec": {"leaseDurationSeconds": 0}}, "spec.leaseDurationSeconds"),
        (LEASES, {"spec": {"leaseTransitions": -1}}, "spec.leaseTransitions"),
    ],
)
async def test_content_that_kubernetes_refuses_is_refused_with_its_field(path, fields, field):
    """What is taken here and refused by a real cluster is found out too late."""
    async with serving() as api:
        reply = await api.post(path, {"metadata": {"name": "a"}, **fields})
        assert reply.code == 422
        assert reply.body["details"]["causes"][0]["field"] == field


@pytest.mark.parametrize("key", ["", ".", "..", "..a", "a\n", "\na", "a\0b", "\u00e4", "k" * 254])
@pytest.mark.parametrize("beside", [{}, {"good": "1", ".also-good": "2", "k" * 253: "3"}])
async def test_one_bad_key_among_good_ones_is_refused_and_alone(key, beside):
    """Keys become file names in a pod; the good ones must not hide it, nor be blamed."""
    async with serving() as api:
        reply = await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}, "data": {**beside, key: "c"}})
        assert [cause["field"] for cause in reply.body["details"]["causes"]] == [f"data[{key}]"]
        assert (await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}, "data": beside})).code == 201


@pytest.mark.parametrize("letter, size", [("a", 1), ("\u00e4", 2), ("\u20ac", 3), ("\U0001f600", 4)])
async def test_a_config_map_holds_a_mebibyte_of_encoded_text(letter, size):
    """The limit counts bytes, however many letters they are: etcd takes no more."""
    async with serving() as api:
        fits = letter * ((1024 * 1024 - 100) // size) + "x" * (100 + (1024 * 1024 - 100) % size)
        assert (await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}, "data": {"k": fits}})).code == 201
        assert (await api.post(CONFIG_MAPS, {"metadata": {"name": "b"}, "data": {"k": fits, "l": "x"}})).code == 422


@pytest.mark.parametrize("binary", [{"a": "%%%"}, {"a": 1}, ["a"]])
async def test_binary_data_is_base64(binary):
    """Whoever reads it decodes it."""
    async with serving() as api:
        assert (await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}, "binaryData": binary})).code == 400


async def test_secrets_of_a_known_type_are_taken_when_they_are_whole():
    """The checks must not stand in the way of what every cluster has."""
    whole = {
        "kubernetes.io/tls": {"tls.crt": "", "tls.key": ""},
        "kubernetes.io/ssh-auth": {"ssh-privatekey": "YQ=="},
        "kubernetes.io/basic-auth": {"password": ""},
        "kubernetes.io/dockerconfigjson": {".dockerconfigjson": "e30="},
        "kubernetes.io/dockercfg": {".dockercfg": "bnVsbA=="},
        "example.com/any": {},
    }
    async with serving() as api:
        for at, (type_, data) in enumerate(whole.items()):
            assert (await api.post(SECRETS, {"metadata": {"name": f"s{at}"}, "type": type_, "data": data})).code == 201


async def test_an_event_has_the_fields_that_clients_find_in_a_real_one():
    """A client that reads ``eventTime`` must not fall over its absence."""
    events = CONFIG_MAPS.replace("configmaps", "events")
    about = {"kind": "Node", "name": "n"}
    async with serving() as api:
        reply = await api.post(events, {"metadata": {"name": "a"}, "involvedObject": about, "source": {"component": "x"}})
        assert reply.code == 201
        assert {"eventTime": None, "reportingComponent": "", "firstTimestamp": None}.items() <= reply.body.items()
        assert (await api.get(events, fieldSelector="source=x")).names == ["a"]
        assert (await api.get(events, fieldSelector="source=y")).names == []

        elsewhere = await api.post(events, {"metadata": {"name": "b"}, "involvedObject": about | {"namespace": "kube-system"}})
        assert elsewhere.body["details"]["causes"][0]["field"] == "involvedObject.namespace"
