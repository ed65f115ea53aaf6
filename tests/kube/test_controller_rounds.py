"""What a round leads to: how it ends decides when its key comes back."""

import asyncio

import pytest
from tests.support.controllers import Manager, Scribe, running
from tests.support.informers import NAMESPACE, setting
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import until, virtual

from holdfast.api.errors import Conflict, Forbidden, Invalid, StatusCause, StatusDetails
from holdfast.api.longhorn import Setting
from holdfast.api.wire import Unreachable


@virtual
async def test_what_is_there_at_the_start_is_looked_at():
    """After a restart nobody sends news of what did not change."""
    api = ScriptedApi()
    api.has(setting("a", "1"), setting("b", "2"))
    manager = Manager(api)
    scribe = Scribe(manager.runtime)
    async with running(manager, [scribe]):
        await until(lambda: len(scribe.rounds) == 2)

    assert sorted(scribe.rounds) == ["a=1", "b=2"]


@virtual
async def test_a_change_is_looked_at_as_the_cache_has_it():
    """A round decides on the newest that is known, not on what was new when the key was put into the queue."""
    api = ScriptedApi()
    manager = Manager(api)
    scribe = Scribe(manager.runtime)
    async with running(manager, [scribe]):
        await asyncio.sleep(1)
        api.has(setting("a", "1"))
        await until(lambda: scribe.rounds == ["a=1"])
        api.has(setting("a", "2"))
        await until(lambda: scribe.rounds == ["a=1", "a=2"])


@virtual
async def test_an_object_that_is_gone_has_a_round_of_its_own():
    """What was kept for it has to be tidied."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    manager = Manager(api)
    scribe = Scribe(manager.runtime)
    async with running(manager, [scribe]):
        await until(lambda: scribe.rounds == ["a=1"])
        api.loses(Setting, "a", NAMESPACE)
        await until(lambda: scribe.gone == ["a"])


@virtual
async def test_a_round_may_name_the_time_of_the_next():
    """Who knows when a verdict changes by itself needs no timer of his own."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    manager = Manager(api)
    times = []

    async def act(_obj):
        times.append(manager.process.clock.now())
        return times[0] + 100 if len(times) == 1 else None

    async with running(manager, [Scribe(manager.runtime, act)]):
        await asyncio.sleep(1000)

    assert len(times) == 2
    assert times[1] - times[0] == pytest.approx(100)


@virtual
async def test_a_far_look_is_taken_in_steps():
    """The wall clock may be set meanwhile; a timer of hours would not notice."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    manager = Manager(api)

    async def act(_obj):
        return manager.process.clock.now() + 7200

    scribe = Scribe(manager.runtime, act)
    async with running(manager, [scribe]):
        await asyncio.sleep(1000)

    assert len(scribe.rounds) == 4


@virtual
async def test_a_time_that_is_past_does_not_spin():
    """A round that always asks for yesterday would take a whole processor."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    manager = Manager(api)

    async def act(_obj):
        return 1.0

    scribe = Scribe(manager.runtime, act)
    async with running(manager, [scribe]):
        await asyncio.sleep(60)

    assert 10 <= len(scribe.rounds) <= 15


@pytest.mark.parametrize(
    "failure, result",
    [
        (Conflict("somebody was faster"), "conflict"),
        (Invalid("the test failed"), "conflict"),
        (Invalid("bad", details=StatusDetails(causes=(StatusCause(field="spec.size"),))), "error"),
        (Forbidden("no"), "error"),
        (Unreachable("refused"), "error"),
        (ZeroDivisionError("a mistake"), "mistake"),
    ],
)
@virtual
async def test_a_round_that_fails_comes_back_and_is_counted(failure, result):
    """Nothing that a round raises loses a key, and an operator can tell the sorts apart."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    manager = Manager(api)
    failures = [failure] * 3

    async def act(_obj):
        if failures:
            raise failures.pop()

    scribe = Scribe(manager.runtime, act)
    async with running(manager, [scribe]):
        await until(lambda: len(scribe.rounds) == 4, within=1)

    assert manager.counted("holdfast_reconcile_total", controller="Scribe", result=result) == 3
    assert manager.counted("holdfast_reconcile_total", controller="Scribe", result="success") == 1


@virtual
async def test_a_key_that_always_fails_does_not_hold_up_the_others():
    """One object that can not be mended must not stop a cluster."""
    api = ScriptedApi()
    api.has(setting("bad", "1"), *(setting(f"good-{n}", "1") for n in range(20)))
    manager = Manager(api)

    async def act(obj):
        if obj.metadata.name == "bad":
            raise RuntimeError("always")

    scribe = Scribe(manager.runtime, act)
    async with running(manager, [scribe]):
        await until(lambda: len({name for name in scribe.rounds if "good" in name}) == 20, within=1)
        bad = scribe.rounds.count("bad=1")
        await asyncio.sleep(600)
        assert scribe.rounds.count("bad=1") - bad <= 22
        api.has(setting("good-0", "2"))
        await until(lambda: scribe.rounds[-1] == "good-0=2", within=1)


@virtual
async def test_one_object_is_never_in_two_rounds_at_once():
    """Two rounds would race each other to the same write."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    manager = Manager(api)
    running_now: list[str] = []
    most = 0

    async def act(obj):
        nonlocal most
        running_now.append(obj.value)
        most = max(most, len(running_now))
        await asyncio.sleep(1)
        running_now.remove(obj.value)

    scribe = Scribe(manager.runtime, act)
    async with running(manager, [scribe]):
        for value in range(10):
            api.has(setting("a", str(value)))
            await asyncio.sleep(0.3)
        await until(lambda: scribe.rounds[-1] == "a=9")

    assert most == 1


@virtual
async def test_different_objects_are_worked_on_together():
    """A slow one must not make a queue of the rest."""
    api = ScriptedApi()
    api.has(*(setting(f"s{n}", "1") for n in range(Scribe.workers)))
    manager = Manager(api)

    async def act(_obj):
        await asyncio.sleep(10)

    scribe = Scribe(manager.runtime, act)
    async with running(manager, [scribe]):
        await until(lambda: len(scribe.rounds) == Scribe.workers, within=1)


@virtual
async def test_an_own_write_is_what_the_next_round_sees():
    """With the watch lagging, a round would otherwise repeat what it has done."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    manager = Manager(api)

    async def act(obj):
        if obj.value != "done":
            await manager.client.patch(Setting, "a", NAMESPACE, {"value": "done"})

    scribe = Scribe(manager.runtime, act)
    async with running(manager, [scribe]):
        await until(lambda: bool(api.watches))
        api.holds_events()
        await until(lambda: "a=done" in scribe.rounds)
        api.releases_events()
        await asyncio.sleep(5)

    assert scribe.rounds == ["a=1", "a=done"]
