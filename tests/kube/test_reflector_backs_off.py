"""A watch that fails is not a reason to storm the server."""

import asyncio
from itertools import pairwise

from tests.support.informers import informed, setting
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import until, virtual, virtual_process

from holdfast.api.errors import Expired, InternalError
from holdfast.api.wire import Unreachable
from holdfast.kube.backoff import Backoff

SETTINGS = "settings.longhorn.io"


def test_delays_double_up_to_a_bound_and_differ_between_processes():
    """Equal delays would bring all managers back in the same instant."""
    one, other = (Backoff(virtual_process(seed=seed), first=0.2, longest=30.0) for seed in (1, 2))
    delays = [one.delay() for _ in range(12)]

    assert all(shorter * 1.3 <= longer <= shorter * 3.1 for shorter, longer in pairwise(delays[:7]))
    assert all(30.0 <= delay <= 45.0 for delay in delays[8:])
    assert delays[0] != other.delay()


def test_a_success_makes_delays_short_again():
    """One bad hour must not slow down the next hiccup."""
    backoff = Backoff(virtual_process(), first=0.2)
    for _ in range(10):
        backoff.delay()
    backoff.reset()

    assert backoff.delay() <= 0.3


async def _opened_within(api: ScriptedApi, seconds: float) -> int:
    before = api.opened[SETTINGS]
    await asyncio.sleep(seconds)
    return api.opened[SETTINGS] - before


@virtual
async def test_a_failed_watch_waits_longer_each_time():
    """A client without a wait after a failed watch sends thousands of requests a second to a server in trouble."""
    api = ScriptedApi()
    api.watch_failures.extend(InternalError("broken") for _ in range(1000))
    async with informed(api):
        assert await _opened_within(api, 60.0) <= 10
        assert await _opened_within(api, 300.0) <= 11


@virtual
async def test_a_watch_that_ends_at_once_is_a_failure():
    """A proxy that closes every stream would otherwise see a storm of reconnects."""
    api = ScriptedApi()

    async with informed(api):
        await until(lambda: bool(api.watches))
        opened = api.opened[SETTINGS]
        for _ in range(6000):
            api.ends_watches()
            await asyncio.sleep(0.01)

    assert api.opened[SETTINGS] - opened <= 12


@virtual
async def test_a_history_that_is_always_gone_is_no_reason_to_list_all_the_time():
    """Listings are the dearest request there is."""
    api = ScriptedApi()
    api.watch_failures.extend(Expired("too old") for _ in range(1000))
    async with informed(api):
        await asyncio.sleep(60.0)

    assert api.listed[SETTINGS] <= 11


@virtual
async def test_a_watch_that_lived_makes_the_waits_short_again():
    """Waits are for a server in trouble; after it has recovered, news must be fast."""
    api = ScriptedApi()
    api.watch_failures.extend(Unreachable("refused") for _ in range(8))
    async with informed(api) as one:
        await until(lambda: bool(api.watches))
        await asyncio.sleep(5.0)
        api.cuts_watches()
        api.has(setting("a", "1"))
        await until(lambda: one.value("a") == "1", within=0.5)


@virtual
async def test_after_an_outage_a_forgotten_past_costs_one_short_wait():
    """A server that comes back knows nothing of before: whoever then waits as long again stays blind while all is well."""
    api = ScriptedApi()
    api.watch_failures.extend(Unreachable("refused") for _ in range(7))
    api.watch_failures.append(Expired("too old"))
    async with informed(api) as one:
        await until(lambda: not api.watch_failures, within=60.0)
        api.has(setting("a", "1"))
        await until(lambda: one.value("a") == "1", within=1.0)


@virtual
async def test_a_watch_that_the_server_ends_after_a_while_is_taken_up_at_once():
    """Servers end watches every few minutes; nobody should notice."""
    api = ScriptedApi()
    async with informed(api) as one:
        await until(lambda: bool(api.watches))
        await asyncio.sleep(300.0)
        api.has(setting("a", "1"))
        api.ends_watches()
        api.has(setting("a", "2"))
        await until(lambda: one.value("a") == "2", within=0.05)


@virtual
async def test_a_watch_that_has_fallen_silent_is_left():
    """A connection can die without a word; a cache must not stand still for ever because of it."""
    api = ScriptedApi()
    async with informed(api) as one:
        await until(lambda: bool(api.watches))
        api.watches.clear()  # the server has forgotten the stream, the client has not heard
        api.has(setting("a", "1"))
        await until(lambda: one.value("a") == "1", within=700.0)


@virtual
async def test_a_server_that_is_away_at_the_start_is_waited_for():
    """Managers may start before the API does."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    api.failures.extend(Unreachable("refused") for _ in range(20))
    async with informed(api, synced=False) as one:
        assert not one.caches.synced
        await one.caches.wait_synced()
        assert one.value("a") == "1"
    assert one.counted("holdfast_watch_restarts_total", kind=SETTINGS) >= 2
