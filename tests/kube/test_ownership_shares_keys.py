"""Every key has one owner among the managers that live, and few keys move when that changes."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.controllers import Manager, Scribe, running
from tests.support.informers import NAMESPACE, setting
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import EPOCH, VirtualClock, until, virtual

from holdfast.api.core import Lease, LeaseSpec
from holdfast.api.meta import ObjectMeta
from holdfast.api.timestamps import micro_timestamp
from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.kube.keys import Key
from holdfast.kube.ownership import PREFIX, Members, SharedOwnership, SoleOwner
from holdfast.process import Process, Randomness, Tasks

KEYS = [Key(NAMESPACE, f"disk-{n}") for n in range(1000)]
NAMES = st.sets(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=8)


@settings(max_examples=100, deadline=None)
@given(NAMES, st.sampled_from(KEYS))
def test_all_who_know_the_same_managers_name_the_same_owner(names, key):
    """Else a key has two owners, or none."""
    owner = Members(sorted(names)).owner(key)

    assert owner in names
    assert owner == Members(sorted(names, reverse=True)).owner(key)


@settings(max_examples=50, deadline=None)
@given(NAMES, st.from_regex(r"new-[a-z]{1,8}", fullmatch=True))
def test_a_newcomer_takes_keys_and_moves_none_between_others(names, newcomer):
    """Moved keys are looked at again; only those that must, move."""
    before, after = Members(names), Members(names | {newcomer})

    for key in KEYS[:200]:
        assert after.owner(key) in (before.owner(key), newcomer)


def test_keys_are_shared_out_evenly():
    """One manager with most of the keys would be the bottleneck of all."""
    members = Members(["a", "b", "c", "d"])
    shares = Counter(members.owner(key) for key in KEYS)

    assert all(200 <= shares[name] <= 300 for name in "abcd")


def test_a_process_that_works_alone_owns_everything():
    """No lease is needed where there is nobody to share with."""
    owner = SoleOwner()
    assert all(owner.owns(key) for key in KEYS)


class _Member:
    """A manager as far as ownership goes."""

    def __init__(self, api: ScriptedApi, name: str) -> None:
        self.clock = VirtualClock()
        self.process = Process(name, self.clock, Randomness(len(name)))
        self.transport = api.transport()
        self.client = Client(self.transport, self.process)
        self.caches = Caches(self.client, self.process, namespace=NAMESPACE)
        self.ownership = SharedOwnership(self.client, self.process, self.caches, namespace=NAMESPACE)
        self.changes = 0
        self.ownership.on_change(self._changed)
        self.tasks: list[asyncio.Task[None]] = []

    def _changed(self) -> None:
        self.changes += 1

    def start(self, tasks: Tasks) -> None:
        self.tasks = [tasks.spawn(part.run(), name=self.process.name) for part in (self.caches, self.ownership)]

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.wait(self.tasks)

    async def die(self) -> None:
        self.transport.kill()
        await self.stop()


@asynccontextmanager
async def _members(api: ScriptedApi, *names: str):
    async with Tasks() as tasks:
        members = [_Member(api, name) for name in names]
        for member in members:
            member.start(tasks)
        await until(lambda: all(member.ownership.live == set(names) for member in members), within=10)
        yield members


def _owners(members, key: Key) -> int:
    return sum(member.ownership.owns(key) for member in members)


@virtual
async def test_managers_find_each_other_and_share_every_key():
    """Three managers are three times as fast only if each does its part."""
    async with _members(ScriptedApi(), "a", "bb", "ccc") as members:
        assert all(_owners(members, key) == 1 for key in KEYS)


@virtual
async def test_the_keys_of_a_dead_manager_are_taken_over():
    """It says nothing; its lease that stands still does."""
    async with _members(ScriptedApi(), "a", "bb") as (a, b):
        await asyncio.sleep(100)
        await a.die()
        await asyncio.sleep(8)
        assert b.ownership.live == {"a", "bb"}
        changes = b.changes
        await until(lambda: b.ownership.live == {"bb"}, within=10)
        assert b.changes == changes + 1
        assert all(b.ownership.owns(key) for key in KEYS)


@virtual
async def test_a_goodbye_hands_over_at_once():
    """An orderly restart must not leave keys without an owner for a quarter of a minute."""
    async with _members(ScriptedApi(), "a", "bb") as (a, b):
        await a.stop()
        await a.ownership.leave()
        await until(lambda: b.ownership.live == {"bb"}, within=0.1)


@virtual
async def test_a_manager_that_comes_back_gets_its_keys_back():
    """Its name decides, so a restart moves nothing for good."""
    api = ScriptedApi()
    async with _members(api, "a", "bb") as (a, b):
        mine = {key for key in KEYS if a.ownership.owns(key)}
        await a.die()
        await until(lambda: b.ownership.live == {"bb"}, within=30)
        async with Tasks() as tasks:
            again = _Member(api, "a")
            again.start(tasks)
            await until(lambda: b.ownership.live == again.ownership.live == {"a", "bb"}, within=10)
            assert {key for key in KEYS if again.ownership.owns(key)} == mine


@virtual
async def test_a_wall_clock_of_its_own_costs_a_manager_nothing():
    """Clocks of machines differ; what counts is that the lease moves."""
    async with _members(ScriptedApi(), "a", "bb") as (a, b):
        a.clock.wall -= 86_400
        await asyncio.sleep(120)
        assert b.ownership.live == {"a", "bb"}
        a.clock.stands_still = True
        await asyncio.sleep(120)
        assert b.ownership.live == {"a", "bb"}


def _old_lease(name: str, age: float) -> Lease:
    renewed = micro_timestamp(EPOCH + 1000 - age)
    metadata = ObjectMeta(name=PREFIX + name, namespace=NAMESPACE)
    return Lease(metadata=metadata, spec=LeaseSpec(holder_identity=name, lease_duration_seconds=15, renew_time=renewed))


@virtual
async def test_a_lease_that_was_old_when_we_came_gets_no_keys():
    """After a restart under another name, keys must not wait for a manager that is long gone."""
    api = ScriptedApi()
    api.has(_old_lease("gone", 3600))
    async with Tasks() as tasks:
        member = _Member(api, "a")
        member.start(tasks)
        await member.caches.wait_synced()
        assert member.ownership.live == {"a"}


@virtual
async def test_leases_of_long_dead_managers_are_deleted_and_others_left():
    """Every pod has a new name: without that they pile up for ever."""
    api = ScriptedApi()
    api.has(_old_lease("gone", 3600))
    api.has(Lease(metadata=ObjectMeta(name="somebody-else", namespace=NAMESPACE)))
    async with _members(api, "a", "bb"):
        await asyncio.sleep(400)

    assert sorted(lease.metadata.name for lease in api.of(Lease)) == [PREFIX + "a", PREFIX + "bb", "somebody-else"]


@virtual
async def test_a_lease_renewed_in_the_last_moment_is_not_deleted():
    """A manager that slept for minutes is alive when it wakes."""
    api = ScriptedApi()
    api.has(_old_lease("sleeper", 3600))

    async def wake_up_first(request):
        if request.method == "DELETE":
            api.has(_old_lease("sleeper", 0))

    async with _members(api, "a"):
        api.before = wake_up_first
        await until(lambda: any(request.method == "DELETE" for request in api.requests))
        await asyncio.sleep(1)

    assert PREFIX + "sleeper" in {lease.metadata.name for lease in api.of(Lease)}


@virtual
async def test_two_managers_work_on_each_object_once_and_take_over_all():
    """The whole way: leases, caches, queues, rounds."""
    api = ScriptedApi()
    api.has(*(setting(f"s{n}", "1") for n in range(40)))
    one, two = (Manager(api, Process(name, VirtualClock(), Randomness(7)), shares=True) for name in ("a", "bb"))
    first, second = Scribe(one.runtime), Scribe(two.runtime)
    async with running(two, [second]):
        async with running(one, [first]):
            await asyncio.sleep(10)
            first.rounds.clear()
            second.rounds.clear()
            api.has(*(setting(f"s{n}", "2") for n in range(40)))
            await until(lambda: len(first.rounds) + len(second.rounds) == 40)
            await asyncio.sleep(1)
            assert len({*first.rounds, *second.rounds}) == len(first.rounds) + len(second.rounds) == 40
            assert first.rounds
            assert second.rounds
        second.rounds.clear()
        await until(lambda: len(set(second.rounds)) == 40, within=20)
