"""What a request looks like when it leaves, and how its connection goes on."""

import asyncio

import pytest
from tests.support.fake_api import FakeApi, Hangs, Meet, bare_server, event, says, streams

from holdfast.api.wire import Answer, Request, Unreachable
from holdfast.kube.http_transport import HttpTransport, Limits

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def noting(seen: list[bytes], *answers: bytes) -> Meet:
    """Answers each piece that arrives with the next of these."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            seen.append(await reader.read(65536))
            writer.write(answer)
        await reader.read()

    return meet


async def test_a_request_leaves_in_one_piece():
    """A head that travels alone costs both sides one more wake-up, and a record of TLS."""
    seen: list[bytes] = []
    async with bare_server(noting(seen, ANSWER)) as address:
        transport = HttpTransport(f"http://{address}/below")
        request = Request("POST", "/a%2Fb", (("dryRun", "All"),), {"content-type": "application/json"}, b'{"a": 1}')
        assert await transport.send(request) == Answer(200, {"content-length": "2"}, b"{}")
        await transport.close()

    head, body = seen[0].split(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    assert line == "POST /below/a%2Fb?dryRun=All HTTP/1.1"
    assert sorted(fields) == ["accept-encoding: identity", "content-length: 8", "content-type: application/json", f"host: {address}"]
    assert body == b'{"a": 1}'


@pytest.mark.parametrize("method, length", [("POST", "0"), ("DELETE", "0"), ("GET", None)])
async def test_a_request_without_a_body_says_so(api: FakeApi, transport: HttpTransport, method: str, length: str | None):
    """A server may refuse a POST that leaves its length open; a GET has none to tell."""
    api.answers(says({}))

    await transport.send(Request(method, "/"))

    assert api.requests[0].headers.get("content-length") == length


async def test_a_field_that_comes_several_times_is_one_list():
    """Servers send each warning in a field of its own; who reads the last one alone is not warned."""
    answer = ANSWER.replace(b"\r\n\r\n", b'\r\nWarning: 299 - "one"\r\nwarning: 299 - "two"\r\n\r\n')
    async with bare_server(noting([], answer)) as address:
        transport = HttpTransport(f"http://{address}")
        assert (await transport.send(Request("GET", "/"))).headers["warning"] == '299 - "one", 299 - "two"'
        await transport.close()


async def test_what_comes_before_the_answer_is_passed_over():
    """Servers and proxies may send hints first: 1xx is never the answer."""
    async with bare_server(noting([], b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ANSWER)) as address:
        transport = HttpTransport(f"http://{address}")
        assert (await transport.send(Request("GET", "/"))).status == 200
        await transport.close()


async def test_an_answer_without_a_body_is_whole():
    """HEAD and 204 announce what does not come; waiting for it would take a minute each time."""
    promised = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
    nothing = b"HTTP/1.1 204 No Content\r\n\r\n"
    async with bare_server(noting([], promised, nothing, ANSWER)) as address:
        transport = HttpTransport(f"http://{address}")
        assert (await transport.send(Request("HEAD", "/"))).body == b""
        assert (await transport.send(Request("GET", "/"))).status == 204
        assert (await transport.send(Request("GET", "/"))).body == b"{}"
        await transport.close()


async def test_a_body_that_nobody_reads_is_answered_all_the_same():
    """Who refuses a large body does so at its head; waiting until it has left would hide the reason for a minute."""
    over, connections = asyncio.Event(), 0

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(ANSWER.replace(b"200 OK", b"413 Too Large"))
        await over.wait()
        writer.transport.abort()

    async with bare_server(meet) as address:
        transport = HttpTransport(f"http://{address}", limits=Limits(answer=5))
        for _ in range(2):  # what is left of the first body must not come before the second request
            assert (await transport.send(Request("POST", "/", body=b"x" * 20_000_000))).status == 413
        assert connections == 2
        over.set()
        await transport.close()


async def test_a_redirect_is_an_answer(api: FakeApi, transport: HttpTransport):
    """The token goes to the server that was named, or nowhere."""
    api.answers(says({}, 307, location="http://127.0.0.1:1/"))

    assert (await transport.send(Request("GET", "/"))).status == 307
    assert len(api.requests) == 1


@pytest.mark.parametrize("field", ["a\r\nx: y", "a\nb"])
async def test_a_header_never_becomes_two(transport: HttpTransport, field: str):
    """Whatever a caller was given for a header, it must not write requests of its own."""
    with pytest.raises(ValueError, match="header"):
        await transport.send(Request("GET", "/", headers={"user-agent": field}))


async def test_the_connection_of_a_watch_that_ended_serves_on(api: FakeApi, transport: HttpTransport):
    """Watches end every few minutes; each would else cost a handshake."""
    api.answers(streams(event("ADDED", {})), says({}))
    stream = await transport.open(Request("GET", "/"))
    assert not isinstance(stream, Answer)

    pieces = [piece async for piece in stream]
    await transport.send(Request("GET", "/"))
    await stream.close()

    assert b"".join(pieces) == event("ADDED", {})
    assert api.connections == 1


async def test_a_connection_with_half_an_answer_is_not_used_again(api: FakeApi, transport: HttpTransport):
    """What is left of one answer must not be read as the next."""
    api.answers(streams(event("ADDED", {}), then="silence"), says({"is": "mine"}))
    stream = await transport.open(Request("GET", "/"))
    assert not isinstance(stream, Answer)

    await stream.close()

    assert (await transport.send(Request("GET", "/"))).body == b'{"is": "mine"}'
    assert api.connections == 2


async def test_a_call_that_is_given_up_takes_its_connection_along(api: FakeApi):
    """Its answer may still come, and belongs to nobody."""
    api.answers(Hangs(), says({"is": "mine"}))
    transport = HttpTransport(api.url, limits=Limits(answer=0.05))

    with pytest.raises(Unreachable):
        await transport.send(Request("GET", "/"))

    assert (await transport.send(Request("GET", "/"))).body == b'{"is": "mine"}'
    assert api.connections == 2
    await transport.close()
