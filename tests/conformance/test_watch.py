"""Watches: what happened, in the order in which it happened."""

from tests.support.home import causes
from tests.support.raw_api import METADATA_ONLY, TABLE

_HERE = {"labels": {"here": ""}}
_INITIAL = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}


async def _watch(home, plural="secrets", **query):
    return await home.watch(home.at(plural), **{"labelSelector": "here", **query})


async def test_what_happens_is_told_in_order(home):
    """Whoever applies the events to the list has what the server has."""
    since = (await home.get(home.at("secrets"))).version
    await home.make("secrets", "a", _HERE)
    await home.make("secrets", "b", _HERE)
    await home.patch(home.at("secrets", "a"), {"data": {"k": "dg=="}})
    await home.delete(home.at("secrets", "b"))
    async with await _watch(home, resourceVersion=since) as events:
        assert await events.take(4) == [("ADDED", "a"), ("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")]


async def test_a_watch_tells_what_comes_later(home):
    """It stays open."""
    made = await home.make("secrets", "a", _HERE)
    async with await _watch(home, resourceVersion=made.version) as events:
        await home.make("secrets", "b", _HERE)
        assert await events.take(1) == [("ADDED", "b")]
        await home.delete(home.at("secrets", "a"))
        assert await events.take(1) == [("DELETED", "a")]


async def test_an_event_holds_the_whole_object(home):
    """With the revision of the change; a deleted one as it was last."""
    made = await home.make("secrets", "a", _HERE, data={"k": "dg=="})
    async with await _watch(home, resourceVersion=made.version) as events:
        patched = await home.patch(home.at("secrets", "a"), {"data": {"l": "dg=="}})
        await home.delete(home.at("secrets", "a"))
        changed, gone = await events.next(), await events.next()
    assert changed["object"] == patched.body
    assert (gone["object"]["data"], gone["object"]["kind"]) == (patched.body["data"], "Secret")
    assert int(gone["object"]["metadata"]["resourceVersion"]) > int(patched.version)


async def test_a_watch_without_a_revision_begins_with_what_is_there(home):
    """As if it had been added just now; 0 means the same."""
    for name in "ab":
        await home.make("secrets", name, _HERE)
    for query in ({}, {"resourceVersion": "0"}):
        async with await _watch(home, **query) as events:
            assert sorted(await events.take(2)) == [("ADDED", "a"), ("ADDED", "b")], query


async def test_a_selection_is_watched(home):
    """What comes into it is added, what leaves it is deleted, however it did so."""
    made = await home.make("secrets", "a")
    path = home.at("secrets", "a")
    for labels in ({"x": "1"}, {"x": "1", "y": "1"}, {"x": "2"}, {"x": "1"}):
        await home.patch(path, {"metadata": {"labels": labels}})
    await home.delete(path)
    async with await _watch(home, resourceVersion=made.version, labelSelector="x=1") as events:
        told = [await events.next() for _ in range(5)]
    assert [event["type"] for event in told] == ["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"]
    revisions = [int(event["object"]["metadata"]["resourceVersion"]) for event in told]
    assert revisions == sorted(set(revisions))
    assert told[2]["object"]["metadata"]["labels"] == {"x": "1", "y": "1"}


async def test_one_object_is_watched_by_its_name(home):
    """By a field selector: a watch of its own path is an answer like any other."""
    made = await home.make("secrets", "a")
    async with await home.watch(home.at("secrets"), resourceVersion=made.version, fieldSelector="metadata.name=b") as events:
        await home.make("secrets", "b")
        await home.delete(home.at("secrets", "b"))
        assert await events.take(2) == [("ADDED", "b"), ("DELETED", "b")]
    assert (await home.get(home.at("secrets", "a"), watch="1")).body["kind"] == "Secret"


async def test_finalizers_show_in_the_events(home):
    """Being deleted is a change; going is the end."""
    made = await home.make("secrets", "a", {**_HERE, "finalizers": ["x.y/z"]})
    async with await _watch(home, resourceVersion=made.version) as events:
        await home.delete(home.at("secrets", "a"))
        await home.patch(home.at("secrets", "a"), {"metadata": {"finalizers": None}})
        first, last = await events.next(), await events.next()
    assert (first["type"], last["type"]) == ("MODIFIED", "DELETED")
    assert "deletionTimestamp" in first["object"]["metadata"]
    assert "deletionTimestamp" in last["object"]["metadata"]


