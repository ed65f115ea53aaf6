"""A journal that forgets nothing as long as it lives: for tests and for servers that need not outlive their process.

It can outlive a server: a second server opened on it finds what the first one committed.
"""

import asyncio
from collections.abc import Sequence

from holdfast.embedded.journal import Change, JournalFailed, Kept, Loaded


class MemoryJournal:
    """Committed objects in a dict."""

    def __init__(self) -> None:
        self.revision = 0
        self.objects: dict[str, Kept] = {}
        #: Words of the failure that the next commits meet, as a full disk would give; empty: none.
        self.failure = ""

    async def load(self) -> Loaded:
        return Loaded(self.revision, tuple(self.objects.values()))

    def commit(self, changes: Sequence[Change]) -> asyncio.Future[None]:
        done = asyncio.get_running_loop().create_future()
        if self.failure:
            done.set_exception(JournalFailed(self.failure))
            return done
        for change in changes:
            if change.data is None:
                self.objects.pop(change.key, None)
            else:
                self.objects[change.key] = Kept(change.key, change.revision, change.data)
            self.revision = change.revision
        done.set_result(None)
        return done

    async def close(self) -> None:
        """Nothing to let go of."""
