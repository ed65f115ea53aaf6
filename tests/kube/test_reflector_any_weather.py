"""A cache on a bad network: whatever happens to the connection, in the end it is true, and its story has no gaps."""

import asyncio
from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.informers import NAMESPACE, Informed, informed, setting
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import run_virtual, until

from holdfast.api.errors import ApiError, Expired, InternalError, TooManyRequests
from holdfast.api.longhorn import Setting
from holdfast.api.wire import Unreachable
from holdfast.kube.cache import Change

NAMES = st.sampled_from(["a", "b"])
_FAILURES = [Unreachable("reset"), InternalError("broken"), TooManyRequests("slow down"), Expired("too old")]


class Weather:
    """What others do, what we do, and what the network does."""

    def __init__(self, api: ScriptedApi, one: Informed) -> None:
        self.api = api
        self.one = one
        self.heard: dict[str, Setting] = {}
        self.dead: set[str] = set()
        self.problems: list[str] = []
        one.settings.on_change(self._hear)

    def _hear(self, change: Change[Setting]) -> None:
        name = change.object.metadata.name
        if self.heard.pop(name, None) != change.old:
            self.problems.append(f"a gap before {change}")
        if change.new is None:
            self.dead.add(change.object.metadata.uid)
        else:
            if change.new.metadata.uid in self.dead:
                self.problems.append(f"back from the dead: {change}")
            self.heard[name] = change.new
            if change.old is not None and int(change.old.metadata.resource_version) >= int(change.new.metadata.resource_version):
                self.problems.append(f"back in time: {change}")

    async def theirs(self, name: str) -> None:
        self.api.has(setting(name, f"theirs {self.api.revision}"))

    async def gone(self, name: str) -> None:
        if any(held.metadata.name == name for held in self.api.of(Setting)):
            self.api.loses(Setting, name, NAMESPACE)

    async def ours(self, name: str) -> None:
        """Make it or change it; what we wrote must be there to be read, or something newer."""
        try:
            if self.one.value(name) is None:
                written = await self.one.client.create(setting(name, "ours"))
            else:
                written = await self.one.client.patch(Setting, name, NAMESPACE, {"value": f"ours {self.api.revision}"})
        except (ApiError, Unreachable):
            return
        held = self.one.settings.get(name)
        if held is not None and int(held.metadata.resource_version) < int(written.metadata.resource_version):
            self.problems.append(f"an own write is not seen: {written}")

    async def drop(self, name: str) -> None:
        """Delete it; what we deleted must not be there."""
        uids = [held.metadata.uid for held in self.api.of(Setting) if held.metadata.name == name]
        try:
            await self.one.client.delete(Setting, name, NAMESPACE)
        except (ApiError, Unreachable):
            return
        held = self.one.settings.get(name)
        if held is not None and held.metadata.uid in uids:
            self.problems.append(f"an own deletion is not seen: {held}")

    async def network(self, what: str) -> None:
        getattr(self.api, what)()

    async def fails(self, which: int) -> None:
        self.api.watch_failures.append(_FAILURES[which])
        self.api.cuts_watches()

    async def waits(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


_WHAT = ["cuts_watches", "ends_watches", "forgets", "bookmarks", "holds_events", "releases_events"]
_STEPS = st.one_of(
    *(st.tuples(st.just(verb), NAMES) for verb in ("theirs", "gone", "ours", "drop")),
    st.tuples(st.just("network"), st.sampled_from(_WHAT)),
    st.tuples(st.just("fails"), st.integers(0, len(_FAILURES) - 1)),
    st.tuples(st.just("waits"), st.sampled_from([0.0, 0.001, 0.5, 5.0])),
)


def _by_name(objects: Iterable[Setting]) -> dict[str, Setting]:
    return {held.metadata.name: held for held in objects}


async def _live_through(steps: list[tuple[str, str | int | float]]) -> None:
    api = ScriptedApi()
    async with informed(api) as one:
        weather = Weather(api, one)
        for verb, operand in steps:
            await getattr(weather, verb)(operand)
        api.releases_events()
        api.watch_failures.clear()
        await until(lambda: _by_name(one.settings.all()) == _by_name(api.of(Setting)) and bool(api.watches), within=100)
        assert weather.problems == []
        assert weather.heard == _by_name(one.settings.all())


@settings(max_examples=150, deadline=None)
@given(st.lists(_STEPS, min_size=5, max_size=50))
def test_any_weather_ends_in_the_truth(steps):
    """Cuts, forgotten histories, lagging watches and own writes together, as a bad day brings them."""
    run_virtual(_live_through(steps))
