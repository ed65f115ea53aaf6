"""A watch tells every change once, in order, to everybody it concerns, and says when it can not."""

import asyncio

import pytest
from tests.support.raw_api import CONFIG_MAPS, METADATA_ONLY, NAMESPACES, WIDGETS, Api, serving, with_widgets
from tests.support.virtual_loop import virtual, virtual_process

from holdfast.embedded.collection import Collection
from holdfast.embedded.history import History
from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server


async def test_a_watch_tells_what_happens_after_its_revision():
    """List, then watch from there: nothing is missed and nothing told twice."""
    async with serving() as api:
        await api.has("a", "b")
        since = (await api.get(CONFIG_MAPS)).version
        watch = await api.watch(CONFIG_MAPS, resourceVersion=since)

        await api.has("c")
        await api.patch(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}})
        await api.delete(f"{CONFIG_MAPS}/b")

        events = [await watch.next() for _ in range(3)]
        await watch.close()
        assert [(event["type"], event["object"]["metadata"]["name"]) for event in events] == [
            ("ADDED", "c"),
            ("MODIFIED", "a"),
            ("DELETED", "b"),
        ]
        versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
        assert versions == [int(since) + 1, int(since) + 2, int(since) + 3]


async def test_a_watch_from_the_past_is_told_the_past():
    """A client that was away for a moment goes on where it was."""
    async with serving() as api:
        since = (await api.get(CONFIG_MAPS)).version
        await api.has("a", "b")
        watch = await api.watch(CONFIG_MAPS, resourceVersion=since)

        assert [await watch.told(), await watch.told()] == [("ADDED", "a"), ("ADDED", "b")]
        await watch.close()


@pytest.mark.parametrize("query", [{}, {"resourceVersion": "0"}])
async def test_a_watch_without_a_revision_begins_with_what_is_there(query):
    """Kubectl get -w in one request."""
    async with serving() as api:
        await api.has("a")
        watch = await api.watch(CONFIG_MAPS, **query)
        await api.has("b")

        assert [await watch.told(), await watch.told()] == [("ADDED", "a"), ("ADDED", "b")]
        await watch.close()


async def test_a_streamed_list_ends_with_a_bookmark_that_says_so():
    """What newer clients use in place of a list."""
    async with serving() as api:
        await api.has("a")
        query = {"sendInitialEvents": "true", "allowWatchBookmarks": "true", "resourceVersionMatch": "NotOlderThan"}
        watch = await api.watch(CONFIG_MAPS, **query)

        assert await watch.told() == ("ADDED", "a")
        bookmark = await watch.next()
        assert bookmark["type"] == "BOOKMARK"
        assert bookmark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
        await watch.close()
        assert (await api.get(CONFIG_MAPS, watch="true", sendInitialEvents="true")).code == 422


async def test_a_selection_is_entered_and_left():
    """To a client that watches a selection, leaving it is being deleted, and entering it is being added."""
    async with serving() as api:
        await api.has("a", metadata={"labels": {"app": "web"}})
        watch = await api.watch(CONFIG_MAPS, labelSelector="app=web", resourceVersion=api.server.store.revision)

        left = await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"app": "db"}}, "data": {"k": "v"}})
        await api.patch(f"{CONFIG_MAPS}/a", {"data": {"k": "unseen"}})
        await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"labels": {"app": "web"}}})
        await api.patch(f"{CONFIG_MAPS}/a", {"data": {"k": "seen"}})
        await api.delete(f"{CONFIG_MAPS}/a")

        events = [await watch.next() for _ in range(4)]
        await watch.close()
        assert [event["type"] for event in events] == ["DELETED", "ADDED", "MODIFIED", "DELETED"]
        gone = events[0]["object"]
        assert (gone["metadata"]["labels"], gone["metadata"]["resourceVersion"]) == ({"app": "web"}, left.version), "as it was last seen"


async def test_one_object_is_watched_by_its_name():
    """How kubectl wait works."""
    async with serving() as api:
        await api.has("a", "b")
        since = api.server.store.revision
        by_field = await api.watch(CONFIG_MAPS, fieldSelector="metadata.name=b", resourceVersion=since)
        await api.patch(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}})
        await api.patch(f"{CONFIG_MAPS}/b", {"data": {"k": "v"}})

        assert await by_field.told() == ("MODIFIED", "b")
        await by_field.close()


async def test_a_namespace_is_watched_alone_or_with_all():
    """A watch hears of its namespace and of nothing else."""
    async with serving() as api:
        await api.has("other", path=NAMESPACES)
        since = api.server.store.revision
        one, every = await api.watch(CONFIG_MAPS, resourceVersion=since), await api.watch("/api/v1/configmaps", resourceVersion=since)
        await api.has("x", path=f"{NAMESPACES}/other/configmaps")
        await api.has("y")

        assert await one.told() == ("ADDED", "y")
        assert [await every.told(), await every.told()] == [("ADDED", "x"), ("ADDED", "y")]
        await one.close()
        await every.close()


