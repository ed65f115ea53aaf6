"""At most one leads, at nearly all times one does."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.elections import LEASE, contest
from tests.support.informers import NAMESPACE
from tests.support.virtual_loop import run_virtual, until, virtual

from holdfast.api.core import Lease
from holdfast.api.wire import Unreachable
from holdfast.kube.election import Terms


@virtual
async def test_the_first_to_come_leads_at_once():
    """A single manager must not wait out a lease that nobody holds."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads, within=0.1)
        assert race.lease.spec.holder_identity == one.election.identity
        assert race.belief.epochs == [1]


@virtual
async def test_a_leader_that_renews_stays():
    """Work that changes hands for no reason is done twice."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)
        race.enters("two")
        await asyncio.sleep(3600)
        assert one.leads
        assert race.belief.epochs == [1]


@virtual
async def test_a_dead_leader_is_followed_when_its_lease_has_run_out():
    """Not before: it may only be slow; not much later: the work waits."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)
        two = race.enters("two")
        await asyncio.sleep(60)
        await one.die()
        await asyncio.sleep(12)
        assert not two.leads
        await until(lambda: two.leads, within=10)
        assert race.belief.epochs == [1, 2]


@virtual
async def test_an_orderly_end_hands_over_at_once():
    """An update of the program must not cost fifteen seconds for every process."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)
        two = race.enters("two")
        await asyncio.sleep(10)
        await one.stop()
        assert not one.leads
        assert race.lease.spec.holder_identity == ""
        await until(lambda: two.leads, within=3)


@virtual
async def test_a_killed_leader_writes_nothing():
    """What is written in the moment of death can not be relied on, so nothing is."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)
        await one.die()
        assert race.lease.spec.holder_identity == one.election.identity


@virtual
async def test_a_leader_that_can_not_renew_stops_before_another_may_start():
    """It can not know who leads by now, so it must assume that somebody does."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)
        two = race.enters("two")
        await asyncio.sleep(60)
        one.transport.is_cut_off = True
        await until(lambda: not one.leads, within=10.5)
        assert not two.leads
        assert one.leaderships[0].lost.is_set()
        assert not one.leaderships[0].holds
        await until(lambda: two.leads, within=10)


@virtual
async def test_a_request_that_hangs_ends_the_leadership_in_time():
    """No answer is the worst answer: waiting for it must not outlast the lease."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)

        async def hang(_request):
            await asyncio.get_running_loop().create_future()

        race.api.before = hang
        await until(lambda: not one.leads, within=10.5)
        race.api.before = None
        await until(lambda: one.leads, within=30)
        assert race.belief.epochs[-1] > 1


@virtual
async def test_renewals_whose_answers_are_lost_do_not_unseat_the_leader():
    """The server has them; the next one that comes through counts."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)
        lost = 0

        async def lose_every_third_answer(request):
            nonlocal lost
            lost += request.method == "PATCH"
            if request.method == "PATCH" and lost % 3 == 0:
                raise Unreachable("reset after the request had left")

        race.api.after = lose_every_third_answer
        await asyncio.sleep(600)
        assert one.leads
        assert race.belief.epochs == [1]


@virtual
async def test_a_wall_clock_that_stands_still_unseats_nobody():
    """A renewal must be seen by others, whatever time it writes down."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)
        two = race.enters("two")
        one.clock.stands_still = True
        await asyncio.sleep(300)
        assert one.leads
        one.clock.wall -= 86_400.0
        await asyncio.sleep(300)
        assert one.leads
        assert not two.leads


@virtual
async def test_the_times_in_a_lease_are_nobody_s_business():
    """A holder whose wall clock is a year behind is as alive as any."""
    async with contest() as race:
        one = race.enters("one")
        one.clock.wall -= 365 * 86400
        two = race.enters("two")
        await until(lambda: one.leads or two.leads)
        await asyncio.sleep(600)
        assert race.belief.epochs == [1]


