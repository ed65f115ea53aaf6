"""What the server does by itself, beside answering: one task for each chore."""

import asyncio
from collections.abc import Sequence

from holdfast.embedded.endings import Endings
from holdfast.embedded.expiry import Expiry
from holdfast.embedded.garbage import Garbage
from holdfast.embedded.history import Event
from holdfast.embedded.resources import Registry
from holdfast.embedded.store import Store
from holdfast.embedded.writing import Writing
from holdfast.process import Tasks


class Background:
    """The server's own workers. They hear of changes from the start and act on them while they run."""

    def __init__(self, store: Store, registry: Registry, writing: Writing) -> None:
        self._garbage = Garbage(store, registry, writing)
        self._endings = Endings(store, registry, writing)
        self._expiry = Expiry(store, registry, writing)
        store.followers.append(self._follow)

    async def run(self) -> None:
        async with Tasks() as tasks:
            tasks.spawn(self._garbage.run(), name="garbage collection")
            tasks.spawn(self._endings.run(), name="namespaces and kinds that end")
            tasks.spawn(self._expiry.run(), name="expiry of events")
            await asyncio.get_running_loop().create_future()

    def _follow(self, events: Sequence[Event]) -> None:
        self._garbage.follow(events)
        self._endings.follow(events)
