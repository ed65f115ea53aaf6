"""Objects as kubectl shows them on a busy cluster: nodes with thirty images, pods with containers, all with managedFields."""

import json
from collections.abc import Iterator
from typing import Any

NODES, PODS, EVENTS = 5_000, 10_000, 12_000


def managed_fields(*managers: str) -> list[dict[str, Any]]:
    fields = {
        f"f:{part}": {f"f:{name}{n}": {} for name in ("ready", "pressure", "lease") for n in range(8)} for part in ("metadata", "status")
    }
    return [
        {
            "manager": m,
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2026-11-19T10:00:00Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        }
        for m in managers
    ]


def node(number: int) -> dict[str, Any]:
    images = [
        {"names": [f"registry.example/team/app-{n}@sha256:{n:064x}", f"registry.example/team/app-{n}:v1.{n}"], "sizeBytes": 10**8 + n}
        for n in range(30)
    ]
    conditions = [
        {
            "type": t,
            "status": "False",
            "lastHeartbeatTime": "2026-11-19T10:00:00Z",
            "lastTransitionTime": "2026-11-01T10:00:00Z",
            "reason": f"KubeletHas{t}",
            "message": f"kubelet has no {t}",
        }
        for t in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    ]
    return {
        "metadata": {
            "name": f"node-{number:05d}",
            "uid": f"00000000-0000-4000-8000-{number:012d}",
            "resourceVersion": str(number + 1),
            "creationTimestamp": "2026-11-01T10:00:00Z",
            "labels": {"kubernetes.io/hostname": f"node-{number:05d}", "topology.kubernetes.io/zone": f"zone-{number % 3}", "kubernetes.io/arch": "amd64"},
            "annotations": {"node.alpha.kubernetes.io/ttl": "0"},
            "managedFields": managed_fields("kubelet", "kube-controller-manager"),
        },
        "spec": {"podCIDR": f"10.{number // 256}.{number % 256}.0/24", "providerID": f"example://{number}"},
        "status": {
            "capacity": {"cpu": "64", "memory": "263903420Ki", "pods": "110"},
            "allocatable": {"cpu": "63", "memory": "260903420Ki", "pods": "110"},
            "conditions": conditions,
            "addresses": [{"type": "InternalIP", "address": "192.0.2.1"}, {"type": "Hostname", "address": f"node-{number:05d}"}],
            "nodeInfo": {"machineID": f"{number:032x}", "kernelVersion": "6.1.0", "osImage": "Debian 12", "kubeletVersion": "v1.36.4", "architecture": "amd64", "bootID": "b", "containerRuntimeVersion": "containerd://2.0", "kubeProxyVersion": "", "operatingSystem": "linux", "systemUUID": "s"},
            "images": images,
        },
    }  # fmt: skip


def pod(number: int, revision: int | None = None) -> dict[str, Any]:
    containers = [
        {
            "name": f"c{n}",
            "image": f"registry.example/team/app-{n}:v1",
            "env": [{"name": f"SETTING_{k}", "value": f"value-{k}"} for k in range(8)],
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
        }
        for n in range(2)
    ]
    return {
        "metadata": {
            "name": f"pod-{number:05d}",
            "namespace": f"team-{number % 20}",
            "uid": f"00000000-0000-4000-9000-{number:012d}",
            "resourceVersion": str(revision or number + 1),
            "creationTimestamp": "2026-11-01T10:00:00Z",
            "labels": {"app": f"app-{number % 50}", "pod-template-hash": "5d4f8c7b9"},
            "annotations": {"example.com/checksum": f"{number:064x}"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"app-{number % 50}", "uid": f"{number % 50}", "controller": True}],
            "managedFields": managed_fields("kubelet", "kube-controller-manager"),
        },
        "spec": {"nodeName": f"node-{number % NODES:05d}", "schedulerName": "default-scheduler", "containers": containers, "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": f"claim-{number}"}}]},
        "status": {"phase": "Running", "conditions": [{"type": t, "status": "True", "lastTransitionTime": "2026-11-01T10:00:00Z"} for t in ("Initialized", "Ready", "ContainersReady", "PodScheduled")], "podIP": "192.0.2.7", "startTime": "2026-11-01T10:00:00Z"},
    }  # fmt: skip


def listing(kind: str, items: list[dict[str, Any]], rest: str = "") -> bytes:
    metadata = {"resourceVersion": str(PODS + 1)} | ({"continue": rest} if rest else {})
    return json.dumps({"kind": f"{kind}List", "apiVersion": "v1", "metadata": metadata, "items": items}, separators=(",", ":")).encode()


def whole(kind: str, obj: dict[str, Any]) -> bytes:
    return json.dumps({"kind": kind, "apiVersion": "v1", **obj}, separators=(",", ":")).encode()


def events() -> Iterator[bytes]:
    """A watch stream that touches pods one after the other; the last one is named by its revision."""
    for number in range(EVENTS):
        yield b'{"type":"MODIFIED","object":%s}\n' % whole("Pod", pod(number % PODS, PODS + 2 + number))


LAST_REVISION = str(PODS + 2 + EVENTS - 1)
