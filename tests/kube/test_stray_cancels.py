"""A cancellation that is not meant for a worker must not end it."""

import asyncio

from tests.support.controllers import Manager, Scribe, running
from tests.support.informers import informed, setting, stored
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import until, virtual

from holdfast.api.longhorn import Setting
from holdfast.process import Tasks


def _cancelled() -> asyncio.Future[None]:
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    return future


@virtual
async def test_a_round_that_awaits_something_cancelled_only_fails():
    """Four such rounds would otherwise stop a controller for ever, without a word."""
    api = ScriptedApi()
    api.has(*(setting(f"s{n}", "1") for n in range(10)))
    manager = Manager(api)
    again: set[str] = set()

    async def act(obj: Setting) -> None:
        if obj.metadata.name not in again:
            again.add(obj.metadata.name)
            await _cancelled()

    scribe = Scribe(manager.runtime, act)
    async with running(manager, [scribe]):
        await until(lambda: len(scribe.rounds) == 20, within=1)

    assert manager.counted("holdfast_reconcile_total", controller="Scribe", result="mistake") == 10


@virtual
async def test_a_watch_that_is_cancelled_from_below_goes_on():
    """A transport that gives up its connections must not freeze a cache."""
    api = ScriptedApi()
    async with informed(api) as one:
        await until(lambda: bool(api.watches))
        for watch in tuple(api.watches):
            watch.end(asyncio.CancelledError())
        api.has(setting("a", "1"))
        await until(lambda: one.value("a") == "1", within=5)


@virtual
async def test_events_are_written_after_one_was_cancelled_from_below():
    """The next thing that happens is worth telling all the same."""
    api = ScriptedApi()
    manager = Manager(api)

    async def cancel_the_first(_request):
        api.before = None
        await _cancelled()

    async with Tasks() as tasks:
        tasks.spawn(manager.runtime.events.run(), name="events")
        api.before = cancel_the_first
        manager.runtime.events.emit(stored("a"), "Normal", "Lost", "in the cancellation")
        manager.runtime.events.emit(stored("a"), "Normal", "Told", "after it")
        await until(lambda: manager.counted("holdfast_events_total", result="written") == 1)
        assert manager.counted("holdfast_events_total", result="failed") == 1
