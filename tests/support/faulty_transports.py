"""Transports that hurt: one lets somebody else be faster, one dies in the middle, one does not hear what changes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from holdfast.api.wire import Answer, Request, Stream, Transport, Unreachable


class Outrun:
    """Before a request of ours is sent, ``somebody`` may do something else first."""

    def __init__(self, inner: Transport, somebody: Callable[[Request], Awaitable[None]]) -> None:
        self._inner = inner
        self._somebody = somebody

    async def send(self, request: Request) -> Answer:
        await self._somebody(request)
        return await self._inner.send(request)

    async def open(self, request: Request) -> Answer | Stream:
        return await self._inner.open(request)

    async def close(self) -> None:
        await self._inner.close()

    def kill(self) -> None:
        self._inner.kill()


class Mortal:
    """The server acts on the last request of this life, and nobody hears the answer. Watches do not count."""

    def __init__(self, inner: Transport, requests: int) -> None:
        self._inner = inner
        self._left = requests
        self.has_died = asyncio.Event()

    async def send(self, request: Request) -> Answer:
        if self.has_died.is_set():
            raise Unreachable("this process is dead")
        self._left -= 1
        if self._left > 0:
            return await self._inner.send(request)
        self.has_died.set()
        await self._inner.send(request)
        self.kill()
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]  # never done

    async def open(self, request: Request) -> Answer | Stream:
        if self.has_died.is_set():
            raise Unreachable("this process is dead")
        return await self._inner.open(request)

    async def close(self) -> None:
        await self._inner.close()

    def kill(self) -> None:
        self._inner.kill()


class Deaf:
    """Watches of one kind are opened and tell nothing, so a cache stays as it was first listed."""

    def __init__(self, inner: Transport, plural: str) -> None:
        self._inner = inner
        self._plural = plural

    async def send(self, request: Request) -> Answer:
        return await self._inner.send(request)

    async def open(self, request: Request) -> Answer | Stream:
        return _Silence() if request.path.endswith(f"/{self._plural}") else await self._inner.open(request)

    async def close(self) -> None:
        await self._inner.close()

    def kill(self) -> None:
        self._inner.kill()


class _Silence:
    """A stream that stays open and says nothing."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]  # never done

    async def close(self) -> None:
        """There is nothing to let go of."""
