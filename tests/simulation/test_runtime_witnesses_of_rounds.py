"""The witness of rounds catches a lie, and is content with the truth."""

import asyncio

from tests.support.virtual_loop import virtual
from tests.support.witnesses import Told

from holdfast.simulation.runtime_rounds import Rounds


def at_rest(rounds: Rounds) -> None:
    rounds.at_rest(lambda _: True)


@virtual
async def test_a_key_in_two_hands_is_seen():
    """Two rounds over one object undo each other's work."""
    rounds = Rounds("p1", told := Told())
    rounds.woken("k")
    rounds.begins("k")
    rounds.woken("k")
    rounds.begins("k")
    assert told.promises == ["a key is in one hand at most"]


@virtual
async def test_a_change_that_is_forgotten_is_seen():
    """Nobody will look at the object until something else happens to it."""
    rounds = Rounds("p1", told := Told())
    rounds.woken("k")
    rounds.begins("k")
    rounds.woken("k")
    rounds.ends_well("k", None)
    at_rest(rounds)
    assert told.promises == ["no change is forgotten"]


@virtual
async def test_a_round_without_a_cause_is_seen():
    """A queue that turns by itself eats a processor and storms a server."""
    rounds = Rounds("p1", told := Told())
    rounds.woken("k")
    for _ in range(2):
        rounds.begins("k")
        rounds.ends_well("k", None)
    assert told.promises == ["no round without a cause"]


@virtual
async def test_a_key_that_fails_may_come_back_later_each_time():
    """The shortest delays are told from no delay at all."""
    rounds = Rounds("p1", told := Told(), is_prompt=True)
    rounds.woken("k")
    for failures in range(10):
        rounds.begins("k")
        rounds.fails("k")
        await asyncio.sleep(0.0051 * 2**failures)
    assert told.promises == []
    rounds.begins("k")
    rounds.fails("k")
    await asyncio.sleep(0.0051)
    rounds.begins("k")
    assert told.promises == ["no round without a cause"]


@virtual
async def test_a_look_that_comes_late_is_seen():
    """Times are kept, or whoever waits for one waits for ever."""
    rounds = Rounds("p1", told := Told(), is_prompt=True)
    rounds.works()
    rounds.woken("k")
    rounds.begins("k")
    rounds.ends_well("k", 3.0)
    await asyncio.sleep(9.0)
    at_rest(rounds)
    rounds.begins("k")
    rounds.ends_well("k", None)
    rounds.woken("k")
    await asyncio.sleep(9.0)
    rounds.begins("k")
    assert told.promises == ["looks are kept", "looks are kept", "a change is looked at soon"]


@virtual
async def test_a_round_that_never_ends_is_seen():
    """Its key is in nobody else's hand for ever."""
    rounds = Rounds("p1", told := Told())
    rounds.woken("k")
    rounds.begins("k")
    await asyncio.sleep(60.0)
    at_rest(rounds)
    assert told.promises == ["a round ends"]


@virtual
async def test_what_another_has_taken_over_is_not_missed():
    """A process that shares its keys may let the times of some of them go by."""
    rounds = Rounds("p1", told := Told(), is_prompt=True)
    rounds.woken("k")
    rounds.begins("k")
    rounds.ends_well("k", 3.0)
    rounds.shared_anew([])
    await asyncio.sleep(9.0)
    at_rest(rounds)
    assert told.promises == []
