"""A plain HTTP server that answers two lists, one pod and one watch with prepared bytes, so that only clients are measured.

It knows no more of HTTP than its clients use, or it would be slower than the fastest of them. Prints its port and serves until
its standard input ends.
"""

import asyncio
import sys
from urllib.parse import parse_qs, urlsplit

from bench import objects

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_PIECE = 2**18


class Pages:
    """Every answer, made once: no client waits for it in the rounds that count."""

    def __init__(self) -> None:
        self._everything = {
            "nodes": ("Node", [objects.node(n) for n in range(objects.NODES)]),
            "pods": ("Pod", [objects.pod(n) for n in range(objects.PODS)]),
        }
        self._made: dict[bytes, bytes] = {}
        self.events = b"".join(objects.events())

    def of(self, target: bytes) -> bytes:
        if target not in self._made:
            asked = urlsplit(target.decode())
            body = self._body(asked.path.strip("/").split("/")[2:], {key: values[0] for key, values in parse_qs(asked.query).items()})
            self._made[target] = _HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
        return self._made[target]

    def _body(self, parts: list[str], query: dict[str, str]) -> bytes:
        if parts[0] == "namespaces":
            return objects.whole("Pod", objects.pod(int(parts[3].removeprefix("pod-"))))
        kind, items = self._everything[parts[0]]
        start = int(query.get("continue", 0))
        end = start + (int(query.get("limit", 0)) or len(items))
        return objects.listing(kind, items[start:end], str(end) if end < len(items) else "")


class Connection(asyncio.Protocol):
    """One client. Its requests have no bodies."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._unread = b""
        self._transport: asyncio.Transport | None = None
        self._told: int | None = None
        self._is_full = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=4 * _PIECE)

    def data_received(self, data: bytes) -> None:
        *requests, self._unread = (self._unread + data).split(b"\r\n\r\n")
        for request in requests:
            self._answer(request.split(b" ", 2)[1])

    def _answer(self, target: bytes) -> None:
        assert self._transport is not None
        lowered = target.lower()
        if b"watch=true" not in lowered and b"watch=1" not in lowered:
            self._transport.write(self._pages.of(target))
            return
        self._transport.write(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        if b"/pods?" in target and self._told is None:
            self._told = 0
            self._tell()

    def _tell(self) -> None:
        """The next pieces of the watch, as long as the client takes them."""
        assert self._transport is not None
        while self._told is not None and self._told < len(self._pages.events) and not self._is_full:
            piece = self._pages.events[self._told : self._told + _PIECE]
            self._told += _PIECE
            self._transport.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        self._tell()


async def main() -> None:
    pages = Pages()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(pages), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(main())
