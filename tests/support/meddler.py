"""A proxy before an API server that meddles: it cuts, holds back, delays, refuses, and writes down what passed.

It speaks TLS on both sides, so it can cut a watch in the middle of a line and answer in the server's place. Whoever shows a token
is passed on with the token and nothing else; everybody else is passed on as somebody who may do everything.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from tests.support.certificates import Authority
from tests.support.real_control_plane import ControlPlane

from holdfast.api.struct import encode
from holdfast.kube.connect import find
from holdfast.process import SystemClock

#: Headers of one connection, which do not travel on.
_OF_ONE_HOP = frozenset({"connection", "content-length", "content-encoding", "host", "transfer-encoding"})
_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Meddler:
    """Lets everything pass until told otherwise."""

    def __init__(self, plane: ControlPlane, folder: Path) -> None:
        self._behind = find(plane.kubeconfig, None, {}, SystemClock())
        self._tls_of_nobody = find(plane.kubeconfig_of_token("nobody", "nothing"), None, {}, SystemClock()).tls
        self._authority = Authority(folder, "proxy")
        self._other_authority = Authority(folder, "stranger")
        self._session: aiohttp.ClientSession | None = None
        self._runner: web.ServerRunner | None = None
        self._port = 0
        self._open: dict[Any, None] = {}
        self._is_open = asyncio.Event()
        self._is_open.set()
        self._cuts_next_line = False
        self._refusals: list[tuple[Callable[[web.BaseRequest], bool], int, dict[str, str]]] = []
        self._writes = 0
        self.refuses_every_second_write = False
        #: Seconds for each request and each answer, and for each line of a watch: lines wait for one another.
        self.delay: Callable[[], float] = lambda: 0.0
        self.delay_of_lines: Callable[[], float] = lambda: 0.0
        self.lists = 0
        self.watches = 0
        self.writes = 0
        self.refused = 0
        self.connections: set[Any] = set()

    @property
    def server(self) -> str:
        return f"https://127.0.0.1:{self._port}"

    @property
    def authority(self) -> Path:
        """Whom its callers trust."""
        return self._authority.file

    def cut(self) -> None:
        """Cut every connection, in the middle of whatever is said on it."""
        for transport in tuple(self._open):
            transport.abort()

    def hold(self) -> None:
        """Take requests from now on, and neither pass nor answer them."""
        self._is_open.clear()

    def let_go(self) -> None:
        """Pass on what was held and what comes."""
        self._is_open.set()

    def cut_next_line(self) -> None:
        """Pass half of the next line of a watch, and cut."""
        self._cuts_next_line = True

    def refuse(self, times: int, code: HTTPStatus, *, writes: bool, **headers: str) -> None:
        """Answer the next writes, or the next requests of another kind, in the server's place."""
        self._refusals += [(lambda request: (request.method in _WRITES) == writes, code, headers)] * times

    async def change_certificate(self, *, is_trusted: bool) -> None:
        """Show a certificate of its own authority, or of one that nobody trusts, at the same address. Cuts all connections."""
        await self._end()
        await self._listen(self._authority if is_trusted else self._other_authority)

    async def _listen(self, authority: Authority) -> None:
        self._runner = web.ServerRunner(web.Server(self._handle, access_log=None), handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, ssl_context=authority.serves(), reuse_address=True)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def _end(self) -> None:
        self.cut()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        assert request.transport is not None
        self._open[request.transport] = None
        self.connections.add(request.transport.get_extra_info("peername"))
        try:
            return await self._meddled(request, await request.read())
        except aiohttp.ClientError:
            if request.transport is not None:
                request.transport.abort()
            raise ConnectionResetError("the server behind is away") from None
        finally:
            self._open.pop(request.transport, None)

    async def _meddled(self, request: web.BaseRequest, body: bytes) -> web.StreamResponse:
        is_watch = request.query.get("watch") == "true"
        self._count(request, is_watch)
        await self._is_open.wait()
        for at, (is_meant, code, headers) in enumerate(self._refusals):
            if is_meant(request):
                del self._refusals[at]
                return self._refusal(code, headers)
        if request.method in _WRITES:
            self._writes += 1
            if self.refuses_every_second_write and self._writes % 2 == 0:
                return self._refusal(409, {})
        await asyncio.sleep(self.delay())
        async with self._asked(request, body) as answer:
            if is_watch and answer.status == HTTPStatus.OK:
                return await self._passed_on(request, answer)
            whole = await answer.read()
            await asyncio.sleep(self.delay())
            return web.Response(status=answer.status, headers=_travelling(answer.headers), body=whole)

    def _count(self, request: web.BaseRequest, is_watch: bool) -> None:
        if is_watch:
            self.watches += 1
        elif request.method == "GET":
            self.lists += 1
        elif request.method in _WRITES:
            self.writes += 1

    def _refusal(self, code: int, headers: dict[str, str]) -> web.Response:
        self.refused += 1
        reason = {409: "Conflict", 429: "TooManyRequests"}[code]
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code, "message": "meddled with"}
        return web.Response(status=code, headers={"content-type": "application/json", **headers}, body=encode(status))

    def _asked(self, request: web.BaseRequest, body: bytes) -> Any:
        assert self._session is not None
        shows_token = "authorization" in request.headers
        return self._session.request(
            request.method,
            self._behind.server + request.path_qs,
            headers=_travelling(request.headers),
            data=body or None,
            ssl=(self._tls_of_nobody if shows_token else self._behind.tls) or True,
        )

    async def _passed_on(self, request: web.BaseRequest, answer: aiohttp.ClientResponse) -> web.StreamResponse:
        response = web.StreamResponse(headers=_travelling(answer.headers))
        await response.prepare(request)
        async for line in answer.content:
            await asyncio.sleep(self.delay_of_lines())
            if self._cuts_next_line:
                self._cuts_next_line = False
                await response.write(line[: len(line) // 2])
                assert request.transport is not None
                request.transport.close()  # what was written still arrives
                return response
            await response.write(line)
        return response


def _travelling(headers: Any) -> CIMultiDict[str]:
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in _OF_ONE_HOP)


@asynccontextmanager
async def meddler(plane: ControlPlane, folder: Path) -> AsyncIterator[Meddler]:
    """One, listening on a free port until the block ends."""
    one = Meddler(plane, folder)
    one._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), read_bufsize=2**20)
    try:
        await one._listen(one._authority)
        yield one
    finally:
        one.let_go()
        await one._end()
        await one._session.close()
