"""The agent of one node: the only one who knows what is on its disks, and the writer of the status of what runs there.

A round reads the Node as it is wanted, looks at every disk of its spec, and tells what matters in one status patch under the
resourceVersion that was read. Rounds come at an interval and when the Node changes. What must outlive the agent (the UUID of a disk
that is away, the times of conditions) it reads back from the Node. Between rounds it keeps one thing: whether the server keeps how
much is written (see ``report``). It finds out by every answer to a write, and tries anew when its watch begins anew, since a
definition that changes ends the watches of its kind.

A disk is sampled in the order written, available, written: see ``report.live_head``. The reading of one disk has a deadline, so
a disk that hangs is told as unready and does not silence the others.

A node that is lost cannot speak. Its Lease stands still (``heart``), and the LostNodes controller speaks for it.
"""

import asyncio
import logging
from contextlib import aclosing

from holdfast.agent.driver import DiskFault, Driver
from holdfast.agent.heart import Heart
from holdfast.agent.report import READY, WRITTEN_KEPT, Sample, is_written_kept, live_head, report
from holdfast.api.conditions import is_true
from holdfast.api.errors import AlreadyExists, ApiError, Conflict, Forbidden, NotFound
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.node import DiskSpec, NodeSpec
from holdfast.api.meta import ObjectMeta
from holdfast.api.timestamps import timestamp
from holdfast.api.wire import Unreachable
from holdfast.kube.backoff import Backoff
from holdfast.kube.client import Client
from holdfast.kube.refusals import advised
from holdfast.process import Process, Tasks

_log = logging.getLogger(__name__)

#: Between rounds in which nothing called, in seconds.
INTERVAL = 5.0
#: How long one disk may take to answer, in seconds.
DEADLINE = 10.0
#: After a conflict or a failure, in seconds.
_AGAIN = 0.5


class Agent:
    """Speaks for one node."""

    def __init__(self, client: Client, process: Process, driver: Driver, *, node: str, namespace: str, interval: float = INTERVAL) -> None:
        self._client = client
        self._process = process
        self._driver = driver
        self._node = node
        self._namespace = namespace
        self._interval = interval
        self._heart = Heart(client, process, namespace=namespace, node=node)
        self._metadata = ObjectMeta(name=node, namespace=namespace)
        self._called = asyncio.Event()
        self._keeps_written: bool | None = None
        self._has_complained = False

    async def run(self) -> None:
        """Live until cancelled."""
        async with Tasks() as tasks:
            tasks.spawn(self._heart.run(), name=f"heart of {self._node}")
            tasks.spawn(self._listen(), name=f"ears of {self._node}")
            while True:
                self._called.clear()
                pause = await self._try_round()
                try:
                    async with asyncio.timeout(self._process.randomness.jitter(pause, 0.1)):
                        await self._called.wait()
                except TimeoutError:
                    continue

    async def _try_round(self) -> float:
        """How long to rest after a round."""
        try:
            await self.round()
        except Conflict:
            return _AGAIN
        except (ApiError, Unreachable) as failure:
            _log.warning("node %s: this round told nothing: %s", self._node, advised(failure))
        except Exception as mistake:  # noqa: BLE001 - one of ours or of a driver costs this round, not the node
            _log.warning("node %s: this round failed: %r", self._node, mistake)
            _log.debug("node %s: this round failed", self._node, exc_info=mistake)
        return self._interval

    async def round(self) -> None:
        """Look at everything once and tell what matters."""
        node = await self._own_node()
        info = await self._driver.node_info(node or LonghornNode(metadata=self._metadata))
        self._heart.is_beating = info.is_up
        if not info.is_up:
            return
        node = node or await self._register()
        if not is_true(node.status.conditions, READY):
            await self._heart.beat()  # the Lease says that the node is back before the node does
        found = {name: await self._look_at(name, disk) for name, disk in sorted(node.spec.disks.items())}
        now = timestamp(self._process.clock.now())
        status = report(node, info, self._driver.remark_types, found, now, keeps_written=self._keeps_written)
        told = LonghornNode(metadata=node.metadata, spec=node.spec, status=status)
        kept = await self._client.change(node, told, guarded=True, subresource="status")
        self._note(is_written_kept(status, kept.status))

    def _note(self, keeps_written: bool | None) -> None:
        """Remember what became of the field; the next round says it on the Node."""
        if keeps_written is None or keeps_written is self._keeps_written:
            return
        self._keeps_written = keeps_written
        if keeps_written:
            return
        self._called.set()
        if not self._has_complained:
            self._has_complained = True
            _log.warning("node %s: the API server drops what is written on its disks; see its condition %s", self._node, WRITTEN_KEPT)

    async def _own_node(self) -> LonghornNode | None:
        try:
            return await self._client.get(LonghornNode, self._node, self._namespace)
        except NotFound:
            return None

    async def _register(self) -> LonghornNode:
        """Make the Node, with the disks that the machine has."""
        spec = NodeSpec(name=self._node, allow_scheduling=True, disks=dict(await self._driver.disk_list()))
        try:
            return await self._client.create(LonghornNode(metadata=self._metadata, spec=spec))
        except AlreadyExists:
            return await self._client.get(LonghornNode, self._node, self._namespace)

    async def _look_at(self, name: str, disk: DiskSpec) -> Sample | DiskFault:
        try:
            async with asyncio.timeout(DEADLINE):
                first = await self._driver.disk_written(name, disk)
                info = await self._driver.disk_info(name, disk)
                second = await self._driver.disk_written(name, disk)
        except DiskFault as fault:
            return fault
        except TimeoutError:
            return DiskFault("DiskServiceUnreachable", f"disk {name} did not answer for {DEADLINE:.0f} s")
        return Sample(info=info, written=live_head(first, second), books=await self._books_of(info.uuid))

    async def _books_of(self, uuid: str) -> DiskSchedule | None:
        """Read at the server: whether this disk is the claimant must not rest on an old copy."""
        try:
            return await self._client.get(DiskSchedule, uuid, self._namespace)
        except NotFound:
            return None

    async def _listen(self) -> None:
        """Call for a round whenever the Node changes. What is missed here, the interval catches."""
        own = f"metadata.name={self._node}"
        backoff = Backoff(self._process, first=_AGAIN, longest=INTERVAL)
        is_first = True
        while True:
            try:
                listing = await self._client.list(LonghornNode, self._namespace, fields=own)
                if not is_first:
                    self._keeps_written = None
                is_first = False
                self._called.set()
                async with aclosing(
                    self._client.watch(LonghornNode, self._namespace, since=listing.resource_version, fields=own)
                ) as events:
                    async for event in events:
                        backoff.reset()
                        if event.type != "BOOKMARK":
                            self._called.set()
            except Forbidden as refusal:
                _log.warning("node %s: it does not hear what is wanted of its disks: %s", self._node, advised(refusal))
            except (ApiError, Unreachable) as failure:
                _log.debug("node %s: its watch ended: %s", self._node, failure)
            await asyncio.sleep(backoff.delay())
