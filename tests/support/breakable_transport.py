"""A transport whose connections a test may break and mend, over any other transport."""

import asyncio
from collections.abc import AsyncIterator

from holdfast.api.wire import Answer, Request, Stream, Transport, Unreachable


class Breakable:
    """As a network between a process and its server."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self._streams: set[_Line] = set()
        self._is_down = False

    def goes_down(self) -> None:
        """Cut everything that is open; nothing comes through until ``comes_up``."""
        self._is_down = True
        for stream in self._streams:
            stream.cut.set()

    def comes_up(self) -> None:
        self._is_down = False

    async def send(self, request: Request) -> Answer:
        self._check()
        answer = await self._inner.send(request)
        self._check()
        return answer

    async def open(self, request: Request) -> Answer | Stream:
        self._check()
        opened = await self._inner.open(request)
        if isinstance(opened, Answer):
            return opened
        line = _Line(opened)
        self._streams.add(line)
        return line

    async def close(self) -> None:
        await self._inner.close()

    def kill(self) -> None:
        self._inner.kill()

    def _check(self) -> None:
        if self._is_down:
            raise Unreachable("the network is down")


class _Line:
    def __init__(self, inner: Stream) -> None:
        self._inner = inner
        self.cut = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = aiter(self._inner)
        loop = asyncio.get_running_loop()
        while True:
            piece = loop.create_task(anext(pieces, None))
            cut = loop.create_task(self.cut.wait())
            try:
                await asyncio.wait((piece, cut), return_when=asyncio.FIRST_COMPLETED)
            finally:
                cut.cancel()
                if not piece.done():
                    piece.cancel()
                    await asyncio.wait((piece,))
            if self.cut.is_set():
                raise Unreachable("the connection was reset")
            found = piece.result()
            if found is None:
                return
            yield found

    async def close(self) -> None:
        await self._inner.close()
