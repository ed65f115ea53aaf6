"""A journal in memory with the habits of a disk: it takes its time, it may refuse, and it may be interrupted.

What a commit wrote is there after a crash when it was reported; when the crash comes before the report, the dice say whether it had
got to the disk. That is all that a real one promises, too. Between a crash and the next ``load`` nothing is written: who died does
not go on.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from holdfast.embedded.journal import Change, JournalFailed, Kept, Loaded
from holdfast.simulation.dice import Dice


class VirtualJournal:
    """Outlives the servers that are opened on it, one after the other."""

    def __init__(self, dice: Dice, *, revision: int = 0, objects: Iterable[Kept] = ()) -> None:
        self.revision = revision
        self.objects = {kept.key: kept for kept in objects}
        #: How likely it is that a commit fails.
        self.failure_rate = 0.0
        #: The longest that a commit takes, in seconds.
        self.latency = 0.002
        #: The revision at which each server opened this journal.
        self.loads: list[int] = []
        #: Told of all that becomes durable, each change with what was there before it.
        self.followers: list[Callable[[Change, Kept | None], None]] = []
        #: Told of what a crash made durable though nobody was told.
        self.on_silent_commit: Callable[[Change, Kept | None], None] = lambda _change, _before: None
        self._dice = dice
        self._is_down = False
        self._under_way: tuple[Sequence[Change], asyncio.TimerHandle] | None = None

    async def load(self) -> Loaded:
        self._is_down = False
        self.loads.append(self.revision)
        return Loaded(self.revision, tuple(self.objects.values()))

    def commit(self, changes: Sequence[Change]) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        if self._is_down:
            return done  # asked by a server that is dead, which will not hear of it
        takes = self._dice.fraction() * self.latency
        if self._dice.chance(self.failure_rate):
            self._under_way = (), loop.call_later(takes, self._fail, done)
        else:
            self._under_way = changes, loop.call_later(takes, self._finish, changes, done)
        return done

    def _finish(self, changes: Sequence[Change], done: asyncio.Future[None]) -> None:
        self._under_way = None
        for change in changes:
            self._write(change)
        done.set_result(None)

    def _fail(self, done: asyncio.Future[None]) -> None:
        self._under_way = None
        done.set_exception(JournalFailed("the disk is full"))

    def _write(self, change: Change) -> Kept | None:
        before = self.objects.get(change.key)
        if change.data is None:
            self.objects.pop(change.key, None)
        else:
            self.objects[change.key] = Kept(change.key, change.revision, change.data)
        self.revision = change.revision
        for follower in self.followers:
            follower(change, before)
        return before

    def crash(self) -> None:
        """The machine stops: what is under way has got to the disk, or has not."""
        self._is_down = True
        if self._under_way is None:
            return
        changes, timer = self._under_way
        timer.cancel()
        self._under_way = None
        if self._dice.chance(0.5):
            for change in changes:
                self.on_silent_commit(change, self._write(change))

    async def close(self) -> None:
        """Nothing to let go of."""
