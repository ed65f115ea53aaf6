"""Fake machines for a control plane: nodes that stay Ready, and pods that run on them without running anything.

To the other programs it is a kubelet as far as the API shows one: it makes its Nodes, renews their Leases in kube-node-lease, and
takes the pods that were bound to them from Pending to Running, and from a deletion that was asked for to the end. What keeps a
pod from starting is told by a hook, such as a volume that is not there yet.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

from holdfast.api.core import Lease, LeaseSpec, Node, Pod
from holdfast.api.errors import AlreadyExists, ApiError, NotFound
from holdfast.api.kinds import POD
from holdfast.api.meta import Object, ObjectMeta, OwnerReference
from holdfast.api.timestamps import micro_timestamp, timestamp
from holdfast.api.wire import Request, Unreachable
from holdfast.kube.client import Client
from holdfast.kube.controller import Controller
from holdfast.kube.runtime import Runtime
from holdfast.process import Process, Tasks

_LEASES = "kube-node-lease"
_LIFETIME = 40
_BETWEEN_BEATS = 1.0
_BETWEEN_LOOKS = 0.2

#: Whether a pod may start now; asked again and again until it says yes.
MayStart = Callable[[Pod], Awaitable[bool]]


async def at_once(_pod: Pod) -> bool:
    return True


class FakeKubelet:
    """The kubelets of some nodes, named with their labels."""

    def __init__(
        self,
        client: Client,
        process: Process,
        nodes: Mapping[str, Mapping[str, str]],
        *,
        may_start: MayStart = at_once,
        capacity: Mapping[str, str] | None = None,
    ) -> None:
        self.may_start = may_start
        self._client = client
        self._process = process
        self._nodes = nodes
        self._capacity = dict(capacity or {"cpu": "8", "memory": "16Gi", "pods": "110", "ephemeral-storage": "100Gi"})
        self._silent: set[str] = set()
        #: Set when all nodes are there and Ready.
        self.registered = asyncio.Event()

    async def run(self) -> None:
        """Live until cancelled."""
        for name, labels in self._nodes.items():
            await self._register(name, labels)
        self.registered.set()
        runtime = Runtime(self._client, self._process, namespace="")
        async with Tasks() as tasks:
            for name in self._nodes:
                tasks.spawn(self._beat_on(name), name=f"heart of {name}")
            await runtime.run([_Pods(runtime, self)])

    def falls_silent(self, node: str) -> None:
        """As when its machine loses power: no Lease is renewed, no pod starts or ends there any more."""
        self._silent.add(node)

    def speaks_again(self, node: str) -> None:
        """Pods are looked at again with their next change."""
        self._silent.discard(node)

    def has(self, node: str) -> bool:
        return node in self._nodes and node not in self._silent

    async def _register(self, name: str, labels: Mapping[str, str]) -> None:
        annotations = {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}  # without it nothing is ever attached there
        labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **labels}
        try:
            await self._client.create(Node(metadata=ObjectMeta(name=name, labels=labels, annotations=annotations)))
        except AlreadyExists:
            await self._client.patch(Node, name, "", {"metadata": {"labels": labels, "annotations": annotations}})
        now = timestamp(self._process.clock.now())
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "fake kubelet is ready"}
        troubles = [{"type": f"{what}Pressure", "status": "False", "reason": "Fake"} for what in ("Memory", "Disk", "PID")]
        status = {
            "capacity": self._capacity,
            "allocatable": self._capacity,
            "conditions": [condition | {"lastHeartbeatTime": now, "lastTransitionTime": now} for condition in (ready, *troubles)],
            "addresses": [{"type": "Hostname", "address": name}, {"type": "InternalIP", "address": "127.0.0.1"}],
            "nodeInfo": {"kubeletVersion": "v1.36.4", "operatingSystem": "linux", "architecture": "amd64"},
        }
        await self._beat(name)
        await self._client.patch(Node, name, "", {"status": status}, subresource="status")

    async def _beat_on(self, name: str) -> None:
        while True:
            await asyncio.sleep(_BETWEEN_BEATS)
            if not self.has(name):
                continue
            try:
                await self._beat(name)
            except (ApiError, Unreachable):
                continue  # the API is away, or the Node is: a beat that fails is followed by another

    async def _beat(self, name: str) -> None:
        now = micro_timestamp(self._process.clock.now())
        try:
            await self._client.patch(Lease, name, _LEASES, {"spec": {"renewTime": now}})
        except NotFound:
            node = await self._client.get(Node, name)
            owner = OwnerReference(api_version="v1", kind="Node", name=name, uid=node.metadata.uid)
            spec = LeaseSpec(holder_identity=name, lease_duration_seconds=_LIFETIME, renew_time=now)
            await self._client.create(Lease(metadata=ObjectMeta(name=name, namespace=_LEASES, owner_references=(owner,)), spec=spec))


class _Pods(Controller[Pod]):
    """Takes the pods of the nodes through their lives."""

    kind: ClassVar[type[Object]] = Pod

    def __init__(self, runtime: Runtime, kubelet: FakeKubelet) -> None:
        super().__init__(runtime)
        self._kubelet = kubelet

    async def reconcile(self, obj: Pod) -> float | None:
        if not self._kubelet.has(obj.spec.node_name):
            return None
        if obj.metadata.deletion_timestamp:
            await self._end(obj)
        elif obj.status.phase in {"", "Pending"}:
            if not await self._kubelet.may_start(obj):
                return self.runtime.process.clock.now() + _BETWEEN_LOOKS
            await self._begin(obj)
        return None

    async def _begin(self, pod: Pod) -> None:
        now = timestamp(self.runtime.process.clock.now())
        conditions = [
            {"type": name, "status": "True", "lastTransitionTime": now}
            for name in ("PodScheduled", "PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
        ]
        started: dict[str, Any] = {
            "phase": "Running",
            "conditions": conditions,
            "hostIP": "127.0.0.1",
            "podIP": "127.0.0.1",
            "podIPs": [{"ip": "127.0.0.1"}],
            "startTime": now,
        }
        guard = {"uid": pod.metadata.uid, "resourceVersion": pod.metadata.resource_version}
        patch = {"metadata": guard, "status": started}
        await self.runtime.client.patch(Pod, pod.metadata.name, pod.metadata.namespace, patch, subresource="status")

    async def _end(self, pod: Pod) -> None:
        """What kubelet does last: the pod is removed without further grace."""
        options = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "gracePeriodSeconds": 0,
            "preconditions": {"uid": pod.metadata.uid},
        }
        path = POD.path(pod.metadata.namespace, pod.metadata.name)
        request = Request("DELETE", path, headers={"content-type": "application/json"}, body=json.dumps(options).encode())
        try:
            await self.runtime.client.send(request)
        except NotFound:
            return
