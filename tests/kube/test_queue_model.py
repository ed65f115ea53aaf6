"""The queue against a model of a few lines, over any sequence of calls."""

import asyncio

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.support.virtual_loop import VirtualLoop

from holdfast.kube.queue import WorkQueue

KEYS = st.sampled_from("abc")


class QueueModel(RuleBasedStateMachine):
    """What must be handed out, in which order, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner(loop_factory=VirtualLoop)
        self.loop = self.runner.get_loop()
        self.queue: WorkQueue[str] = WorkQueue()
        self.waits: list[str] = []
        self.again: set[str] = set()
        self.hands: list[str] = []
        self.later: dict[str, float] = {}
        self.failures: dict[str, int] = {}

    def run(self, work):
        async def call():
            return work()

        return self.runner.run(call())

    def wants(self, key: str) -> None:
        if key in self.hands:
            self.again.add(key)
        elif key not in self.waits:
            self.waits.append(key)

    @rule(key=KEYS)
    def add(self, key):
        self.run(lambda: self.queue.add(key))
        self.wants(key)

    @rule(key=KEYS, seconds=st.integers(1, 8))
    def add_after(self, key, seconds):
        self.run(lambda: self.queue.add_after(key, seconds))
        when = self.loop.time() + seconds
        self.later[key] = min(self.later.get(key, when), when)

    @rule(key=KEYS)
    def fail(self, key):
        self.run(lambda: self.queue.add_rate_limited(key))
        when = self.loop.time() + min(0.005 * 2 ** self.failures.get(key, 0), 60)
        self.failures[key] = self.failures.get(key, 0) + 1
        self.later[key] = min(self.later.get(key, when), when)

    @rule(key=KEYS)
    def forget(self, key):
        self.run(lambda: self.queue.forget(key))
        self.failures.pop(key, None)

    @precondition(lambda self: self.waits)
    @rule()
    def get(self):
        key = self.runner.run(self.queue.get())
        assert key == self.waits.pop(0)
        assert key not in self.hands
        self.hands.append(key)

    @precondition(lambda self: self.hands)
    @rule(which=st.integers(0, 2))
    def done(self, which):
        key = self.hands.pop(which % len(self.hands))
        self.run(lambda: self.queue.done(key))
        if key in self.again:
            self.again.discard(key)
            self.waits.append(key)

    @rule(seconds=st.integers(1, 5))
    def wait(self, seconds):
        # Half seconds apart from every timer that is set in whole ones.
        until = self.loop.time() + seconds + 0.25
        self.runner.run(asyncio.sleep(until - self.loop.time()))
        due = {key: self.later.pop(key) for key, when in tuple(self.later.items()) if when <= until}
        new = list(self.queue._ready)[len(self.waits) :]
        times = [due[key] for key in new]
        assert times == sorted(times), "what is due first comes first"
        for key in [*new, *(key for key in due if key not in new)]:
            self.wants(key)

    @invariant()
    def agrees(self):
        assert list(self.queue._ready) == self.waits
        assert self.queue._working == set(self.hands)
        assert set(self.queue._later) == set(self.later)
        assert self.queue.is_idle == (not self.waits and not self.hands)

    def teardown(self):
        self.runner.close()


QueueModel.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestQueueModel = QueueModel.TestCase
