"""What a client reads off the wire, whichever way an answer leaves."""

import asyncio
import json
import ssl
from email.utils import parsedate_to_datetime

import pytest
from tests.support.embedded_http import http_api

from holdfast.embedded.http import Front

LONG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "long"}, "data": {"text": "x" * 100_000}}
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


class Wire:
    """One connection, byte by byte."""

    def __init__(self, front: Front, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._authorization = f"Authorization: Bearer {front.token}\r\n"
        self._reader = reader
        self._writer = writer

    def ask(self, line: str, *headers: str, body: bytes = b"") -> None:
        more = "".join(f"{header}\r\n" for header in (*headers, f"Content-Length: {len(body)}"))
        self._writer.write(f"{line}\r\nHost: x\r\n{self._authorization}{more}\r\n".encode() + body)

    async def head(self) -> tuple[int, dict[str, str]]:
        first, *lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
        return int(first.split()[1]), {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        status, headers = await self.head()
        return status, headers, await self._reader.readexactly(int(headers["content-length"]))

    async def rest(self) -> bytes:
        return await self._reader.read()


@pytest.fixture
async def wire(tmp_path):
    async with http_api(tmp_path) as front:
        context = ssl.create_default_context(cafile=str(front.ca_file))
        reader, writer = await asyncio.open_connection("127.0.0.1", front.port, ssl=context)
        yield Wire(front, reader, writer)
        writer.close()
        await writer.wait_closed()


async def test_an_answer_says_what_it_is_and_how_long(wire):
    """A client on a connection that stays open knows the end of an answer by nothing else."""
    wire.ask("GET /version HTTP/1.1")
    status, headers, body = await wire.answer()

    assert (status, headers["content-type"]) == (200, "application/json")
    assert parsedate_to_datetime(headers["date"]).tzinfo is not None
    assert json.loads(body)["major"] == "1"


async def test_answers_come_in_the_order_of_their_requests(wire):
    """Small ones do not overtake large ones that were asked for before."""
    wire.ask(f"POST {CONFIG_MAPS} HTTP/1.1", "Content-Type: application/json", body=json.dumps(LONG).encode())
    wire.ask(f"GET {CONFIG_MAPS}/long HTTP/1.1")
    wire.ask(f"GET {CONFIG_MAPS}/none HTTP/1.1")
    wire.ask("GET /version HTTP/1.1")

    answers = [await wire.answer() for _ in range(4)]

    assert [status for status, _, _ in answers] == [201, 200, 404, 200]
    assert json.loads(answers[1][2])["data"] == LONG["data"]


@pytest.mark.parametrize("line,header", [("GET /version HTTP/1.1", "Connection: close"), ("GET /version HTTP/1.0", "X: y")])
async def test_a_client_that_wants_one_answer_gets_one(wire, line, header):
    """It waits for the end of the connection, not for a length."""
    wire.ask(line, header)
    status, headers, body = await wire.answer()

    assert status == 200
    assert headers.get("connection", "close") == "close"
    assert json.loads(body)
    assert await wire.rest() == b""


async def test_a_head_has_no_body(wire):
    """What follows would be taken for the next answer."""
    wire.ask("HEAD /version HTTP/1.1")
    await wire.head()
    wire.ask("GET /version HTTP/1.1")
    status, _, body = await wire.answer()

    assert status == 200
    assert json.loads(body)["major"] == "1"
