"""An API server that says what a test tells it to: a real HTTP server on a real socket, one line of script per request.

For what a good server never does and a network does all the time: cuts, half lines, answers that are no JSON, restarts.
"""

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

from aiohttp import web
from msgspec import Struct


class Seen(Struct, frozen=True):
    """A request as it arrived. The path is still percent-encoded."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Says(Struct, frozen=True):
    """A whole answer."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = {}


class Streams(Struct, frozen=True):
    """An open answer in pieces, and how it goes on after them: "end", "cut" (the connection breaks) or "silence"."""

    pieces: tuple[bytes, ...]
    then: str = "end"


class Breaks(Struct, frozen=True):
    """The connection breaks after the request was read."""


class Hangs(Struct, frozen=True):
    """No answer ever comes."""


Line = Says | Streams | Breaks | Hangs


def says(body: Any, status: int = 200, **headers: str) -> Says:
    """An answer with a JSON body, or with a text as it is. Header names are written with underscores."""
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return Says(data, status, {name.replace("_", "-"): value for name, value in headers.items()})


def refuses(code: int, reason: str, message: str = "no", *, details: dict[str, Any] | None = None, **headers: str) -> Says:
    """A Status that refuses."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": code}
    return says(body | ({"details": details} if details else {}), code, **headers)


def streams(*pieces: bytes, then: str = "end") -> Streams:
    return Streams(pieces, then)


def event(type_: str, obj: dict[str, Any]) -> bytes:
    """A line of a watch."""
    return json.dumps({"type": type_, "object": obj}, ensure_ascii=False).encode() + b"\n"


class FakeApi:
    """Answers each request with the next line of its script, or as ``decides`` says."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Seen] = []
        #: Set when a client leaves before its answer was complete.
        self.was_left = asyncio.Event()
        self.decides: Callable[[Seen], Line] | None = None
        self._reading = asyncio.Event()
        self._script: list[Line] = []
        self._tls = tls
        self._port = 0
        self._runner: web.ServerRunner | None = None
        self._arrived = asyncio.Condition()
        self._going_down: asyncio.Event | None = None
        self._connections: set[asyncio.BaseTransport] = set()

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self._port}"

    @property
    def connections(self) -> int:
        """How many connections requests came over."""
        return len(self._connections)

    def answers(self, *lines: Line) -> None:
        self._script.extend(lines)

    async def start(self) -> None:
        """Listen: on a free port, and after a stop on the same one."""
        self._going_down = asyncio.Event()
        self._runner = web.ServerRunner(web.Server(self._answer, access_log=None, handler_cancellation=True), shutdown_timeout=0.01)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, ssl_context=self._tls, reuse_address=True)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Close everything, as a server that goes down."""
        if self._runner is not None and self._going_down is not None:
            self._going_down.set()
            await self._runner.cleanup()
            self._runner = None

    async def has_seen(self, count: int) -> None:
        """Wait until so many requests have arrived."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)

    async def is_reading(self) -> None:
        """Wait until the head of a request has arrived."""
        await self._reading.wait()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self._reading.set()
        seen = Seen(
            request.method,
            request.rel_url.raw_path,
            dict(request.query),
            {name.lower(): value for name, value in request.headers.items()},
            await request.content.read(),  # unlike request.read(), without a limit of 1 MiB
        )
        if request.transport is not None:
            self._connections.add(request.transport)
        async with self._arrived:
            self.requests.append(seen)
            self._arrived.notify_all()
        line = self.decides(seen) if self.decides else self._script.pop(0) if self._script else says("the script has ended", 500)
        match line:
            case Says(body, status, headers):
                return web.Response(status=status, body=body, headers={"content-type": "application/json"} | headers)
            case Streams(pieces, then):
                return await self._stream(request, pieces, then)
            case Breaks():
                _cut(request)
                return web.Response()
            case Hangs():
                await self._until_stopped()
                return web.Response()

    async def _until_stopped(self) -> None:
        assert self._going_down is not None
        try:
            await self._going_down.wait()
        except asyncio.CancelledError:
            self.was_left.set()
            raise

    async def _stream(self, request: web.BaseRequest, pieces: Iterable[bytes], then: str) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "application/json"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
        if then == "cut":
            _cut(request)
        if then == "silence":
            await self._until_stopped()
            _cut(request)
        return response


def _cut(request: web.BaseRequest) -> None:
    if isinstance(request.transport, asyncio.Transport):
        request.transport.close()  # what was written still leaves; nothing more does


@contextlib.asynccontextmanager
async def fake_api(tls: ssl.SSLContext | None = None) -> AsyncIterator[FakeApi]:
    api = FakeApi(tls)
    await api.start()
    try:
        yield api
    finally:
        await api.stop()


Meet = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def bare_server(meet: Meet) -> AsyncIterator[str]:
    """The address (host:port) of a server that knows no HTTP: ``meet`` does with each connection what the test needs."""
    met: list[asyncio.Event] = []

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.append(ended := asyncio.Event())
        with contextlib.suppress(OSError):
            await meet(reader, writer)
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        ended.set()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    for ended in met:
        await ended.wait()