async def test_a_watch_ends_when_its_time_is_up(home):
    """Without a word, or with a bookmark."""
    made = await home.make("secrets", "a", _HERE)
    async with await _watch(home, resourceVersion=made.version, timeoutSeconds=1) as events:
        try:
            event = await events.next()
        except StopAsyncIteration:
            event = None
    assert event is None


async def test_a_list_can_be_streamed(home):
    """Initial events, then a bookmark that says that this was all, then what happens."""
    for name in "ab":
        await home.make("secrets", name, _HERE)
    newest = (await home.get(home.at("secrets"))).version
    async with await _watch(home, **_INITIAL) as events:
        assert sorted(await events.take(2)) == [("ADDED", "a"), ("ADDED", "b")]
        bookmark = await events.next()
        assert bookmark["type"] == "BOOKMARK"
        assert bookmark["object"]["kind"] == "Secret"
        assert bookmark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
        assert int(bookmark["object"]["metadata"]["resourceVersion"]) >= int(newest)
        await home.make("secrets", "c", _HERE)
        assert await events.take(1) == [("ADDED", "c")]


async def test_a_streamed_list_needs_no_bookmark(home):
    """Then nobody says where it ends."""
    await home.make("secrets", "a", _HERE)
    async with await _watch(home, sendInitialEvents="true", resourceVersionMatch="NotOlderThan") as events:
        assert await events.take(1) == [("ADDED", "a")]
        await home.make("secrets", "b", _HERE)
        assert await events.take(1) == [("ADDED", "b")]


async def test_options_that_do_not_fit_are_refused(home):
    """Before the watch begins."""
    refusals = []
    for query in (
        {"resourceVersionMatch": "NotOlderThan"},
        {"sendInitialEvents": "true"},
        {**_INITIAL, "resourceVersionMatch": "Exact", "resourceVersion": "1"},
    ):
        reply = await home.refused_watch(home.at("secrets"), **query)
        refusals.append((reply.code, causes(reply)))
    forbidden = ("FieldValueForbidden", "resourceVersionMatch")
    assert [(code, found[0]) for code, found in refusals[:2]] == [(422, forbidden)] * 2
    assert [code for code, _ in refusals] == [422] * 3
    for query in ({"labelSelector": "a b"}, {"fieldSelector": "zz=1"}):
        assert (await home.refused_watch(home.at("secrets"), **query)).code == 400


async def test_a_revision_that_is_forgotten_is_gone(home):
    """The client lists again. Revision 1 is older than everything that a server remembers of itself."""
    await home.make("secrets", "a", _HERE)
    async with await _watch(home, resourceVersion="1") as events:
        event = await events.next()
    assert event["type"] in {"ADDED", "ERROR"}
    if event["type"] == "ERROR":
        assert (event["object"]["code"], event["object"]["reason"]) == (410, "Expired")


async def test_events_come_in_the_form_that_was_asked_for(home):
    """Tables and metadata; only the first table names its columns."""
    made = await home.make("secrets", "z")
    await home.make("secrets", "a", _HERE)
    await home.make("secrets", "b", _HERE)
    async with await home.watch(home.at("secrets"), accept=TABLE, resourceVersion=made.version, labelSelector="here") as events:
        first, second = (await events.next())["object"], (await events.next())["object"]
    assert [table["rows"][0]["cells"][0] for table in (first, second)] == ["a", "b"]
    assert [bool(table.get("columnDefinitions")) for table in (first, second)] == [True, False]
    async with await home.watch(home.at("secrets"), accept=METADATA_ONLY, resourceVersion=made.version, labelSelector="here") as events:
        part = (await events.next())["object"]
    assert (part["kind"], set(part), part["metadata"]["name"]) == ("PartialObjectMetadata", {"kind", "apiVersion", "metadata"}, "a")


async def test_custom_objects_are_watched(widgets):
    """In the version that was asked for."""
    made = await widgets.make("widgets", "a", _HERE)
    async with await _watch(widgets, "widgets", resourceVersion=made.version) as events:
        patched = await widgets.patch(f"{widgets.at('widgets', 'a')}/status", {"status": {"phase": "Ready"}})
        event = await events.next()
    assert (event["type"], event["object"]) == ("MODIFIED", patched.body)


async def test_a_watch_of_a_namespace_that_is_not_there_waits(home):
    """It may come."""
    made = await home.make("secrets", "a")
    path = "/api/v1/namespaces/not-there/secrets"
    async with await home.watch(path, resourceVersion=made.version, timeoutSeconds=1) as events:
        try:
            event = await events.next()
        except StopAsyncIteration:
            event = None
    assert event is None
