"""Whatever answers at the address, the caller gets a failure that it knows."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.fake_api import Meet, bare_server

from holdfast.api.wire import Request, Stream, Unreachable
from holdfast.kube.http_transport import HttpTransport, Limits

GET = Request("GET", "/version")
OK = b"HTTP/1.1 200 OK\r\n"


def answering(data: bytes) -> Meet:
    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(data)
        await writer.drain()

    return meet


async def outcome(data: bytes) -> str:
    """How a request ends that is answered with these bytes and a closed connection; anything but the two ways fails the test."""
    async with bare_server(answering(data)) as address:
        transport = HttpTransport(f"http://{address}", limits=Limits(answer=5, silence=5))
        try:
            opened = await transport.open(GET)
            if hasattr(opened, "status"):
                return "answer"
            stream: Stream = opened
            try:
                async for _piece in stream:
                    pass
            finally:
                await stream.close()
        except Unreachable as failure:
            return str(failure).partition("(")[2].rstrip(")")
        finally:
            await transport.close()
    return "stream"


@pytest.mark.parametrize(
    "data, words",
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "what answers there does not speak HTTP"),
        (b"\x00\xff" * 100 + b"\r\n\r\n", "what answers there does not speak HTTP"),
        (b"HTTP/1.1 99999 X\r\n\r\n", "what answers there does not speak HTTP"),
        (OK + b"x: " + b"a" * 1_000_000, "what answers there does not speak HTTP"),
        (b"", "the connection was closed before the answer was complete"),
        (OK, "the connection was closed before the answer was complete"),
        (OK + b"Content-Length: 100\r\n\r\nhalf", "the connection was closed before the answer was complete"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhalf", "the connection was closed before the answer was complete"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "what answers there does not speak HTTP"),
        (OK + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain", "the connection was closed before the answer was complete"),
    ],
    ids=["ssh", "noise", "no status", "endless header", "nothing", "half a head", "half a body", "half a chunk", "no chunk", "no gzip"],
)
async def test_what_is_no_answer_is_no_answer(data: bytes, words: str):
    """Half an object must never pass for a whole one."""
    assert await outcome(data) == words


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.sampled_from([b"", OK, OK + b"Transfer-Encoding: chunked\r\n\r\n", OK + b"Content-Length: 30\r\n\r\n"]))
def test_no_bytes_break_the_client(noise: bytes, head: bytes):
    """Only failures that callers know, never one from a library below."""
    assert asyncio.run(outcome(head + noise))
