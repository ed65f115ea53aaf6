"""The HTTPS front: loopback, TLS, a bearer token, and nothing of meaning.

A request becomes an ``api.wire.Request`` and goes to the server; what comes back goes out. What is decided here is only what
belongs to the wire: who may speak at all, and how much and how slowly. Refusals are Status objects here too.
"""

import asyncio
import errno
import hmac
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Protocol

from aiohttp import web
from msgspec import Struct

from holdfast.api.errors import ApiError, BadRequest, RequestEntityTooLarge, ServerTimeout, Unauthorized
from holdfast.api.struct import encode
from holdfast.api.wire import Answer, Request, Stream
from holdfast.embedded.bodies import MAX_BODY
from holdfast.embedded.certificates import Certificates
from holdfast.embedded.discovery import OPEN_PATHS
from holdfast.embedded.kubeconfig_file import ensure_token, write_kubeconfig
from holdfast.embedded.small_answers import SmallAnswer, suits
from holdfast.process import Clock, Process

HOST: Final = "127.0.0.1"
#: A request line and a header field may be this long; kube-apiserver allows about as much in all.
_MAX_LINE: Final = 64 * 1024
_MAX_HEADER: Final = 64 * 1024
#: A body that takes longer is cut off.
BODY_SECONDS: Final = 30.0
#: How long open requests may take to end when the server stops.
_FAREWELL_SECONDS: Final = 0.3


class PortInUse(Exception):
    """Another program listens on the port."""


class Handler(Protocol):
    """The server behind the front."""

    async def handle(self, request: Request) -> Answer | Stream: ...


class Front(Struct, frozen=True):
    """How to reach a server that is being served."""

    url: str
    token: str
    ca_file: Path
    kubeconfig: Path
    port: int


@asynccontextmanager
async def serve(
    server: Handler, process: Process, *, port: int, data_dir: Path, body_seconds: float = BODY_SECONDS
) -> AsyncIterator[Front]:
    """Serve on loopback until the block is left; port 0 takes a free one. Raises ``PortInUse``, or ``OSError`` for the folder."""
    listener = _listen(port)
    try:
        certificates = Certificates(data_dir)
        context = certificates.ensure(process)
        token = ensure_token(data_dir, process)
    except BaseException:
        listener.close()
        raise
    bridge = _Bridge(server, token, body_seconds, process.clock)
    runner = web.ServerRunner(
        web.Server(
            bridge.handle,
            handler_cancellation=True,
            access_log=None,
            logger=_silent(),
            max_line_size=_MAX_LINE,
            max_field_size=_MAX_HEADER,
            keepalive_timeout=90,  # as kube-apiserver does; clients give up theirs earlier
            # a small body must not become a large one
            auto_decompress=False,
        ),
        shutdown_timeout=_FAREWELL_SECONDS,
    )
    await runner.setup()
    try:
        site = web.SockSite(runner, listener, ssl_context=context)
        await site.start()
        actual = listener.getsockname()[1]
        front = Front(
            url=f"https://{HOST}:{actual}", token=token, ca_file=certificates.ca_file, kubeconfig=data_dir / "kubeconfig", port=actual
        )
        write_kubeconfig(front.kubeconfig, front.url, front.ca_file, token)
        yield front
        await site.stop()
    finally:
        await bridge.end_streams()
        await runner.cleanup()
        listener.close()


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # A server that was just stopped leaves connections in TIME_WAIT; they are no reason to refuse the port.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as failure:
        listener.close()
        if failure.errno == errno.EADDRINUSE:
            raise PortInUse(f"port {port} of {HOST} is in use by another program; choose another port, or 0 for any free one") from None
        raise
    listener.setblocking(False)
    return listener


class _Bridge:
    """Between aiohttp and the server."""

    def __init__(self, server: Handler, token: str, body_seconds: float, clock: Clock) -> None:
        self._server = server
        self._token = f"Bearer {token}".encode()
        self._body_seconds = body_seconds
        self._clock = clock
        self._streams: set[Stream] = set()

    async def end_streams(self) -> None:
        """End the open watches, so that stopping does not wait for them."""
        for stream in tuple(self._streams):
            await stream.close()

    async def handle(self, http: web.BaseRequest) -> web.StreamResponse:
        try:
            self._check_token(http)
            request = Request(
                method=http.method,
                path=http.rel_url.raw_path,
                query=tuple(http.rel_url.query.items()),
                headers={name.lower(): value for name, value in http.headers.items()},
                body=await self._body(http),
            )
        except ApiError as refusal:
            return _whole(_refused(refusal), close=refusal.actual_code != Unauthorized.code)
        found = await self._server.handle(request)
        if not isinstance(found, Answer):
            return await self._stream(http, found)
        return SmallAnswer(found, http, self._clock.now()) if suits(found, http) else _whole(found)

    def _check_token(self, http: web.BaseRequest) -> None:
        if http.method in {"GET", "HEAD"} and http.rel_url.raw_path.rstrip("/") in OPEN_PATHS:
            return
        given = http.headers.get("Authorization", "").encode(errors="replace")
        if not hmac.compare_digest(given, self._token):
            raise Unauthorized("Unauthorized")

    async def _body(self, http: web.BaseRequest) -> bytes:
        if not http.can_read_body:
            return b""
        if http.content_length is not None and http.content_length > MAX_BODY:
            raise _too_large()
        if http.content.is_eof():
            # It came with its head, as small bodies do: there is nothing to wait for.
            whole = http.content.read_nowait()
            if len(whole) > MAX_BODY:
                raise _too_large()
            return whole
        pieces, size = [], 0
        try:
            async with asyncio.timeout(self._body_seconds):
                async for piece in http.content.iter_any():
                    size += len(piece)
                    if size > MAX_BODY:
                        raise _too_large()
                    pieces.append(piece)
        except TimeoutError:
            raise ServerTimeout("the body of the request took too long", code=408) from None
        except (web.RequestPayloadError, ValueError) as problem:
            raise BadRequest(f"the body of the request could not be read: {problem}") from None
        return b"".join(pieces)

    async def _stream(self, http: web.BaseRequest, stream: Stream) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Cache-Control": "no-cache, private"})
        response.enable_chunked_encoding()
        self._streams.add(stream)
        try:
            await response.prepare(http)
            async for piece in stream:
                await response.write(piece)
            await response.write_eof()
        except ConnectionError:
            # The client has hung up; a watch ends like this more often than not.
            return response
        finally:
            self._streams.discard(stream)
            await stream.close()
        return response


def _silent() -> logging.Logger:
    """A log that goes nowhere: what strangers send is answered, and is no news."""
    logger = logging.Logger("holdfast.http", logging.CRITICAL + 1)  # noqa: LOG001 - one of its own, that nobody can turn on by chance
    logger.propagate = False
    return logger


def _too_large() -> RequestEntityTooLarge:
    return RequestEntityTooLarge(f"Request entity too large: limit is {MAX_BODY}")


def _whole(answer: Answer, *, close: bool = False) -> web.Response:
    response = web.Response(status=answer.status, body=answer.body, headers=dict(answer.headers))
    if close:
        # what is left of a body that was refused must not be taken for the next request
        response.force_close()
    return response


def _refused(refusal: ApiError) -> Answer:
    return Answer(refusal.actual_code, {"content-type": "application/json"}, encode(refusal.status()))
