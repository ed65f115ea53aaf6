"""One request and its answer over a kept connection: what lies between a transport and the sockets.

aiohttp's session does far more for each request than a client of one API server needs (cookies, redirects, proxies, tracing, a
task that writes), which costs more than all else that a client does. So a request is written here in one piece and its answer is
read from the connection: aiohttp's pool of connections, its writer and its parser, without the session above them. With that goes
a habit of sessions: to send a DELETE again on their own when a kept connection breaks.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from typing import Any
from weakref import WeakSet

import aiohttp
from aiohttp.connector import Connection
from aiohttp.http import HttpProcessingError, RawResponseMessage, StreamWriter
from yarl import URL

#: What is read ahead of a body, and what is thought of as large.
_BUFFER = 2**18
#: A connection that nobody uses is kept so long, in seconds: shorter than servers (90) and most things in between (60) keep theirs, or
#: a request would leave on one that is just being closed. Making a new one costs as much as ten requests.
_IDLE = 45.0
#: Networks within a cluster are faster than compression.
_ENCODING = "identity"


class NotHttp(aiohttp.ClientError):
    """What answers there does not speak HTTP."""


class Reply:
    """The head of an answer and the way to its body. It holds its connection until all is read."""

    def __init__(self, connection: Connection, message: RawResponseMessage, content: aiohttp.StreamReader, sent: int) -> None:
        self.status = message.code
        self.headers = message.headers
        self._connection = connection
        self._content = content
        # A large body that was refused may not have been read, and may not even have left.
        self._is_clean = sent <= _BUFFER or self.status < 400
        self._body: bytes | None = None

    async def read(self) -> bytes:
        """The whole body; it may be asked for again."""
        if self._body is not None:
            return self._body
        content = self._content
        try:
            # Most bodies came with their head.
            self._body = content.read_nowait() if content.is_eof() else await content.read()
        except BaseException:
            self._connection.close()
            raise
        self._give_back()
        return self._body

    async def piece(self) -> bytes:
        """What has come of the body; empty at its end."""
        piece = await self._content.readany()
        if not piece:
            self._give_back()
        return piece

    def _give_back(self) -> None:
        if self._is_clean:
            self._connection.release()
        else:
            self._connection.close()

    def abandon(self) -> None:
        """Nothing more is wanted of it: a farewell over TLS would wait for a server that may never answer."""
        if self._connection.transport is not None:
            self._connection.transport.abort()
        self._connection.close()


class Exchanges:
    """The connections to one server. Made and used within one loop."""

    def __init__(self, server: str, *, tls: ssl.SSLContext | None, tls_server_name: str, connect_seconds: float) -> None:
        url = URL(server, encoded=True)
        #: The open sockets.
        self.sockets: WeakSet[socket.socket] = WeakSet()
        self._loop = asyncio.get_running_loop()
        self._prefix = url.raw_path.rstrip("/")
        self._headers = {"host": url.host_port_subcomponent or "", "accept-encoding": _ENCODING}
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=connect_seconds)
        # Never sent: it tells the pool whom to connect to.
        self._whom = aiohttp.ClientRequest("GET", url, loop=self._loop, server_hostname=tls_server_name or None)
        self._pool = aiohttp.TCPConnector(
            ssl=tls if tls is not None else True,
            # The number of callers bounds the number of connections; a queue here would only hide that a request never left.
            limit=0,
            keepalive_timeout=_IDLE,
            socket_factory=self._socket,
        )

    async def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """The head of the answer to a request. Raises errors of aiohttp and of the system."""
        fields = {**self._headers, **headers}
        if body or method not in {"GET", "HEAD"}:
            fields["content-length"] = str(len(body))
        connection = await self._connection()
        protocol = connection.protocol
        if protocol is None:
            raise aiohttp.ServerDisconnectedError
        try:
            protocol.set_response_params(skip_payload=method == "HEAD", read_until_eof=True, read_bufsize=_BUFFER)
            writer = StreamWriter(protocol, self._loop)
            await writer.write_headers(f"{method} {self._prefix}{target} HTTP/1.1", fields)  # type: ignore[arg-type]  # any mapping does
            if body:
                # Not waiting until it has left: who refuses a large body answers without reading it.
                await writer.write(body, drain=False)
            else:
                writer.send_headers()
            while True:
                message, content = await protocol.read()
                if message.code >= 200:
                    return Reply(connection, message, content, len(body))
        except HttpProcessingError as problem:
            connection.close()
            raise NotHttp from problem
        except BaseException:
            connection.close()
            raise

    async def close(self) -> None:
        await self._pool.close()

    async def _connection(self) -> Connection:
        try:
            return await self._pool.connect(self._whom, [], self._timeout)
        except TimeoutError:
            raise aiohttp.ConnectionTimeoutError from None

    def _socket(self, address: Any) -> socket.socket:
        family, kind, protocol, *_ = address
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
        self.sockets.add(made)
        return made
