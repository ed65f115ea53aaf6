"""A watch as its user sees it: typed events, and an end that says why."""

import asyncio
import contextlib
from typing import Any

import pytest
from tests.support.fake_api import FakeApi, event, refuses, streams

from holdfast.api.core import ConfigMap, Node
from holdfast.api.errors import ApiError, Expired, Forbidden, Gone, InternalError, TooManyRequests
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.longhorn.disk_schedule import State
from holdfast.api.meta import Object
from holdfast.api.wire import Unreachable
from holdfast.kube.client import Client
from holdfast.kube.http_transport import HttpTransport, Limits
from holdfast.kube.refusals import Unreadable
from holdfast.kube.unreachable import NotSent
from holdfast.kube.watching import WatchEvent
from holdfast.process import Process, Tasks


def node(name: str, version: int, **annotations: str) -> dict[str, Any]:
    return {"kind": "Node", "metadata": {"name": name, "resourceVersion": str(version), "annotations": annotations}}


def error(code: int, reason: str, message: str = "no") -> bytes:
    return event("ERROR", {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message})


async def watched(client: Client, type_: type[Object] = Node, since: str = "5") -> list[WatchEvent[Any]]:
    return [told async for told in client.watch(type_, since=since)]


async def test_changes_arrive_typed_and_in_order(client: Client, api: FakeApi):
    """The same partial type as from get and list, and the revision to go on from."""
    api.answers(streams(event("ADDED", node("a", 6)), event("MODIFIED", node("a", 7)), event("DELETED", node("a", 8))))

    told = await watched(client)

    assert [(each.type, each.object.metadata.name, each.resource_version) for each in told] == [
        ("ADDED", "a", "6"),
        ("MODIFIED", "a", "7"),
        ("DELETED", "a", "8"),
    ]
    assert all(isinstance(each.object, Node) for each in told)


async def test_a_watch_asks_for_bookmarks_and_an_end(client: Client, api: FakeApi):
    """Bookmarks keep the point of resumption fresh; ends at random times keep all watches from ending together."""
    api.answers(*[streams()] * 20)

    for _ in range(20):
        async for _told in client.watch(DiskSchedule, "longhorn-system", since="5", labels="a=b", fields="metadata.name=d"):
            pass

    asked = api.requests[0]
    assert asked.path == "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/diskschedules"
    seconds = {int(request.query["timeoutSeconds"]) for request in api.requests}
    assert all(300 <= each <= 600 for each in seconds)
    assert len(seconds) > 5
    assert asked.query | {"timeoutSeconds": ""} == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "5",
        "timeoutSeconds": "",
        "labelSelector": "a=b",
        "fieldSelector": "metadata.name=d",
    }


async def test_a_bookmark_carries_a_revision_and_nothing_else(client: Client, api: FakeApi):
    """It is no object: whoever took it for one would show an empty one."""
    bookmark = {
        "kind": "DiskSchedule",
        "metadata": {"resourceVersion": "99", "creationTimestamp": None},
        "spec": None,
        "status": {"replicas": None},
    }
    strange = bookmark | {"spec": "not what the type says"}
    api.answers(streams(event("BOOKMARK", bookmark), event("BOOKMARK", strange)))

    told = await watched(client, DiskSchedule)

    assert [(each.type, each.resource_version, each.object.metadata.name) for each in told] == [("BOOKMARK", "99", "")] * 2


@pytest.mark.parametrize("inside", ["\x85", "\u2028", "\u2029", "é", "🧱"])
async def test_an_annotation_with_a_unicode_line_end_does_not_tear_the_watch(client: Client, api: FakeApi, inside: str):
    """Clients that read lines of text break on it for ever: the object comes again with every restart."""
    api.answers(streams(event("ADDED", node("a", 6, note=f"x{inside}y")), event("ADDED", node("b", 7))))

    told = await watched(client)

    assert [each.object.metadata.annotations for each in told] == [{"note": f"x{inside}y"}, {}]


async def test_pieces_cut_within_a_character_are_put_together(client: Client, api: FakeApi):
    """Every byte its own piece: half a character is nothing to decode yet."""
    line = event("ADDED", node("a", 6, note="é🧱\x85"))
    api.answers(streams(*[line[at : at + 1] for at in range(len(line))]))

    (told,) = await watched(client)

    assert told.object.metadata.annotations == {"note": "é🧱\x85"}


async def test_an_object_of_many_megabytes_arrives(client: Client, api: FakeApi):
    """Readers of lines have a limit, 64 KiB or 2 MiB: an object just above it would stop the watch for ever."""
    api.answers(streams(event("ADDED", node("big", 6, note="x" * 8_000_000)), event("ADDED", node("small", 7))))

    told = await watched(client)

    assert [(each.object.metadata.name, len(each.object.metadata.annotations.get("note", ""))) for each in told] == [
        ("big", 8_000_000),
        ("small", 0),
    ]


async def test_empty_lines_are_no_events(client: Client, api: FakeApi):
    """Some servers keep a connection alive with them."""
    api.answers(streams(b"\n\r\n", event("ADDED", node("a", 6)), b"\n  \n"))

    assert len(await watched(client)) == 1


@pytest.mark.parametrize("then", ["end", "cut"])
async def test_half_a_line_at_the_end_is_a_cut_and_no_bad_object(client: Client, api: FakeApi, then: str):
    """The connection failed, so the watch is resumed where it was; nothing is wrong with the object."""
    line = event("ADDED", node("b", 7, note="🧱"))
    api.answers(streams(event("ADDED", node("a", 6)), line[:-6], then=then))
    told = []

    with pytest.raises(Unreachable):
        async for each in client.watch(Node, since="5"):
            told.append(each.object.metadata.name)  # noqa: PERF401 - what came before the cut counts
    assert told == ["a"]


