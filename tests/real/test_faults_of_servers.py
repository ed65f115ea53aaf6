"""The server is killed, stands still, or forgets the past: whoever follows it ends with its truth, and does not storm it."""

import asyncio
from http import HTTPStatus

import pytest
from tests.support.followers import changes, client_through, following, make
from tests.support.meddler import meddler
from tests.support.real_control_plane import API, ETCD

from holdfast.process import Tasks


@pytest.fixture
async def proxy(control_plane, tmp_path):
    async with meddler(control_plane, tmp_path) as one:
        yield one


async def test_an_api_server_that_was_killed_is_followed_again(control_plane, admin, namespace):
    """It comes back without its memory of the past; what was deleted before anybody listened again is gone here too."""
    async with control_plane.client() as client, following(client, namespace) as follower:
        for name in ("changed", "gone", "anew"):
            await make(admin, namespace, name)
        await follower.agrees_with(admin)
        before = follower.attempts.total()
        control_plane.programs[API].kill()
        await follower.asks_again(3)
        await control_plane.restart(API)
        await changes(admin, namespace)
        truth = await follower.agrees_with(admin)
        assert "gone" not in truth
        assert follower.controller.gone["gone"] == 1
        assert follower.attempts.total() - before <= 8, "no storm, though the server was away for seconds"


async def test_a_server_that_is_killed_again_and_again_is_followed_in_the_end(control_plane, admin, namespace):
    """The second fault comes while the first is being mended."""
    async with control_plane.client() as client, following(client, namespace) as follower:
        for round_ in range(2):
            await changes(admin, namespace, round_)
            control_plane.programs[API].kill()
            await follower.asks_again(2)
            await control_plane.restart(API)
            await changes(admin, namespace, round_ + 10)
        await follower.agrees_with(admin)
        assert follower.attempts.total() <= 16


async def test_a_store_that_stands_still_costs_nothing_but_time(control_plane, admin, namespace):
    """Watches stay open, nobody asks again and again, and what was written meanwhile is seen once."""
    async with control_plane.client() as client, following(client, namespace) as follower:
        await changes(admin, namespace)
        await follower.agrees_with(admin)
        before = follower.attempts.total()
        etcd = control_plane.programs[ETCD]
        etcd.pause()
        async with Tasks() as tasks:
            writing = tasks.spawn(make(admin, namespace, "late"), name="writing")
            done, _ = await asyncio.wait([writing], timeout=1)
            assert not done
            etcd.resume()
            await writing
        await changes(admin, namespace, 1)
        assert "late" in await follower.agrees_with(admin)
        assert follower.attempts.total() == before


async def test_a_past_that_was_compacted_away_is_made_good_by_a_listing(control_plane, admin, namespace, proxy):
    """Deletions and namesakes of that time are seen by comparing, for nobody tells of them any more."""
    async with client_through(proxy) as client, following(client, namespace) as follower:
        for name in ("changed", "gone", "anew"):
            await make(admin, namespace, name)
        await follower.agrees_with(admin)
        proxy.hold()
        proxy.cut()
        await changes(admin, namespace)
        await control_plane.compact()
        await control_plane.restart(API)
        proxy.let_go()
        truth = await follower.agrees_with(admin)
        assert "gone" not in truth
        assert follower.controller.gone["gone"] == 1
        assert follower.relists == 1
        assert proxy.lists <= 3


async def test_a_server_that_asks_for_patience_is_given_it(admin, namespace, proxy):
    """429 means that nothing was done: each is answered by one more attempt after the named time, for reads and writes alike."""
    async with client_through(proxy) as client:
        proxy.refuse(2, HTTPStatus.TOO_MANY_REQUESTS, writes=False, **{"Retry-After": "1"})
        async with following(client, namespace) as follower:
            assert (proxy.lists, proxy.refused) == (3, 2)
            proxy.refuse(2, HTTPStatus.TOO_MANY_REQUESTS, writes=True, **{"Retry-After": "1"})
            await make(client, namespace, "patient")
            assert (proxy.writes, proxy.refused) == (3, 4)
            proxy.refuse(1, HTTPStatus.TOO_MANY_REQUESTS, writes=False, **{"Retry-After": "1"})
            proxy.cut()
            await changes(admin, namespace)
            assert "patient" in await follower.agrees_with(admin)
            assert proxy.lists + proxy.watches < 12
