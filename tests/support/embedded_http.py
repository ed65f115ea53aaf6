"""An embedded API behind its HTTPS front, and a plain client for what lies below Kubernetes' words."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from msgspec import Struct
from tests.support.embedded import embedded_api

from holdfast.embedded.http import Front, serve
from holdfast.process import Process


class Caller(Struct, frozen=True):
    """Speaks HTTPS to a front, with its token unless told otherwise."""

    front: Front
    session: aiohttp.ClientSession

    def call(self, method: str, path: str, *, token: str | None = None, **more: Any) -> Any:
        """A request; use as ``async with``. An empty token sends none."""
        given = self.front.token if token is None else token
        headers = {**({"Authorization": f"Bearer {given}"} if given else {}), **more.pop("headers", {})}
        return self.session.request(method, self.front.url + path, headers=headers, **more)

    async def json(self, method: str, path: str, **more: Any) -> tuple[int, Any]:
        async with self.call(method, path, **more) as answer:
            return answer.status, await answer.json()


@asynccontextmanager
async def caller_of(front: Front) -> AsyncIterator[Caller]:
    context = ssl.create_default_context(cafile=str(front.ca_file))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=context)) as session:
        yield Caller(front, session)


@asynccontextmanager
async def http_api(folder: Path, *, body_seconds: float = 30.0) -> AsyncIterator[Front]:
    """An API in memory, served on a free port until the block ends."""
    async with (
        embedded_api() as server,
        serve(server, Process("front"), port=0, data_dir=folder, body_seconds=body_seconds) as front,
    ):
        yield front
