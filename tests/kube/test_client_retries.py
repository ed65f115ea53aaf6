"""What is sent again, and what never is."""

import asyncio

import pytest
from tests.support.fake_api import Breaks, FakeApi, refuses, says

from holdfast.api.core import ConfigMap, Node
from holdfast.api.errors import NotFound, ServiceUnavailable, TooManyRequests
from holdfast.api.meta import ObjectMeta
from holdfast.api.wire import Answer, Request, Unreachable
from holdfast.kube.client import Client
from holdfast.kube.http_transport import HttpTransport
from holdfast.kube.keys import Key
from holdfast.kube.retry import Patience, wait_after_answer, wait_after_failure
from holdfast.kube.unreachable import NotSent, Silenced, Untrusted
from holdfast.process import Process, Randomness, Tasks

N1 = says({"metadata": {"name": "n1"}})
DRAWS = Randomness(7)
GET = Request("GET", "/")
PATCH = Request("PATCH", "/")


async def test_a_read_that_broke_is_read_again(client: Client, api: FakeApi):
    """Reading twice harms nobody."""
    api.answers(Breaks(), Breaks(), N1)

    assert (await client.get(Node, "n1")).metadata.name == "n1"


@pytest.mark.parametrize("verb", ["create", "patch"])
async def test_a_write_that_broke_is_not_sent_again(client: Client, api: FakeApi, verb: str):
    """It may have happened: a second one could undo what others did in between."""
    api.answers(Breaks(), N1)

    with pytest.raises(Unreachable):
        if verb == "create":
            await client.create(Node(metadata=ObjectMeta(name="n1")))
        else:
            await client.patch(Node, "n1", "", {"spec": {"unschedulable": True}})
    assert len(api.requests) == 1


async def test_a_kept_connection_that_breaks_does_not_send_a_write_twice(client: Client, api: FakeApi):
    """The library below must not repeat what we would not."""
    api.answers(N1, Breaks(), N1)
    await client.get(Node, "n1")

    with pytest.raises(Unreachable):
        await client.patch(Node, "n1", "", {})
    assert len(api.requests) == 2


async def test_a_delete_that_broke_and_is_gone_has_deleted(client: Client, api: FakeApi):
    """The first attempt did it: to say NotFound would be to deny our own work."""
    removed: list[tuple[Key, str]] = []
    client.deleted.append(lambda _type, key, uid: removed.append((key, uid)))
    api.answers(N1, Breaks(), refuses(404, "NotFound"))
    await client.get(Node, "n1")  # so that the delete goes over a kept connection, which the library would repeat on its own

    await client.delete(Node, "n1", uid="u")

    assert removed == [(Key("", "n1"), "u")]
    assert len(api.requests) == 3


async def test_a_delete_of_what_is_not_there_is_not_found(client: Client, api: FakeApi):
    """Nothing broke, so nothing of ours deleted it."""
    api.answers(refuses(404, "NotFound"))

    with pytest.raises(NotFound):
        await client.delete(Node, "n1")


async def test_a_server_that_restarts_is_waited_for(api: FakeApi, transport: HttpTransport):
    """A refused connection is a request that never left, so even a write is sent again."""
    client = Client(transport, Process("test", randomness=Randomness(1)), patience=Patience(attempts=10_000, first=0.001, most=0.001))
    attempts: list[int] = []
    refused_twice = asyncio.Event()

    def observe(method: str, code: int, seconds: float) -> None:
        attempts.append(code)
        if attempts.count(0) == 2:
            refused_twice.set()

    client.observer = observe
    api.answers(N1, says({"metadata": {"name": "c"}}, 201))
    await client.get(Node, "n1")
    await api.stop()

    async with Tasks() as tasks:
        creating = tasks.spawn(client.create(ConfigMap(metadata=ObjectMeta(name="c", namespace="default"))), name="create")
        await refused_twice.wait()
        await api.start()
        made = await creating

    assert made.metadata.name == "c"
    assert [request.method for request in api.requests] == ["GET", "POST"]


async def test_a_server_that_is_away_is_told_after_bounded_attempts(api: FakeApi, client: Client):
    """Patience ends, with the address and the reason."""
    attempts: list[int] = []
    client.observer = lambda _method, code, _seconds: attempts.append(code)
    await api.stop()

    with pytest.raises(NotSent) as caught:
        await client.get(Node, "n1")

    assert str(caught.value) == f"cannot reach the Kubernetes API at {api.url} (connection refused)"
    assert attempts == [0] * 5


