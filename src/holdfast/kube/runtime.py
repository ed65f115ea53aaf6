"""What controllers run on: a client, caches, events, metrics, and who owns what.

The order of a start: everybody says what wakes him, the caches fill, and only when all are full the first round runs. So no
round decides on half of the world.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.kube.controller import Controller
from holdfast.kube.events import Events
from holdfast.kube.metrics import Metrics
from holdfast.kube.ownership import Ownership, SoleOwner
from holdfast.kube.workers import Workers
from holdfast.process import Process, Tasks


class Runtime:
    """The surroundings of the controllers of one process."""

    def __init__(
        self,
        client: Client,
        process: Process,
        *,
        namespace: str = "longhorn-system",
        metrics: Metrics | None = None,
        ownership: Callable[[Caches], Ownership] | None = None,
        after_sync: Callable[[], None] = lambda: None,
    ) -> None:
        """``ownership`` is made over the caches of this runtime; without one, everything is this process's own.

        ``after_sync`` is called once, when the caches are full: the place for ``collector.settle``.
        """
        self.client = client
        self.process = process
        self.namespace = namespace
        self.metrics = metrics or Metrics()
        self.caches = Caches(client, process, namespace=namespace, metrics=self.metrics)
        self.events = Events(client, process, self.metrics)
        self.ownership: Ownership = SoleOwner() if ownership is None else ownership(self.caches)
        self._after_sync = after_sync
        client.observer = client.observer or self.metrics.requested

    async def run(self, controllers: Sequence[Controller[Any]]) -> None:
        """Work until cancelled; a failure of the machinery itself is raised."""
        hands = [Workers(controller) for controller in controllers]
        try:
            for hand in hands:
                hand.listen()
            async with Tasks() as tasks:
                tasks.spawn(self.caches.run(), name="caches")
                tasks.spawn(self.events.run(), name="events")
                tasks.spawn(self.ownership.run(), name="ownership")
                await self.caches.wait_synced()
                self._after_sync()
                for hand in hands:
                    hand.start(tasks)
                await asyncio.get_running_loop().create_future()
        finally:
            for hand in hands:
                hand.stop_listening()
