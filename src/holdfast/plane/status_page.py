"""What a manager shows of itself over HTTP, on loopback: ``/metrics`` for Prometheus, ``/healthz`` and ``/readyz`` for probes."""

import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from holdfast.kube.metrics import CONTENT_TYPE
from holdfast.plane.failure import Failure
from holdfast.plane.manager import Manager

LOOPBACK = "127.0.0.1"


@asynccontextmanager
async def shown(manager: Manager, port: int) -> AsyncIterator[str]:
    """Serve the page of a manager; gives its address. Port 0 takes any free one."""
    page = web.Application()
    page.router.add_get("/metrics", lambda _request: _metrics(manager))
    page.router.add_get("/healthz", _healthy)
    page.router.add_get("/readyz", lambda _request: _ready(manager))
    runner = web.AppRunner(page, access_log=None, handle_signals=False, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, LOOPBACK, port)
        try:
            await site.start()
        except OSError as error:
            raise Failure(_words(error, port)) from error
        yield f"http://{LOOPBACK}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def _metrics(manager: Manager) -> web.Response:
    return web.Response(body=await manager.runtime.metrics.render(), headers={"content-type": CONTENT_TYPE})


async def _healthy(_request: web.Request) -> web.Response:
    return web.Response(text="ok\n")


async def _ready(manager: Manager) -> web.Response:
    if manager.is_ready:
        return web.Response(text="ok\n")
    return web.Response(status=503, text="the caches are not filled yet\n")


def _words(error: OSError, port: int) -> str:
    problem = "it is in use" if error.errno == errno.EADDRINUSE else f"{error.strerror or error}".lower()
    return f"cannot serve metrics on {LOOPBACK} port {port}: {problem}. Choose another with --metrics-port (0 takes any free one)."
