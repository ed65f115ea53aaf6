"""The sign of life of a node's agent: a Lease of its own that it renews.

An agent that died says nothing, least of all that it died. So it promises to be heard in time, and the LostNodes controller
speaks for a node whose promise was broken. Whoever watches measures with his own monotonic clock how long the Lease stood
still: the times written in it are for people.
"""

import asyncio
import logging

from holdfast.api.core import Lease, LeaseSpec
from holdfast.api.errors import AlreadyExists, ApiError, NotFound
from holdfast.api.kinds import LONGHORN_NODE
from holdfast.api.longhorn import LonghornNode
from holdfast.api.meta import ObjectMeta, OwnerReference
from holdfast.api.node_leases import LIFETIME, lease_name
from holdfast.api.wire import Unreachable
from holdfast.kube.client import Client
from holdfast.kube.leases import renewal_time
from holdfast.kube.refusals import advised
from holdfast.process import Process

_log = logging.getLogger(__name__)

#: Between renewals, in seconds.
INTERVAL = 10.0


class Heart:
    """Renews the Lease of one node while it is told to beat."""

    def __init__(self, client: Client, process: Process, *, namespace: str, node: str) -> None:
        self._client = client
        self._process = process
        self._namespace = namespace
        self._node = node
        self._renewed = ""
        self.is_beating = False

    async def run(self) -> None:
        """Beat until cancelled. A beat that fails is tried again at the next."""
        while True:
            if self.is_beating:
                try:
                    await self.beat()
                except (ApiError, Unreachable) as failure:
                    _log.warning("node %s: cannot renew lease %s: %s", self._node, lease_name(self._node), advised(failure))
            await asyncio.sleep(self._process.randomness.jitter(INTERVAL, 0.1))

    async def beat(self) -> None:
        """Renew the Lease, or make it."""
        self._renewed = renewal_time(self._process.clock.now(), self._renewed)
        spec = {"renewTime": self._renewed, "holderIdentity": self._process.name}
        try:
            await self._client.patch(Lease, lease_name(self._node), self._namespace, {"spec": spec})
        except NotFound:
            await self._begin()

    async def _begin(self) -> None:
        node = await self._client.get(LonghornNode, self._node, self._namespace)
        owner = OwnerReference(
            api_version=LONGHORN_NODE.api_version, kind=LONGHORN_NODE.name, name=self._node, uid=node.metadata.uid
        )  # so that the Lease ends with the node
        lease = Lease(
            metadata=ObjectMeta(name=lease_name(self._node), namespace=self._namespace, owner_references=(owner,)),
            spec=LeaseSpec(
                holder_identity=self._process.name, lease_duration_seconds=LIFETIME, acquire_time=self._renewed, renew_time=self._renewed
            ),
        )
        try:
            await self._client.create(lease)
        except AlreadyExists:
            return  # a second agent of this node was first, and it is as alive