async def test_a_cut_between_two_lines_is_told(client: Client, api: FakeApi):
    """Without it a cut would pass for the server's own end."""
    api.answers(streams(event("ADDED", node("a", 6)), then="cut"))

    with pytest.raises(Unreachable):
        await watched(client)


async def test_a_server_that_ends_the_watch_ends_it_without_an_error(client: Client, api: FakeApi):
    """Every few minutes it does: to resume then costs nothing."""
    api.answers(streams())

    assert await watched(client) == []


@pytest.mark.parametrize(
    "code, reason, expected",
    [(410, "Expired", Expired), (410, "Gone", Gone), (410, "", Expired), (500, "InternalError", InternalError), (0, "", ApiError)],
)
async def test_an_error_event_ends_the_watch_with_its_type(client: Client, api: FakeApi, code: int, reason: str, expected: type[ApiError]):
    """After a 410 the history is lost, and only a new list helps: the same revision again would fail for ever."""
    api.answers(streams(event("ADDED", node("a", 6)), error(code, reason, "too old resource version")))

    with pytest.raises(expected, match="too old resource version"):
        await watched(client)


async def test_an_error_event_for_a_type_that_looks_like_a_status_is_an_error_too(client: Client, api: FakeApi):
    """A Status decodes as a ConfigMap without complaint."""
    api.answers(streams(error(410, "Expired")))

    with pytest.raises(Expired):
        await watched(client, ConfigMap)


@pytest.mark.parametrize(
    "answer, expected",
    [(refuses(410, "Expired"), Expired), (refuses(403, "Forbidden"), Forbidden), (refuses(429, "TooManyRequests"), TooManyRequests)],
)
async def test_a_refused_watch_has_the_type_of_the_refusal(client: Client, api: FakeApi, answer: Any, expected: type[ApiError]):
    """And is not tried again here: whoever keeps the cache waits as it needs."""
    api.answers(answer)

    with pytest.raises(expected):
        await watched(client)
    assert len(api.requests) == 1


async def test_a_watch_of_a_server_that_is_away_is_unreachable_at_once(client: Client, api: FakeApi):
    """One connection, one attempt: two loops of attempts inside each other make a storm."""
    attempts: list[tuple[str, int]] = []
    client.observer = lambda method, code, _seconds: attempts.append((method, code))
    await api.stop()

    with pytest.raises(NotSent):
        await watched(client)
    assert attempts == [("WATCH", 0)]


async def test_an_event_that_can_not_be_read_is_told_with_its_field(client: Client, api: FakeApi):
    """To skip it would leave an old object in the cache for ever."""
    api.answers(streams(event("MODIFIED", {"metadata": {"name": "d"}, "status": {"replicas": {"r": {"state": "unheard-of"}}}})))

    with pytest.raises(Unreadable, match="unheard-of"):
        await watched(client, DiskSchedule)


@pytest.mark.parametrize(
    "line",
    [
        b"not json\n",
        b"[]\n",
        b'{"type":"SURPRISE","object":{}}\n',
        b'{"object":{}}\n',
        b'{"type":"ADDED"}\n',
        b"\xff\n",
        b'{"x":' + b"[" * 99_999 + b"\n",
    ],
)
async def test_a_line_that_is_no_event_is_told(client: Client, api: FakeApi, line: bytes):
    """Whatever speaks there is no watch of Kubernetes."""
    api.answers(streams(line + b"\n"))

    with pytest.raises(Unreadable):
        await watched(client)


async def test_nulls_of_go_in_an_event_are_empty(client: Client, api: FakeApi):
    """Go writes null for maps and lists that are nil, at every depth."""
    wire = {
        "metadata": {"name": "d", "labels": None, "ownerReferences": None, "resourceVersion": "6"},
        "spec": {"replicas": None},
        "status": {"replicas": {"r": {"state": "scheduled", "scheduledSize": 5, "reason": None}}, "conditions": None},
    }
    api.answers(streams(event("ADDED", wire)))

    (told,) = await watched(client, DiskSchedule)

    assert (told.object.metadata.labels, told.object.spec.replicas, told.object.status.conditions) == ({}, {}, ())
    assert told.object.status.replicas["r"].state is State.SCHEDULED


async def test_leaving_a_watch_early_closes_its_connection(client: Client, api: FakeApi):
    """Else every restart of a cache would leave one open."""
    api.answers(streams(event("ADDED", node("a", 6)), then="silence"))

    async with contextlib.aclosing(client.watch(Node, since="5")) as events:
        async for _first in events:
            break

    await api.was_left.wait()


async def test_silence_longer_than_a_server_may_keep_is_a_cut(api: FakeApi):
    """A peer that froze keeps the connection and says nothing: without a limit the cache would stay old for ever."""
    api.answers(streams(event("ADDED", node("a", 6)), then="silence"))
    transport = HttpTransport(api.url, limits=Limits(silence=0.05))

    with pytest.raises(Unreachable, match=r"no answer within 0.05 s"):
        await watched(Client(transport, Process("test")))
    await transport.close()


async def test_events_arrive_as_they_come_and_not_at_the_end(client: Client, api: FakeApi):
    """A reader that fills its buffer first would hold the last change back until the next."""
    api.answers(streams(event("ADDED", node("a", 6)), then="silence"))
    arrived = asyncio.Event()

    async def follow() -> None:
        async for _each in client.watch(Node, since="5"):
            arrived.set()

    async with Tasks() as tasks:
        tasks.spawn(follow(), name="watch")
        await arrived.wait()