@virtual
async def test_a_deleted_lease_is_not_seized_before_its_holder_knows():
    """A person who deletes it must not make two leaders."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)
        two = race.enters("two")
        await asyncio.sleep(30)
        race.api.loses(Lease, LEASE, NAMESPACE)
        await until(lambda: race.belief.epochs == [1, 2], within=3)
        await asyncio.sleep(30)
        assert one.leads
        assert not two.leads


@virtual
async def test_a_lease_taken_by_force_is_let_go():
    """Whoever wrote another holder into it has decided."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)
        await one.client.patch(Lease, LEASE, NAMESPACE, {"spec": {"holderIdentity": "a person"}})
        await until(lambda: not one.leads, within=3)
        assert race.lease.spec.holder_identity == "a person"


@virtual
async def test_the_end_of_the_work_gives_the_lease_back():
    """Who has nothing left to do must not keep others from it."""
    async with contest() as race:
        one = race.enters("one")
        await until(lambda: one.leads)
        two = race.enters("two")
        await one.stop()
        done = []

        async def brief(leadership):
            done.append(leadership.epoch)

        await until(lambda: two.leads, within=5)
        await two.stop()
        three = race.enters("three")
        await three.die()
        one.election._stepping_down.clear()
        await one.election.run(brief)
        assert done == [max(race.belief.epochs) + 1]
        assert race.lease.spec.holder_identity == ""


@virtual
async def test_work_that_fails_ends_the_candidacy_with_its_failure():
    """A failure that is swallowed would make a leader that does nothing."""
    async with contest() as race:
        one = race.enters("one")
        await one.die()
        fresh = race.enters("fresh")
        await fresh.stop()
        fresh.election._stepping_down.clear()

        async def broken(_leadership):
            raise RuntimeError("broken work")

        with pytest.raises(RuntimeError, match="broken work"):
            await fresh.election.run(broken)


@pytest.mark.parametrize("times", [(15, 15, 2), (10, 15, 2), (15, 10, 10), (15, 10, 0)])
def test_times_that_allow_two_leaders_are_refused(times):
    """A deadline as long as the lease leaves no moment in which nobody leads."""
    duration, deadline, retry = times
    with pytest.raises(ValueError, match="retry period < renew deadline < duration"):
        Terms(duration=duration, renew_deadline=deadline, retry_period=retry)


_TROUBLE = st.tuples(
    st.sampled_from(["cut", "heal", "die", "stop", "lose answers", "hang", "calm", "nothing"]), st.integers(0, 1), st.floats(0.1, 25.0)
)


async def _live_through(rates: list[float], troubles: list[tuple[str, int, float]]) -> None:
    async with contest() as race:
        candidates = [race.enters(f"c{n}", rate=rate) for n, rate in enumerate(rates)]
        answers_lost = False

        async def after(_request):
            if answers_lost:
                raise Unreachable("the answer was lost")

        async def hang(_request):
            await asyncio.sleep(7)

        race.api.after = after
        for trouble, which, seconds in troubles:
            candidate = candidates[which]
            if trouble in ("cut", "heal"):
                candidate.transport.is_cut_off = trouble == "cut"
            elif trouble == "die":
                await candidate.die()
            elif trouble == "stop":
                await candidate.stop()
            elif trouble == "hang":
                race.api.before = hang
            elif trouble == "calm":
                race.api.before = None
            answers_lost = trouble == "lose answers"
            if trouble in ("die", "stop"):
                candidates[which] = race.enters(f"c{which}", rate=rates[which])
            await asyncio.sleep(seconds)
        answers_lost = False
        race.api.before = None
        for candidate in candidates:
            candidate.transport.is_cut_off = False
        await until(lambda: bool(race.belief.leaders), within=60)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0.9, 1.1), min_size=2, max_size=2), st.lists(_TROUBLE, max_size=12))
def test_two_never_lead_at_once(rates, troubles):
    """Whatever the network does and whoever dies, while clocks run at about the same rate; and in the end somebody leads."""
    run_virtual(_live_through(rates, troubles))
