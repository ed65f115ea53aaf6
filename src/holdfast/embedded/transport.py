"""A way into the server without sockets, which can die like a connection.

After ``kill`` nothing comes out of it any more: calls raise ``Unreachable``, also those that were waiting for an answer; what
had reached the server by then may or may not have been done, as with a real connection.
"""

from typing import Protocol

from holdfast.api.wire import Answer, Request, Stream, Unreachable
from holdfast.embedded.watching import Watch


class Handler(Protocol):
    async def handle(self, request: Request) -> Answer | Stream: ...


class InProcess:
    """An ``api.wire.Transport`` to a server in the same process."""

    def __init__(self, server: Handler) -> None:
        self._server = server
        self._is_cut = False
        self._streams: dict[_Line, None] = {}  # in the order of their opening: a set's order differs from run to run

    async def send(self, request: Request) -> Answer:
        found = await self._handled(request)
        if isinstance(found, Answer):
            return found
        try:
            pieces = [piece async for piece in found]
        finally:
            await found.close()
        return Answer(200, {"content-type": "application/json"}, b"".join(pieces))

    async def open(self, request: Request) -> Answer | Stream:
        found = await self._handled(request)
        if isinstance(found, Answer):
            return found
        line = _Line(self, found)
        self._streams[line] = None
        return line

    async def close(self) -> None:
        """End the open streams as a client does that hangs up; further calls are refused."""
        self._is_cut = True
        for stream in tuple(self._streams):
            await stream.close()

    def kill(self) -> None:
        self._is_cut = True
        for stream in tuple(self._streams):
            stream.cut()

    async def _handled(self, request: Request) -> Answer | Stream:
        self.check()
        found = await self._server.handle(request)
        self.check()
        return found

    def check(self) -> None:
        if self._is_cut:
            raise Unreachable("the transport is cut")

    def forget(self, line: "_Line") -> None:
        self._streams.pop(line, None)


class _Line:
    """A stream that ends in ``Unreachable`` when its transport is killed."""

    def __init__(self, transport: InProcess, stream: Stream) -> None:
        self._transport = transport
        self._stream = stream
        self._pieces = aiter(stream)
        self._is_cut = False

    def __aiter__(self) -> "_Line":
        return self

    async def __anext__(self) -> bytes:
        try:
            if not self._is_cut:
                piece = await anext(self._pieces)
                if not self._is_cut:
                    return piece
        except StopAsyncIteration:
            if not self._is_cut:
                self._transport.forget(self)
                raise
        raise Unreachable("the stream is cut")

    async def close(self) -> None:
        self._transport.forget(self)
        await self._stream.close()

    def cut(self) -> None:
        self._is_cut = True
        self._transport.forget(self)
        # Whoever waits for the next piece wakes up and finds the line cut.
        if isinstance(self._stream, Watch):
            self._stream.end()
