"""HTTP to a Kubernetes API server.

Rules:

- Bytes come in pieces, never in lines: a reader of lines has a limit, and an object may be larger.
- A request has a time limit; a watch has a limit for silence instead, and the kernel probes its connection, so that a peer that
  vanished without a word is noticed.
- Redirects are not followed and proxies of the environment are not used: the token goes to the server that was named, or nowhere.
- A failure says whether the request may have left (see ``kube.unreachable``).
- After ``kill`` nothing leaves: the sockets are shut at once, and every call that waits raises.
"""

import asyncio
import contextlib
import errno
import socket
import ssl
from collections.abc import AsyncIterator, Coroutine, Iterable
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import aiohttp
from aiohttp.client_exceptions import ClientConnectorDNSError
from msgspec import Struct

from holdfast.api.wire import Answer, Request, Stream, Unreachable
from holdfast.kube.auth import Anonymous, Credentials
from holdfast.kube.deadlines import Deadlines
from holdfast.kube.http_exchange import Exchanges, NotHttp, Reply
from holdfast.kube.unreachable import NotSent, Silenced, Untrusted

R = TypeVar("R")


class Limits(Struct, frozen=True, gc=False, kw_only=True):
    """Seconds: for a connection to come about, for a whole answer, and for the silence of a watch (longer than servers keep one open)."""

    connect: float = 5.0
    answer: float = 60.0
    silence: float = 660.0


DEFAULT_LIMITS = Limits()


class HttpTransport:
    """The way to one server; a ``Transport``. Connections are kept and shared."""

    def __init__(
        self,
        server: str,
        *,
        tls: ssl.SSLContext | None = None,
        tls_server_name: str = "",
        credentials: Credentials | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.server = server.rstrip("/")
        self.limits = limits
        self._tls = tls
        self._tls_server_name = tls_server_name
        self._credentials = credentials or Anonymous()
        self._exchanges: Exchanges | None = None
        self._deadlines = Deadlines()
        self._silenced = ""

    async def send(self, request: Request) -> Answer:
        return await self.bounded(self._send(request), self.limits.answer)

    async def open(self, request: Request) -> Answer | Stream:
        return await self.bounded(self._open(request), self.limits.answer)

    async def close(self) -> None:
        self._silence("closed")
        if self._exchanges is not None:
            await self._exchanges.close()

    def kill(self) -> None:
        self._silence("killed")
        for connection in self._exchanges.sockets if self._exchanges is not None else ():
            # Not close: the loop still knows the descriptor. What was only about to be written fails now.
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _silence(self, how: str) -> None:
        self._silenced = self._silenced or how
        self._deadlines.end_all()

    async def bounded(self, call: Coroutine[Any, Any, R], seconds: float) -> R:
        """The result of one exchange with the server, or ``Unreachable``."""
        if self._silenced:
            call.close()
            raise Silenced(f"the connection to {self.server} was {self._silenced}")
        try:
            async with asyncio.timeout(None) as limit:
                self._deadlines.add(limit, seconds)
                try:
                    return await call
                finally:
                    self._deadlines.discard(limit)
        except (aiohttp.ClientError, OSError) as failure:
            if self._silenced:
                raise Silenced(f"the connection to {self.server} was {self._silenced}") from None
            raise _told(self.server, failure, seconds) from failure

    async def _send(self, request: Request) -> Answer:
        return await _whole(await self._respond(request))

    async def _open(self, request: Request) -> Answer | Stream:
        reply = await self._respond(request)
        return _Pieces(self, reply) if reply.status == 200 else await _whole(reply)

    async def _respond(self, request: Request) -> Reply:
        """The head of the answer. A 401 is answered once, with a token that is newer than the one refused, if there is one."""
        shown = await self._credentials.authorization()
        reply = await self._request(request, shown)
        if reply.status == 401:
            await reply.read()  # gives the connection back, whatever comes next
            await self._credentials.renew(shown)
            newer = await self._credentials.authorization()
            if newer != shown:
                return await self._request(request, newer)
        return reply

    async def _request(self, request: Request, authorization: str) -> Reply:
        query = f"?{urlencode(request.query, quote_via=quote)}" if request.query else ""
        headers = {**request.headers, "authorization": authorization} if authorization else request.headers
        return await self._connected().send(request.method, request.path + query, headers, request.body)

    def _connected(self) -> Exchanges:
        # Not before there is a loop.
        if self._exchanges is None:
            self._exchanges = Exchanges(
                self.server, tls=self._tls, tls_server_name=self._tls_server_name, connect_seconds=self.limits.connect
            )
        return self._exchanges


class _Pieces:
    """The open end of a watch."""

    def __init__(self, transport: HttpTransport, reply: Reply) -> None:
        self._transport = transport
        self._reply = reply

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        piece = await self._transport.bounded(self._reply.piece(), self._transport.limits.silence)
        if not piece:
            raise StopAsyncIteration
        return piece

    async def close(self) -> None:
        self._reply.abandon()


async def _whole(reply: Reply) -> Answer:
    body = await reply.read()
    return Answer(reply.status, _fields(reply.headers.items()), body)


def _fields(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Header fields by their names; one that came several times is one list, as RFC 9110 has it: each warning comes by itself."""
    fields: dict[str, str] = {}
    for name, value in headers:
        lower = name.lower()
        fields[lower] = f"{fields[lower]}, {value}" if lower in fields else value
    return fields


def _told(server: str, failure: Exception, seconds: float) -> Unreachable:
    """The failure as one of ours, with a reason in a few words."""
    where = f"cannot reach the Kubernetes API at {server}"
    if isinstance(failure, aiohttp.ClientConnectorCertificateError):
        problem = failure.certificate_error
        words = getattr(problem, "verify_message", "") or str(problem)
        return Untrusted(f"{where} (its certificate is not trusted: {words})")
    secured = failure.os_error if isinstance(failure, aiohttp.ClientConnectorError) else failure.__cause__ or failure
    if isinstance(secured, ssl.SSLError):
        return Untrusted(f"{where} ({_tls_words(secured)})")
    if isinstance(failure, ClientConnectorDNSError):
        return NotSent(f"{where} (the host name is not known)")
    if isinstance(failure, aiohttp.ClientConnectorError):
        return NotSent(f"{where} ({_os_words(failure.os_error)})")
    if isinstance(failure, aiohttp.ConnectionTimeoutError):
        return NotSent(f"{where} (no connection in time)")
    if isinstance(failure, TimeoutError):
        return Unreachable(f"{where} (no answer within {seconds:g} s)")
    if isinstance(failure, NotHttp):
        return Unreachable(f"{where} (what answers there does not speak HTTP)")
    if isinstance(failure, OSError) and failure.errno:
        return Unreachable(f"{where} ({_os_words(failure)})")
    return Unreachable(f"{where} (the connection was closed before the answer was complete)")


def _os_words(failure: OSError) -> str:
    named = {errno.ECONNREFUSED: "connection refused", errno.ECONNRESET: "connection reset", errno.EHOSTUNREACH: "no route to host"}
    return named.get(failure.errno or 0) or (failure.strerror or str(failure)).lower()


def _tls_words(failure: ssl.SSLError) -> str:
    reason = failure.reason or ""
    if reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG"):
        return "it does not speak TLS; is the address right?"
    if "ALERT" in reason:
        return f"it does not accept our client certificate: {reason.replace('_', ' ').lower()}"
    return f"TLS failed: {reason.replace('_', ' ').lower() or failure}"
