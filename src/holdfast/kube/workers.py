"""The hands of a controller: take a key, run a round, put the key back when it has to be looked at again.

How a round ends decides what happens to its key:

- well: its failures are forgotten, and it comes back at the second that the round named;
- a conflict, or a JSON patch whose test failed: somebody was faster; it comes back soon, and nobody is bothered;
- a refusal, no answer, or a mistake in our code: one line in the log, and it comes back, later each time;
- cancelled: the worker ends.

No key's failure touches another key.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, NoReturn

from holdfast.api.errors import ApiError, Conflict, Invalid
from holdfast.api.wire import Unreachable
from holdfast.kube.cache import Change
from holdfast.kube.controller import Controller, Mapper, keys_of, same_object
from holdfast.kube.keys import Key
from holdfast.kube.queue import WorkQueue
from holdfast.kube.refusals import advised
from holdfast.kube.stray_cancel import unless_asked
from holdfast.process import Tasks

log = logging.getLogger(__name__)

#: A look is never put off for longer, in seconds: the wall clock may be set while the timer runs, and an early look is harmless.
_LONGEST_WAIT = 300.0


class Workers:
    """Runs one controller."""

    def __init__(self, controller: Controller[Any]) -> None:
        self._controller = controller
        self._runtime = controller.runtime
        self._cache = self._runtime.caches.of(controller.kind)
        self.queue: WorkQueue[Key] = WorkQueue()
        self._endings: list[Callable[[], None]] = []

    def listen(self) -> None:
        """Have every change put the keys that it concerns into the queue."""
        controller, caches = self._controller, self._runtime.caches
        for type_, mapper in {controller.kind: same_object, **controller.reacts_to}.items():
            self._endings.append(caches.on_change(type_, self._into_queue(mapper)))
        self._endings.append(self._runtime.ownership.on_change(self.look_at_everything))
        self._runtime.metrics.watch_queue(controller.name, self.queue)

    def _into_queue(self, mapper: Mapper) -> Callable[[Change[Any]], None]:
        def handle(change: Change[Any]) -> None:
            for key in keys_of(mapper, self._runtime.caches, change):
                self.queue.add(key)

        return handle

    def look_at_everything(self) -> None:
        """Put every key in: what others worked on may be ours now."""
        for key in self._cache.all_keys():
            self.queue.add(key)

    def start(self, tasks: Tasks) -> None:
        for number in range(self._controller.workers):
            tasks.spawn(self._work(), name=f"{self._controller.name} {number}")

    def stop_listening(self) -> None:
        self.queue.shut_down()
        for end in self._endings:
            end()
        self._endings.clear()

    async def _work(self) -> NoReturn:
        while True:
            key = await self.queue.get()
            try:
                await self._round(key)
            finally:
                self.queue.done(key)

    async def _round(self, key: Key) -> None:
        if not self._runtime.ownership.owns(key):
            self.queue.forget(key)
            return
        clock = self._runtime.process.clock
        started = clock.monotonic()
        try:
            look_again = await self._reconcile(key)
        except Exception as failure:  # noqa: BLE001 - whatever a round raises, the other keys go on
            result = self._failed(key, failure)
            self.queue.add_rate_limited(key)
        else:
            result = "success" if look_again is None else "look_again"
            self._went_well(key, None if look_again is None else look_again - clock.now())
        self._runtime.metrics.reconciled(self._controller.name, result, clock.monotonic() - started)

    async def _reconcile(self, key: Key) -> float | None:
        obj = self._cache.get(key.name, key.namespace)
        try:
            if obj is not None:
                return await self._controller.reconcile(obj)
            await self._controller.reconcile_gone(key)
        except asyncio.CancelledError as cancelled:
            raise unless_asked(cancelled) from None
        return None

    def _went_well(self, key: Key, wait: float | None) -> None:
        if wait is not None and wait <= 0:
            # A time that is past already would spin: its waits grow like those of a failure.
            self.queue.add_rate_limited(key)
            return
        self.queue.forget(key)
        if wait is not None:
            self.queue.add_after(key, min(wait, _LONGEST_WAIT))

    def _failed(self, key: Key, failure: Exception) -> str:
        if isinstance(failure, Conflict) or (isinstance(failure, Invalid) and not failure.details.causes):
            log.debug("%s %s: somebody was faster: %s", self._controller.name, key, failure)
            return "conflict"
        if isinstance(failure, (ApiError, Unreachable)):
            log.warning("%s %s: %s", self._controller.name, key, advised(failure))
            return "error"
        log.error("%s %s: %r", self._controller.name, key, failure)
        log.debug("%s %s failed", self._controller.name, key, exc_info=failure)
        return "mistake"
