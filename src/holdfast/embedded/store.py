"""The revisioned store: every write is decided on the newest state and shown only when it is durable.

A write is decided and queued in one step on the loop: it takes its place against the *newest* state, which includes what is
queued, gets the next revision, and waits. Everything queued goes to the journal as one batch while the next one gathers. When a
batch is durable its changes become visible to readers and watchers, in revision order, and its writers are told. When a batch
fails, everything queued behind it was decided on a state that never came to be: all of it is taken back.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from holdfast.api.errors import Conflict, RequestEntityTooLarge, ServiceUnavailable
from holdfast.embedded.collection import Collection
from holdfast.embedded.entries import Entry, Key, encode
from holdfast.embedded.history import Event, EventType, History
from holdfast.embedded.journal import Change, Journal, JournalFailed, Loaded

#: The largest object, encoded; etcd's default.
MAX_OBJECT = 1_572_864
#: Turns of the loop between two batches: answers leave, requests that have come meanwhile are read, and decided. They ride along then,
#: and fewer, larger batches are cheaper for everybody.
_TURNS = 4
HISTORY_EVENTS = 16_384
HISTORY_BYTES = 32 * 1024 * 1024


class Write:
    """A change on its way to the journal."""

    __slots__ = ("_is_settled", "_outcome", "_waiters", "event")

    def __init__(self, event: Event) -> None:
        self.event = event
        self._is_settled = False
        self._outcome: ServiceUnavailable | None = None
        # Results, not exceptions: a writer who has gone away must not leave an exception that nobody retrieves.
        self._waiters: list[asyncio.Future[ServiceUnavailable | None]] = []

    async def outcome(self) -> ServiceUnavailable | None:
        """None once the change is durable, or why it was taken back."""
        if self._is_settled:
            return self._outcome
        waiter: asyncio.Future[ServiceUnavailable | None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        return await waiter

    def settle(self, outcome: ServiceUnavailable | None) -> None:
        self._is_settled, self._outcome = True, outcome
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(outcome)


class Store:
    """All collections, the revision counter and the way to the journal."""

    def __init__(
        self, journal: Journal, loaded: Loaded, *, history_events: int = HISTORY_EVENTS, history_bytes: int = HISTORY_BYTES
    ) -> None:
        #: The newest committed revision.
        self.revision = loaded.revision
        #: Called with the changes of each committed batch, before their writers go on.
        self.followers: list[Callable[[Sequence[Event]], None]] = []
        self._journal = journal
        self._start = loaded.revision
        self._bounds = (history_events, history_bytes)
        self._assigned = loaded.revision
        self._collections: dict[str, Collection] = {}
        self._pending: dict[Key, Write] = {}
        self._queue: list[Write] = []
        self._in_flight: list[Write] = []
        self._is_scheduled = False
        self._refusal = ""
        for kept in loaded.objects:
            key = Key.parse(kept.key)
            self.collection(key.resource).entries[key] = Entry(kept.revision, kept.data)

    def collection(self, resource: str) -> Collection:
        found = self._collections.get(resource)
        if found is None:
            events, size = self._bounds
            # What changed before this start is not known: whoever saw the last revision missed nothing.
            found = self._collections[resource] = Collection(History(self._start, max_events=events, max_bytes=size))
        return found

    def collections(self) -> Sequence[Collection]:
        return tuple(self._collections.values())

    def by_resource(self) -> Sequence[tuple[str, Collection]]:
        return tuple(self._collections.items())

    def committed(self, key: Key) -> Entry | None:
        """What a reader sees."""
        return self.collection(key.resource).entries.get(key)

    def newest(self, key: Key) -> Entry | None:
        """What a writer builds on: ``committed`` and what is on its way."""
        write = self._pending.get(key)
        if write is None:
            return self.committed(key)
        return None if write.event.type == "DELETED" else write.event.entry

    def present(self, resource: str, namespace: str = "") -> Sequence[Key]:
        """Keys of the newest state, of a namespace or of all."""
        known = [key for key, _ in self.collection(resource).select(resource, namespace)]
        coming = [key for key in self._pending if key.resource == resource and namespace in {"", key.namespace}]
        return [key for key in dict.fromkeys([*known, *coming]) if self.newest(key) is not None]

    def coming(self) -> Sequence[tuple[Key, Entry]]:
        """What is on its way to the journal: the newest version of each object that has one there."""
        return [(key, write.event.entry) for key, write in self._pending.items() if write.event.type != "DELETED"]

    def put(self, key: Key, obj: dict[str, Any], *, over: Entry | None) -> Write:
        """Queue ``obj`` in the place of ``over``. Gives the object its revision."""
        return self._queue_up("MODIFIED" if over else "ADDED", key, obj, over)

    def remove(self, key: Key, obj: dict[str, Any], *, over: Entry) -> Write:
        """Queue the end of ``over``; ``obj`` is how watchers see it last."""
        return self._queue_up("DELETED", key, obj, over)

    def _queue_up(self, type_: EventType, key: Key, obj: dict[str, Any], over: Entry | None) -> Write:
        if self._refusal:
            raise ServiceUnavailable(self._refusal)
        if self.newest(key) is not over:
            message = f"{key.name!r} has changed since it was read"
            raise Conflict(message)
        revision = self._assigned + 1
        obj["metadata"]["resourceVersion"] = str(revision)
        data = encode(obj)
        if len(data) > MAX_OBJECT:
            message = f"the object is too large: {len(data)} bytes, at most {MAX_OBJECT} are kept"
            raise RequestEntityTooLarge(message)
        self._assigned = revision
        write = Write(Event(type_, key, Entry(revision, data), over))
        self._pending[key] = write
        self._queue.append(write)
        if not self._is_scheduled and not self._in_flight:
            # Not at once: what else this turn of the loop writes rides in the same batch.
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._flush)
        return write

    async def durable(self, write: Write) -> Entry:
        """The entry, once it is durable and visible."""
        outcome = await write.outcome()
        if outcome is not None:
            raise outcome
        return write.event.entry

    async def settled(self) -> None:
        """Wait for all that was queued before: an answer decided on the newest state may rest on it."""
        last = self._queue[-1] if self._queue else self._in_flight[-1] if self._in_flight else None
        if last is not None and (outcome := await last.outcome()) is not None:
            raise outcome

    def _flush(self) -> None:
        self._is_scheduled = False
        if not self._queue:
            return
        batch, self._queue = self._queue, []
        self._in_flight = batch
        changes = [
            Change(str(write.event.key), write.event.revision, None if write.event.type == "DELETED" else write.event.entry.data)
            for write in batch
        ]
        self._journal.commit(changes).add_done_callback(self._returned)

    def _flush_after(self, turns: int) -> None:
        if turns:
            asyncio.get_running_loop().call_soon(self._flush_after, turns - 1)
        else:
            self._flush()

    def _returned(self, done: asyncio.Future[None]) -> None:
        batch, self._in_flight = self._in_flight, []
        failure = done.exception()
        if failure is not None:
            self._take_back(batch, failure)
            return
        try:
            self._show(batch)
        finally:
            # A follower that fails is a mistake of ours; it must not keep what others wait for.
            self._is_scheduled = True
            self._flush_after(_TURNS)

    def _show(self, batch: list[Write]) -> None:
        touched: dict[str, Collection] = {}
        for write in batch:
            event = write.event
            collection = touched[event.key.resource] = self.collection(event.key.resource)
            collection.apply(event)
            if self._pending.get(event.key) is write:
                del self._pending[event.key]
        self.revision = batch[-1].event.revision
        for write in batch:
            write.settle(None)
        for collection in touched.values():
            collection.wake()
        # Writers and watchers go on in later turns of the loop: followers still hear of it before them.
        events = [write.event for write in batch]
        for follower in self.followers:
            follower(events)

    def _take_back(self, batch: list[Write], failure: BaseException) -> None:
        lost, self._queue = [*batch, *self._queue], []
        self._pending.clear()
        words = str(failure) if isinstance(failure, JournalFailed) else repr(failure)
        for write in lost:
            write.settle(ServiceUnavailable(f"the change could not be stored and was not made: {words}"))

    def refuse_writes(self, words: str) -> None:
        """Take no more writes; those on their way go on."""
        self._refusal = words

    async def drained(self) -> None:
        """Wait until nothing is on its way, whatever became of it."""
        while self._queue or self._in_flight:
            await (self._queue[-1] if self._queue else self._in_flight[-1]).outcome()
