"""What lies between us and the server cuts, waits and refuses: nothing is lost, nothing comes back, nobody is stormed."""

import pytest
from tests.support.followers import Follower, changes, client_through, following, make
from tests.support.looking import until_true
from tests.support.meddler import meddler
from tests.support.watching import until

from holdfast.api.core import ConfigMap
from holdfast.process import Process, Randomness


@pytest.fixture
async def proxy(control_plane, tmp_path):
    async with meddler(control_plane, tmp_path) as one:
        yield one


async def test_a_watch_that_is_cut_in_the_middle_of_a_line_goes_on_after_the_last_whole_one(admin, namespace, proxy):
    """Half an object is not an object; and nothing has to be listed again for it."""
    async with client_through(proxy) as client, following(client, namespace) as follower:
        await make(admin, namespace, "first")
        await follower.agrees_with(admin)
        proxy.cut_next_line()
        await changes(admin, namespace)
        await follower.agrees_with(admin)
        assert (proxy.lists, proxy.watches) == (1, 2)
        assert follower.controller.gone["gone"] <= 1


async def test_a_line_that_is_cut_again_and_again_is_no_storm(admin, namespace, proxy):
    """Each watch comes later than the one before, as long as none of them lives."""
    async with client_through(proxy) as client, following(client, namespace) as follower:
        for round_ in range(4):
            proxy.cut_next_line()
            await changes(admin, namespace, round_)
            await follower.agrees_with(admin)
        assert proxy.lists == 1
        assert proxy.watches <= 9
        assert len(proxy.connections) <= 12


async def test_what_is_deleted_while_nobody_can_hear_is_gone_afterwards(admin, namespace, proxy):
    """The way is open again, and the watch tells what happened meanwhile: also of a namesake that is somebody else."""
    async with client_through(proxy) as client, following(client, namespace) as follower:
        for name in ("changed", "gone", "anew"):
            await make(admin, namespace, name)
        before = await follower.agrees_with(admin)
        proxy.hold()
        proxy.cut()
        await changes(admin, namespace)
        proxy.let_go()
        after = await follower.agrees_with(admin)
        assert "gone" not in after
        assert after["anew"][0] != before["anew"][0]
        assert follower.controller.gone["gone"] == 1
        assert proxy.lists == 1
        assert proxy.watches <= 4


async def test_answers_that_take_their_time_never_take_the_cache_back(admin, namespace, proxy):
    """An own write is seen at once, and what a late watch tells of the time before does not undo it."""
    randomness = Randomness(1)
    proxy.delay = lambda: randomness.jitter(0.01, 4)
    proxy.delay_of_lines = lambda: randomness.jitter(0.05, 2)
    async with client_through(proxy) as client, following(client, namespace) as follower:
        for number in range(8):
            made = await make(client, namespace, "own" if number else "first", number=str(number))
            assert follower.cache.get(made.metadata.name) == made
            changed = await client.patch(ConfigMap, made.metadata.name, namespace, {"data": {"again": "yes"}})
            held = follower.cache.get(made.metadata.name)
            assert held is not None
            assert held.data == changed.data
            await client.delete(ConfigMap, made.metadata.name, namespace)
            assert follower.cache.get(made.metadata.name) is None
        await changes(admin, namespace)
        truth = await follower.agrees_with(admin)
        assert not {"own", "first"} & truth.keys()
        assert proxy.lists == 1
        assert proxy.watches == 1


class Copier(Follower):
    """Copies ``a`` to ``b``, if nobody changed the object meanwhile."""

    async def act(self, obj):
        if "a" not in obj.data:
            return  # one that kube-controller-manager puts into every namespace, where it runs
        after = ConfigMap(metadata=obj.metadata, data=obj.data | {"b": obj.data["a"]})
        await self.runtime.client.change(obj, after, guarded=True)


async def test_a_controller_whose_every_second_write_is_refused_ends_its_work(admin, namespace, proxy):
    """A conflict brings the key back, and no key is lost on the way."""
    proxy.refuses_every_second_write = True
    names = [f"c{number}" for number in range(12)]
    async with client_through(proxy) as client, following(client, namespace, make=Copier) as follower:
        for name in names:
            await make(admin, namespace, name, a="1")
        for name in names:
            await until(admin, ConfigMap, name, namespace, lambda obj: obj.data.get("b") == "1")
        for name in names:
            await admin.patch(ConfigMap, name, namespace, {"data": {"a": "2"}})
        for name in names:
            await until(admin, ConfigMap, name, namespace, lambda obj: obj.data.get("b") == "2")
        await follower.agrees_with(admin)
        assert proxy.refused >= len(names)
        assert proxy.writes <= 6 * len(names), "a refusal costs one more write, not many"
        assert (proxy.lists, proxy.watches) == (1, 1)


class Stepping:
    """A wall clock that somebody sets; the other clock goes on as clocks do."""

    def __init__(self) -> None:
        self._clock = Process("clock").clock
        self.off = 0.0

    def now(self) -> float:
        return self._clock.now() + self.off

    def monotonic(self) -> float:
        return self._clock.monotonic()


class Looker(Follower):
    """Wants to look at everything again a moment later, three times."""

    async def act(self, obj):
        return self.runtime.process.clock.now() + 0.05 if self.rounds[obj.metadata.name] < 4 else None


@pytest.mark.parametrize("step", [86_400, -86_400], ids=["forward", "back"])
async def test_a_wall_clock_that_is_set_loses_nothing_and_hurries_nobody(control_plane, admin, namespace, step):
    """Only people read it: a day more or less ends no watch and starts no storm."""
    clock = Stepping()
    async with (
        control_plane.client() as client,
        following(client, namespace, process=Process("follower", clock), make=Looker) as follower,
    ):
        await changes(admin, namespace)
        clock.off = step
        await changes(admin, namespace, 1)
        await follower.agrees_with(admin)
        clock.off = -step
        await changes(admin, namespace, 2)
        truth = await follower.agrees_with(admin)
        assert follower.attempts == {"GET": 1, "WATCH": 1}
        for name in ("changed", "new-0"):
            assert name in truth
            await _until_rounds(follower, name, 4)
        assert follower.controller.rounds["new-2"] <= 4


async def _until_rounds(follower, name, rounds):
    await until_true(lambda: follower.controller.rounds[name] >= rounds)
