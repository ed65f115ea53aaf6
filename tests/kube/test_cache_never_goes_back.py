"""The rules of the cache together, against any order in which answers, events and listings can arrive."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.informers import NAMESPACE, stored
from tests.support.virtual_loop import run_virtual

from holdfast.api.longhorn import Setting
from holdfast.kube.cache import Cache, Change
from holdfast.kube.keys import Key

NAMES = ("a", "b")


class World:
    """A server with a history, a watch that lags, answers to own writes that lag, listings that are old when they arrive."""

    def __init__(self) -> None:
        self.cache: Cache[Setting] = Cache(Setting, NAMESPACE, on_failure=self.fail)
        self.revision = 0
        self.objects: dict[str, Setting] = {}
        self.history: list[tuple[int, bool, Setting]] = []
        self.watched = 0  # the revision up to which the watch has told
        self.answers: list[tuple[bool, Setting]] = []
        self.listing: tuple[int, list[Setting]] | None = None
        self.heard: dict[str, Setting] = {}
        self.dead: set[str] = set()
        self.cache.on_change(self.hear)

    def fail(self) -> None:
        """A cache keeps the failures of its handlers to itself; here they are what is looked for."""
        raise  # noqa: PLE0704 - the cache calls this while it handles the failure

    def hear(self, change: Change[Setting]) -> None:
        name = change.object.metadata.name
        assert self.heard.get(name) == change.old, "handlers hear a story without gaps"
        if change.new is None:
            self.dead.add(change.object.metadata.uid)
            del self.heard[name]
            return
        self.heard[name] = change.new
        assert change.new.metadata.uid not in self.dead, "what is gone does not come back"
        if change.old is not None:
            assert int(change.old.metadata.resource_version) < int(change.new.metadata.resource_version), "time goes forward"

    # What happens on the server; "own" means that an answer will come to us.

    def write(self, name: str, own: bool) -> None:
        held = self.objects.get(name)
        self.revision += 1
        uid = held.metadata.uid if held is not None else f"uid-{self.revision}"
        obj = self.objects[name] = stored(name, revision=self.revision, uid=uid)
        self.history.append((self.revision, False, obj))
        if own:
            self.answers.append((False, obj))

    def delete(self, name: str, own: bool) -> None:
        held = self.objects.pop(name, None)
        if held is not None:
            self.revision += 1
            gone = stored(name, revision=self.revision, uid=held.metadata.uid)
            self.history.append((self.revision, True, gone))
            if own:
                self.answers.append((True, gone))

    # What reaches the cache.

    def answer(self, which: int) -> None:
        if self.answers:
            deletion, obj = self.answers.pop(which % len(self.answers))
            if deletion:
                self.cache.deleted(Key(NAMESPACE, obj.metadata.name), obj.metadata.uid)
                assert self.heard.get(obj.metadata.name, obj).metadata.uid != obj.metadata.uid or obj.metadata.name not in self.heard
            else:
                self.cache.wrote(obj)

    def watch(self) -> None:
        event = next((event for event in self.history if event[0] > self.watched), None)
        if event is not None and self.listing is None:
            self.tell(*event)

    def tell(self, revision: int, deletion: bool, obj: Setting) -> None:
        self.watched = revision
        (self.cache.saw_gone if deletion else self.cache.saw)(obj)

    def replay(self, back: int) -> None:
        """The stream starts again earlier than it was."""
        if self.listing is None:
            self.watched = max(0, self.watched - back)

    def bookmark(self) -> None:
        if self.listing is None and self.watched >= self.revision:
            self.cache.passed(self.revision)

    async def list(self) -> None:
        """Take a listing, or have the one that was taken earlier arrive."""
        if self.listing is None:
            self.cache.listing_begins()
            self.listing = (self.revision, list(self.objects.values()))
        else:
            revision, items = self.listing
            self.listing = None
            await self.cache.replace(items, revision)
            self.watched = revision


_STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.booleans()),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.booleans()),
    st.tuples(st.just("answer"), st.integers(0, 5)),
    st.tuples(st.just("watch")),
    st.tuples(st.just("watch")),
    st.tuples(st.just("replay"), st.integers(1, 6)),
    st.tuples(st.just("bookmark")),
    st.tuples(st.just("list")),
)


async def _play(steps: list[tuple[str, *tuple[object, ...]]]) -> None:
    world = World()
    for name, *operands in steps:
        done = getattr(world, name)(*operands)
        if done is not None:
            await done
    if world.listing is not None:
        await world.list()
    while world.watched < world.revision:
        world.watch()
    while world.answers:
        world.answer(0)
    assert {obj.metadata.name: obj for obj in world.cache.all()} == world.objects
    assert world.heard == world.objects


@settings(max_examples=200, deadline=None)
@given(st.lists(_STEPS, min_size=20, max_size=60))
def test_any_order_of_news_ends_in_the_truth_and_never_goes_back(steps):
    """Own writes race with the watch in every order; a controller must never see the past again."""
    run_virtual(_play(steps))
