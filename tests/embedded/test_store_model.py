"""The store against a dict: whatever is written, in whatever order the journal gets round to it."""

import asyncio
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from holdfast.api.errors import Conflict, ServiceUnavailable
from holdfast.embedded.entries import Entry, Key
from holdfast.embedded.history import Event
from holdfast.embedded.journal import Change, JournalFailed, Loaded
from holdfast.embedded.store import Store, Write

_NAMES = st.sampled_from(["a", "b", "c", "d"])
_NOTHING: dict[Key, Any] = {}


class _SlowJournal:
    """A journal whose commits are finished, or failed, by hand."""

    def __init__(self) -> None:
        self.waiting: asyncio.Future[None] | None = None
        self.durable: dict[str, bytes] = {}
        self._changes: list[Change] = []

    async def load(self) -> Loaded:
        return Loaded(0, ())

    def commit(self, changes: Any) -> asyncio.Future[None]:
        assert self.waiting is None, "one batch at a time"
        self._changes = list(changes)
        self.waiting = asyncio.get_running_loop().create_future()
        return self.waiting

    def finish(self) -> None:
        assert self.waiting is not None
        for change in self._changes:
            if change.data is None:
                self.durable.pop(change.key, None)
            else:
                self.durable[change.key] = change.data
        self.waiting.set_result(None)
        self.waiting = None

    def fail(self) -> None:
        assert self.waiting is not None
        self.waiting.set_exception(JournalFailed("the disk is full"))
        self.waiting = None

    async def close(self) -> None: ...


class StoreModel(RuleBasedStateMachine):
    """Writers build on the newest state; readers and watchers see what is durable."""

    watches = Bundle("watches")

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.journal = _SlowJournal()
        self.runner.run(self._open())
        self.durable: dict[Key, int] = {}
        self.newest: dict[Key, int] = {}
        self.unsettled: list[tuple[Write, Key, bool]] = []
        self.log: list[tuple[int, str, str]] = []
        self.value = 0

    async def _open(self) -> None:
        self.store = Store(self.journal, Loaded(0, ()), history_events=8)

    def _turn(self) -> None:
        self.runner.run(self._let_callbacks_run())

    @staticmethod
    async def _let_callbacks_run() -> None:
        for _ in range(4):
            await asyncio.sleep(0)

    @rule(name=_NAMES)
    def put(self, name: str) -> None:
        self.runner.run(self._write(Key("things", "", name), is_gone=False))

    @rule(name=_NAMES)
    def remove(self, name: str) -> None:
        if Key("things", "", name) in self.newest:
            self.runner.run(self._write(Key("things", "", name), is_gone=True))

    async def _write(self, key: Key, *, is_gone: bool) -> None:
        over = self.store.newest(key)
        assert (over is not None) is (key in self.newest)
        self.value += 1
        obj = {"metadata": {"uid": key.name}, "value": self.value}
        write = self.store.remove(key, obj, over=over) if is_gone and over else self.store.put(key, obj, over=over)
        self.unsettled.append((write, key, is_gone))
        if is_gone:
            del self.newest[key]
        else:
            self.newest[key] = self.value

    @rule(name=_NAMES)
    def write_over_what_has_changed(self, name: str) -> None:
        key = Key("things", "", name)
        try:
            self.store.put(key, {"metadata": {}}, over=Entry(0, b"{}"))
        except Conflict:
            return
        raise AssertionError("a write over an old version went through")

    @rule(is_fine=st.booleans())
    def journal_comes_back(self, is_fine: bool) -> None:
        self._turn()
        if self.journal.waiting is None:
            return
        batch = self.store._in_flight
        writes = {id(write) for write in batch}
        (self.journal.finish if is_fine else self.journal.fail)()
        self._turn()
        settled, self.unsettled = (
            [item for item in self.unsettled if not is_fine or id(item[0]) in writes],
            [item for item in self.unsettled if is_fine and id(item[0]) not in writes],
        )
        for write, key, is_gone in settled:
            outcome = self.runner.run(write.outcome())
            assert isinstance(outcome, ServiceUnavailable) is not is_fine
            if is_fine:
                self.log.append((write.event.revision, write.event.type, key.name))
                if is_gone:
                    del self.durable[key]
                else:
                    self.durable[key] = write.event.entry.object()["value"]
        if not is_fine:
            self.newest = dict(self.durable)

    @rule(target=watches)
    def watch(self) -> tuple[int, int, list[Event]]:
        history = self.store.collection("things").history
        return self.store.revision, history.end, []

    @rule(watch=watches)
    def read(self, watch: tuple[int, int, list[Event]]) -> None:
        since, place, seen = watch
        events = self.store.collection("things").history.read(place + len(seen), 3)
        history = self.store.collection("things").history
        told = [revision for revision, _, _ in self.log if revision > (seen[-1].revision if seen else since)]
        if events is None:
            assert told[0] <= history.floor, "only what is forgotten is refused"
        else:
            assert [event.revision for event in events] == told[: len(events)], "each change once, in order"
            assert len(events) == min(3, len(told))
            seen.extend(events)

    @invariant()
    def readers_see_what_is_durable(self) -> None:
        entries = self.store.collection("things").entries
        assert {key: entry.object()["value"] for key, entry in entries.items()} == self.durable
        assert {Key.parse(key) for key in self.journal.durable} == set(self.durable)
        assert self.store.revision == (self.log[-1][0] if self.log else 0)

    @invariant()
    def the_past_can_be_read_back(self) -> None:
        collection = self.store.collection("things")
        revision = self.log[-3][0] if len(self.log) >= 3 else 0
        rows = collection.select_at(revision, "things", "")
        if revision < collection.history.floor:
            assert rows is None
        else:
            assert rows is not None
            assert {key.name for key, _ in rows} == self._names_at(revision)

    def _names_at(self, revision: int) -> set[str]:
        names: set[str] = set()
        for at, type_, name in self.log:
            if at <= revision:
                (names.discard if type_ == "DELETED" else names.add)(name)
        return names

    def teardown(self) -> None:
        self.runner.close()


StoreModel.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestStore = StoreModel.TestCase
