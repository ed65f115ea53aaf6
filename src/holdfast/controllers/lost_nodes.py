"""LostNodes: speaks for the node whose agent cannot.

The agent of a node renews a Lease. When that Lease has stood still for its whole duration, on the monotonic clock of whoever
watches, the node is told to be unready: its disks take no growth until its agent is heard again. The agent itself takes that
word back. A node without such a Lease never had an agent of ours, and nobody speaks for it here.

What is remembered here, when each Lease last moved, is an observation and no fact: a new process starts to watch anew.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from holdfast.api.conditions import is_true, observed, told
from holdfast.api.core import Lease
from holdfast.api.errors import NotFound
from holdfast.api.longhorn import LonghornNode
from holdfast.api.meta import Object
from holdfast.api.node_leases import LIFETIME, lease_name, node_of
from holdfast.api.timestamps import timestamp
from holdfast.kube.cache import Change
from holdfast.kube.caches import Caches
from holdfast.kube.controller import Controller, Mapper, same_object
from holdfast.kube.keys import Key
from holdfast.kube.leases import Observed
from holdfast.kube.runtime import Runtime

READY = "Ready"
AGENT_LOST = "AgentLost"


def node_that_lives_by_it(_: Caches, change: Change[Lease]) -> Iterable[Key]:
    """The node whose agent renews the Lease."""
    metadata = change.object.metadata
    node = node_of(metadata.name)
    return [Key(metadata.namespace, node)] if node else []


class LostNodes(Controller[LonghornNode]):
    """Says that a node is unready when its agent is not heard any more."""

    kind: ClassVar[type[Object]] = LonghornNode
    reacts_to: ClassVar[Mapping[type[Object], Mapper]] = {LonghornNode: same_object, Lease: node_that_lives_by_it}
    workers: ClassVar[int] = 1

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._heard: defaultdict[str, Observed] = defaultdict(Observed)  # by node

    async def reconcile(self, node: LonghornNode) -> float | None:
        """Look at the Lease; look again when it would have stood still for too long."""
        lease = self.runtime.caches.of(Lease).get(lease_name(node.metadata.name), node.metadata.namespace)
        if lease is None or not is_true(node.status.conditions, READY):
            return None  # nobody to miss, or missed already: the next beat wakes us
        left = self._patience_left(node, lease)
        if left <= 0:
            # Our copy may be old: only the server's own says that the node was silent.
            try:
                lease = await self.runtime.client.get(Lease, lease.metadata.name, lease.metadata.namespace)
            except NotFound:
                return None
            left = self._patience_left(node, lease)
        if left > 0:
            return self.runtime.process.clock.now() + left
        await self._speak_for(node, lease)
        return None

    async def reconcile_gone(self, key: Key) -> None:
        """A node that went is not waited for."""
        self._heard.pop(key.name, None)

    def _patience_left(self, node: LonghornNode, lease: Lease) -> float:
        now = self.runtime.process.clock.monotonic()
        heard = self._heard[node.metadata.name]
        heard.see(lease, now)
        return heard.since + (lease.spec.lease_duration_seconds or LIFETIME) - now

    async def _speak_for(self, node: LonghornNode, lease: Lease) -> None:
        words = f"the agent of node {node.metadata.name} has not been heard for {lease.spec.lease_duration_seconds or LIFETIME} s"
        now = timestamp(self.runtime.process.clock.now())
        conditions = observed(node.status.conditions, told(READY, holds=False, reason=AGENT_LOST, message=words), now)
        lost: Any = replace(node, status=replace(node.status, conditions=conditions))
        await self.runtime.client.change(node, lost, guarded=True, subresource="status")
        self.runtime.events.emit(node, "Warning", AGENT_LOST, words)
