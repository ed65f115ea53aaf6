"""What a worker of the server has yet to look at: each thing once, in the order in which it came up."""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from holdfast.api.errors import ApiError
from holdfast.embedded.store import Store, Write

T = TypeVar("T", bound=Hashable)

#: Looked at in one turn of the loop: what waits for its turn is somebody's request.
_AT_ONCE = 64
_PAUSE_AFTER_FAILURE = 1.0


class Chores(Generic[T]):
    """A set of things to look at, and the loop that does so."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: dict[T, None] = {}
        self._news = asyncio.Event()

    def add(self, *things: T) -> None:
        for thing in things:
            self._waiting[thing] = None
        if things:
            self._news.set()

    async def work(self, look_at: Callable[[T], Sequence[Write]]) -> None:
        """Look at everything that is added, for ever. ``look_at`` decides on the newest state and queues what follows from it.

        Looking is repeatable: a thing whose changes could not be stored is looked at again, after a pause.
        """
        while True:
            await self._news.wait()
            self._news.clear()
            while self._waiting:
                things = list(self._waiting)[:_AT_ONCE]
                writes: list[Write] = []
                failed = False
                for thing in things:
                    del self._waiting[thing]
                for thing in things:
                    try:
                        writes.extend(look_at(thing))
                    except ApiError:
                        failed = True
                        self.add(thing)
                try:
                    for write in writes:
                        await self._store.durable(write)
                    # "Nothing to do" may rest on what is on its way, and is no answer if that is taken back.
                    await self._store.settled()
                    await asyncio.sleep(0)
                except ApiError:
                    failed = True
                    self.add(*things)
                if failed:
                    await asyncio.sleep(_PAUSE_AFTER_FAILURE)
