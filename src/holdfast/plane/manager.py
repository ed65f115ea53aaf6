"""A manager: the controllers of one process, wired to one API.

Any number of managers may run against one cluster. They share the work by their Leases and are safe without them.
"""

import asyncio
from collections.abc import Callable

from holdfast.api.errors import ApiError
from holdfast.api.wire import Unreachable
from holdfast.controllers.roster import all_controllers
from holdfast.kube.client import Client
from holdfast.kube.ownership import SharedOwnership
from holdfast.kube.runtime import Runtime
from holdfast.plane import preflight
from holdfast.process import Process, Tasks

#: Between looks for longhorn-manager, in seconds: it may be installed while we run.
_WATCHFUL = 60.0
#: For how long an end may wait for the goodbye to be heard.
_GOODBYE = 0.5


class Manager:
    """Everything that decides. Its process's name tells it from other managers, and is best the same after a restart."""

    def __init__(self, client: Client, process: Process, *, namespace: str, after_sync: Callable[[], None] = lambda: None) -> None:
        self.runtime = Runtime(
            client,
            process,
            namespace=namespace,
            ownership=lambda caches: SharedOwnership(client, process, caches, namespace=namespace),
            after_sync=after_sync,
        )
        self.controllers = all_controllers(self.runtime)

    @property
    def is_ready(self) -> bool:
        """Whether it has seen all there is and works."""
        return self.runtime.caches.synced

    async def run(self) -> None:
        """Work until cancelled. Raises ``Failure`` when longhorn-manager appears."""
        async with Tasks() as tasks:
            tasks.spawn(self._stay_alone(), name="watch for longhorn-manager")
            await self.runtime.run(self.controllers)

    async def leave(self) -> None:
        """Tell the others to take over at once: for an orderly end, after ``run``."""
        ownership = self.runtime.ownership
        if isinstance(ownership, SharedOwnership):
            try:
                async with asyncio.timeout(_GOODBYE):
                    await ownership.leave()
            except TimeoutError:
                return  # its Lease will run out

    async def _stay_alone(self) -> None:
        while True:
            await asyncio.sleep(self.runtime.process.randomness.jitter(_WATCHFUL))
            try:
                await preflight.refuse_beside_longhorn(self.runtime.client, self.runtime.namespace)
            except (ApiError, Unreachable):
                continue  # nothing was seen, and nothing is known; the next look will tell