async def test_a_revision_that_is_forgotten_or_was_never_given_is_refused_in_the_stream():
    """The client must list again; a watch that just stayed silent would hide what it missed."""
    async with serving() as api:
        await api.has("a")
        for revision in (1, 999):
            if revision == 1:
                api.server.store.collection("configmaps").history.floor = 5
            watch = await api.watch(CONFIG_MAPS, resourceVersion=revision)
            event = await watch.next()
            assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")
            with pytest.raises(StopAsyncIteration):
                await watch.next()
        assert (await api.get(CONFIG_MAPS, watch="true", resourceVersion="abc")).code == 400


async def test_a_slow_watch_costs_nothing_and_is_told_to_list_again():
    """One client that stops reading must not fill the server's memory, nor hold up the others."""
    async with serving() as api:
        history = History(api.server.store.revision, max_events=10, max_bytes=1 << 20)
        api.server.store._collections["configmaps"] = Collection(history)
        slow = await api.watch(CONFIG_MAPS, resourceVersion=api.server.store.revision)
        quick = await api.watch(CONFIG_MAPS, resourceVersion=api.server.store.revision)
        for number in range(30):
            await api.has(f"a{number}")
            assert await quick.told() == ("ADDED", f"a{number}")

        event = await slow.next()
        assert (event["type"], event["object"]["code"]) == ("ERROR", 410)
        assert history.end - history._forgotten <= 10
        await quick.close()


@virtual
async def test_a_watch_ends_when_its_time_is_up_with_a_bookmark():
    """The client goes on from there with another server, or with this one."""
    server = await _virtual_server()
    watch = await Api(server).watch(CONFIG_MAPS, timeoutSeconds=7, allowWatchBookmarks="true", resourceVersion=4)
    began = asyncio.get_running_loop().time()
    events = await watch.rest()

    assert asyncio.get_running_loop().time() - began == pytest.approx(7)
    assert [(event["type"], event["object"]["metadata"]["resourceVersion"]) for event in events] == [("BOOKMARK", "4")]
    await server.close()


@virtual
async def test_bookmarks_come_now_and_then_to_those_who_asked():
    """A quiet kind on a busy server: its watchers stay within what is remembered."""
    server = await _virtual_server()
    with_bookmarks = await Api(server).watch(CONFIG_MAPS, timeoutSeconds=100, resourceVersion=4, allowWatchBookmarks="true")
    without = await Api(server).watch(CONFIG_MAPS, timeoutSeconds=100, resourceVersion=4)

    assert [event["type"] for event in await with_bookmarks.rest()] == ["BOOKMARK"] * 4
    assert await without.rest() == []
    await server.close()


async def test_no_bookmark_passes_over_what_was_not_told():
    """A client that goes on from a bookmark never hears of what lies before it: also when much that is not its own lies between."""
    async with serving() as api:
        await api.has("other", path=NAMESPACES)
        watch = await api.watch(CONFIG_MAPS, resourceVersion=api.server.store.revision, allowWatchBookmarks="true")
        await asyncio.gather(*(api.has(f"x{number}", path=f"{NAMESPACES}/other/configmaps") for number in range(600)))
        await api.has("mine")
        for open_watch in api.server.store.collection("configmaps").watches:
            open_watch.finish()

        assert [event["type"] for event in await watch.rest()] == ["ADDED", "BOOKMARK"]


async def _virtual_server() -> Server:
    return await Server.open(virtual_process("api"), MemoryJournal())


async def test_metadata_alone_can_be_watched():
    """Collectors of garbage and caches of names need no more."""
    async with serving() as api:
        watch = await api.watch(CONFIG_MAPS, resourceVersion=4, accept=METADATA_ONLY)
        await api.has("a", data={"k": "v"})
        event = await watch.next()

        assert event["object"]["kind"] == "PartialObjectMetadata"
        assert set(event["object"]) == {"kind", "apiVersion", "metadata"}
        await watch.close()


async def test_all_watchers_get_the_same_bytes():
    """An object is encoded once, however many watch it."""
    async with serving() as api:
        watches = [await api.watch(CONFIG_MAPS, resourceVersion=api.server.store.revision) for _ in range(3)]
        await api.has("a")
        (event,) = api.server.store.collection("configmaps").history.read(0, 10) or ()

        assert event.line is event.line
        assert {await watch.told() for watch in watches} == {("ADDED", "a")}
        for watch in watches:
            await watch.close()


async def test_watches_of_a_kind_end_with_the_kind():
    """A client that waits for objects of a kind that is gone would wait for ever."""
    async with serving(background=True) as api:
        await with_widgets(api)
        await api.has("w", path=WIDGETS)
        watch = await api.watch(WIDGETS, resourceVersion=api.server.store.revision)
        await api.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com")

        assert [event["type"] for event in await watch.rest()] == ["DELETED"]


async def test_a_watch_that_is_let_go_is_forgotten():
    """Clients come and go for weeks."""
    async with serving() as api:
        watch = await api.watch(CONFIG_MAPS)
        assert len(api.server.store.collection("configmaps").watches) == 1
        await watch.close()

        assert len(api.server.store.collection("configmaps").watches) == 0
