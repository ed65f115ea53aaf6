"""A watch that ends goes on where it stood."""

import pytest
from tests.support.informers import NAMESPACE, informed, setting
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import turns, until, virtual

from holdfast.api.errors import Expired, Forbidden, ServiceUnavailable
from holdfast.api.longhorn import Setting
from holdfast.api.wire import Unreachable

SETTINGS = "settings.longhorn.io"


def _since(api: ScriptedApi) -> list[str]:
    """From which revision each watch was asked for."""
    return [query["resourceVersion"] for request in api.requests if "watch" in (query := dict(request.query))]


@virtual
async def test_a_cache_follows_the_server():
    """The plain way: a listing, then every change."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    async with informed(api) as one:
        api.has(setting("a", "2"))
        api.has(setting("b", "1"))
        api.loses(Setting, "a", NAMESPACE)
        await until(lambda: len(one.ears) == 4)

    assert one.ears == ["+a=1", "a=1>2", "+b=1", "-a=2"]


@virtual
async def test_bookmarks_are_asked_for():
    """Without them a quiet kind is listed again whenever its watch ends."""
    api = ScriptedApi()
    async with informed(api):
        await until(lambda: bool(api.watches))

    assert ("allowWatchBookmarks", "true") in api.requests[-1].query


@pytest.mark.parametrize("interrupt", [ScriptedApi.ends_watches, ScriptedApi.cuts_watches])
@virtual
async def test_a_watch_goes_on_where_the_last_one_ended(interrupt):
    """Nothing is listed again and nothing is missed, however the connection ended."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    async with informed(api) as one:
        api.has(setting("a", "2"))
        await until(lambda: one.value("a") == "2")
        interrupt(api)
        api.has(setting("a", "3"))
        api.has(setting("b", "1"))
        await until(lambda: len(one.ears) == 4)

    assert one.ears == ["+a=1", "a=1>2", "a=2>3", "+b=1"]
    assert _since(api) == ["101", "102"]
    assert api.listed[SETTINGS] == 1


@virtual
async def test_a_bookmark_moves_the_point_to_go_on_from():
    """A kind that is quiet for long would fall out of the history."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    async with informed(api) as one:
        await until(lambda: bool(api.watches))
        api.revision = 900
        api.bookmarks()
        await turns()
        api.forgets()
        api.cuts_watches()
        api.has(setting("a", "2"))
        await until(lambda: one.value("a") == "2")

    assert _since(api) == ["101", "900"]
    assert api.listed[SETTINGS] == 1


@virtual
async def test_a_forgotten_history_leads_to_a_listing_that_tells_deletions():
    """What was deleted while nobody watched is told by nothing else."""
    api = ScriptedApi()
    api.has(setting("stays", "1"), setting("goes", "1"))
    async with informed(api) as one:
        await until(lambda: bool(api.watches))
        api.cuts_watches()
        api.loses(Setting, "goes", NAMESPACE)
        api.has(setting("comes", "1"))
        api.forgets()
        await until(lambda: one.value("comes") == "1")
        await turns()

    assert one.ears == ["+goes=1", "+stays=1", "+comes=1", "-goes=1"]
    assert api.listed[SETTINGS] == 2
    assert one.counted("holdfast_watch_relists_total", kind=SETTINGS) == 1


@virtual
async def test_an_expired_listing_token_is_answered_like_an_expired_watch():
    """Servers may refuse the old revision at once, with 410 in the answer."""
    api = ScriptedApi()
    async with informed(api) as one:
        await until(lambda: bool(api.watches))
        api.watch_failures.append(Expired("too old"))
        api.cuts_watches()
        await until(lambda: api.listed[SETTINGS] == 2)
        api.has(setting("a", "1"))
        await until(lambda: one.value("a") == "1")


@pytest.mark.parametrize("failure, listings", [(ServiceUnavailable("starting"), 1), (Unreachable("refused"), 1), (Forbidden("no"), 2)])
@virtual
async def test_a_refused_watch_is_tried_again(failure, listings):
    """A server that restarts forgets nothing; one that refuses may not know our revision."""
    api = ScriptedApi()
    async with informed(api) as one:
        await until(lambda: bool(api.watches))
        api.watch_failures.append(failure)
        api.cuts_watches()
        api.has(setting("a", "1"))
        await until(lambda: one.value("a") == "1")

    assert api.listed[SETTINGS] == listings


@virtual
async def test_an_event_that_can_not_be_read_does_not_end_the_watch_for_ever():
    """One object of a newer version must not freeze the cache of its kind."""
    api = ScriptedApi()
    async with informed(api) as one:
        await until(lambda: bool(api.watches))
        api.tells({"type": "MODIFIED", "object": {"metadata": {"name": 7}}})
        api.tells({"type": "NEWS", "object": {}})
        await until(lambda: api.opened[SETTINGS] == 2)
        api.has(setting("a", "1"))
        await until(lambda: one.value("a") == "1")


@virtual
async def test_a_replayed_event_is_not_told_again():
    """A server may repeat what it has told."""
    api = ScriptedApi()
    async with informed(api) as one:
        await until(lambda: bool(api.watches))
        api.has(setting("a", "1"))
        api.has(setting("a", "2"))
        for _, _, event in tuple(api.history):
            api.tells(event)
        api.has(setting("a", "3"))
        await until(lambda: one.value("a") == "3")

    assert one.ears == ["+a=1", "a=1>2", "a=2>3"]


@virtual
async def test_many_objects_are_read_in_pages():
    """A server under load refuses to send everything in one piece."""
    api = ScriptedApi()
    api.has(*(setting(f"s{n:04}", "1") for n in range(1_201)))
    async with informed(api) as one:
        assert len(one.settings) == 1_201

    assert api.listed[SETTINGS] == 3
