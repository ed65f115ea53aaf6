"""The end of a transport: after it nothing leaves, nothing waits, nothing leaks."""

import pytest
from tests.support.fake_api import Breaks, FakeApi, Hangs, event, says, streams

from holdfast.api.core import Node
from holdfast.api.wire import Request, Unreachable
from holdfast.kube.client import Client
from holdfast.kube.http_transport import HttpTransport, Limits
from holdfast.kube.unreachable import NotSent, Silenced
from holdfast.process import Process, Tasks

GET = Request("GET", "/version")
BIG = Request("POST", "/", body=b"x" * 50_000_000)


@pytest.mark.parametrize("end", ["kill", "close"])
async def test_a_call_that_waits_ends_as_unreachable(api: FakeApi, transport: HttpTransport, end: str):
    """As the death of the process would: the caller never learns an answer."""
    api.answers(Hangs())

    async with Tasks() as tasks:
        call = tasks.spawn(outcome_of(transport, GET), name="call")
        await api.has_seen(1)
        if end == "kill":
            transport.kill()
        else:
            await transport.close()
        assert isinstance(await call, Silenced)


async def outcome_of(transport: HttpTransport, request: Request) -> Exception | None:
    try:
        await transport.send(request)
    except Unreachable as failure:
        return failure
    return None


async def test_a_watch_ends_with_its_transport(api: FakeApi, transport: HttpTransport):
    """A watch would else wait for minutes for bytes that can not come."""
    api.answers(streams(event("ADDED", {"metadata": {"name": "a"}}), then="silence"))
    client = Client(transport, Process("test"))

    with pytest.raises(Silenced):
        async for _each in client.watch(Node, since="1"):
            transport.kill()


async def test_nothing_leaves_after_a_kill(api: FakeApi, transport: HttpTransport):
    """Not even over connections that are open already."""
    api.answers(says({}))
    await transport.send(GET)

    transport.kill()

    for request in (GET, Request("POST", "/")):
        with pytest.raises(Silenced, match="was killed"):
            await transport.send(request)
        with pytest.raises(Silenced):
            await transport.open(request)
    assert len(api.requests) == 1


async def test_a_request_half_written_at_the_kill_never_arrives(api: FakeApi, transport: HttpTransport):
    """Half a body is no request; the rest must not follow from some buffer."""
    api.answers(says({}))

    async with Tasks() as tasks:
        call = tasks.spawn(outcome_of(transport, BIG), name="call")
        await api.is_reading()
        transport.kill()
        assert isinstance(await call, Silenced)
    await api.stop()

    assert api.requests == []


async def test_the_death_of_a_process_silences_its_client(api: FakeApi):
    """What carries its words out dies first, then its tasks."""
    process = Process("test")
    transport = HttpTransport(api.url)
    process.at_death(transport.kill)
    client = Client(transport, process)
    process.die()

    with pytest.raises(Silenced):
        await client.get(Node, "n")
    assert api.requests == []
    await client.close()


async def test_a_client_that_is_closed_says_so(api: FakeApi, client: Client):
    """And does not try again: nobody will open it."""
    attempts: list[int] = []
    client.observer = lambda _method, code, _seconds: attempts.append(code)
    await client.close()

    with pytest.raises(Silenced, match="was closed"):
        await client.get(Node, "n")
    assert attempts == [0]


async def test_closing_twice_or_unused_is_no_harm(api: FakeApi):
    """Owners close in whatever order they end."""
    unused = HttpTransport(api.url)
    await unused.close()
    await unused.close()
    unused.kill()

    with pytest.raises(Silenced):
        await unused.send(GET)


async def test_an_answer_that_never_comes_is_given_up(api: FakeApi):
    """Whether the server acted is unknown, so it is not said that the request never left."""
    api.answers(Hangs())
    transport = HttpTransport(api.url, limits=Limits(answer=0.05))

    with pytest.raises(Unreachable, match=r"no answer within 0.05 s") as caught:
        await transport.send(GET)
    assert not isinstance(caught.value, NotSent)
    await transport.close()


async def test_a_broken_connection_leaves_open_what_happened(api: FakeApi, transport: HttpTransport):
    """The request arrived: only the answer is missing."""
    api.answers(Breaks())

    with pytest.raises(Unreachable) as caught:
        await transport.send(Request("POST", "/"))
    assert type(caught.value) is Unreachable
    assert len(api.requests) == 1


@pytest.mark.parametrize(
    "server, words", [("http://no-such-host.invalid", "the host name is not known"), ("http://127.0.0.1:1", "connection refused")]
)
async def test_a_server_that_can_not_be_found_is_told_as_never_sent(server: str, words: str):
    """So that it may be tried again, and so that the reader looks at the address."""
    transport = HttpTransport(server)

    with pytest.raises(NotSent) as caught:
        await transport.send(GET)
    assert str(caught.value) == f"cannot reach the Kubernetes API at {server} ({words})"
    await transport.close()


async def test_a_path_below_the_server_is_kept(api: FakeApi):
    """Management planes serve many clusters under one address."""
    api.answers(says({}))
    transport = HttpTransport(api.url + "/k8s/clusters/c-1/")

    await transport.send(Request("GET", "/api/v1/nodes/a%2Fb", (("labelSelector", "a in (b, c)"),)))

    assert api.requests[0].path == "/k8s/clusters/c-1/api/v1/nodes/a%2Fb"
    assert api.requests[0].query == {"labelSelector": "a in (b, c)"}
    await transport.close()


async def test_a_large_body_arrives_whole(api: FakeApi, transport: HttpTransport):
    """A definition with a long schema is larger than libraries expect."""
    api.answers(says({}))
    body = b"x" * 3_000_000

    await transport.send(Request("POST", "/", headers={"content-type": "application/json"}, body=body))

    assert api.requests[0].body == body
    assert api.requests[0].headers["content-type"] == "application/json"


async def test_one_connection_serves_many_requests(api: FakeApi, transport: HttpTransport):
    """A connection and a TLS handshake for each would cost more than the request."""
    api.answers(*[says({})] * 10)

    for _ in range(10):
        await transport.send(GET)

    assert api.connections == 1