async def test_a_dead_process_does_not_try_again(api: FakeApi, transport: HttpTransport):
    """Nobody waits for its answer any more."""
    process = Process("test")
    attempts: list[int] = []
    client = Client(transport, process, observer=lambda _method, code, _seconds: attempts.append(code))
    api.answers(Breaks(), N1)
    process.die()

    with pytest.raises(Unreachable):
        await client.get(Node, "n1")
    assert attempts == [0]


@pytest.mark.parametrize("code, reason", [(429, "TooManyRequests"), (503, "ServiceUnavailable")])
async def test_a_server_that_says_later_is_asked_later(client: Client, api: FakeApi, code: int, reason: str):
    """It did not act, so a write may be sent again too."""
    api.answers(refuses(code, reason, retry_after="0"), refuses(code, reason, retry_after="0"), N1)

    assert (await client.patch(Node, "n1", "", {"spec": {}})).metadata.name == "n1"
    assert len(api.requests) == 3


async def test_a_server_that_is_unavailable_without_a_word_of_later_is_not_asked_again(client: Client, api: FakeApi):
    """Nobody said that it would help, or that nothing was done."""
    api.answers(refuses(503, "ServiceUnavailable"))

    with pytest.raises(ServiceUnavailable):
        await client.get(Node, "n1")


async def test_a_server_that_asks_for_minutes_is_left_to_the_caller(client: Client, api: FakeApi):
    """A worker must not sleep in the client, and must not come early either."""
    api.answers(refuses(429, "TooManyRequests", retry_after="600"))

    with pytest.raises(TooManyRequests):
        await client.get(Node, "n1")
    assert len(api.requests) == 1


async def test_every_attempt_is_observed(client: Client, api: FakeApi):
    """Metrics count what was sent, not what was asked for."""
    observed: list[tuple[str, int, bool]] = []
    client.observer = lambda method, code, seconds: observed.append((method, code, seconds >= 0))
    api.answers(Breaks(), refuses(429, "TooManyRequests"), N1)

    await client.get(Node, "n1")

    assert observed == [("GET", 0, True), ("GET", 429, True), ("GET", 200, True)]


def test_the_named_wait_is_kept_and_spread():
    """Never early, and not all clients at the same moment."""
    told = Answer(429, {"retry-after": "3"})
    waits = {wait_after_answer(told, 1, Patience(), DRAWS) for _ in range(50)}

    assert all(wait is not None and 3 <= wait <= 3.75 for wait in waits)
    assert len(waits) > 10


@pytest.mark.parametrize(
    "headers, body, least",
    [
        ({}, b'{"details": {"retryAfterSeconds": 2}}', 2),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, b"", 0.1),
        ({"retry-after": "-5"}, b"", 0.1),
        ({"retry-after": "\u0663"}, b"\xff", 0.1),
        ({}, b"<html>", 0.1),
    ],
)
def test_a_wait_is_taken_from_wherever_it_is_told(headers: dict[str, str], body: bytes, least: float):
    """Status or header; what can not be read counts as not told."""
    wait = wait_after_answer(Answer(429, headers, body), 1, Patience(), DRAWS)

    assert wait is not None
    assert least <= wait < least * 2


def test_waits_grow_with_jitter_up_to_a_bound():
    """A server that comes back must not meet all its clients in the same instant."""
    patience = Patience(attempts=99, first=0.1, most=5)
    for attempt, least in [(1, 0.1), (2, 0.2), (3, 0.4), (6, 3.2), (7, 5), (60, 5)]:
        waits = {wait_after_failure(GET, NotSent(), attempt, patience, DRAWS) for _ in range(20)}
        assert all(wait is not None and least <= wait <= least * 1.5 for wait in waits)
        assert len(waits) > 10


@pytest.mark.parametrize(
    "request_, failure, again",
    [
        (PATCH, NotSent(), True),
        (PATCH, Unreachable(), False),
        (Request("DELETE", "/"), Unreachable(), True),
        (GET, Unreachable(), True),
        (GET, Silenced(), False),
        (GET, Untrusted(), False),
    ],
)
def test_only_what_does_no_harm_is_sent_again(request_: Request, failure: Unreachable, again: bool):
    """The whole rule in one table."""
    assert (wait_after_failure(request_, failure, 1, Patience(), DRAWS) is not None) is again
