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
    answers = _Answers(manager)
    page.router.add_get("/metrics", answers.metrics)
    page.router.add_get("/healthz", answers.healthy)
    page.router.add_get("/readyz", answers.ready)
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


class _Answers:
    def __init__(self, manager: Manager) -> None:
        self._manager = manager

    async def metrics(self, _request: web.Request) -> web.Response:
        return web.Response(body=await self._manager.runtime.metrics.render(), headers={"content-type": CONTENT_TYPE})

    async def healthy(self, _request: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def ready(self, _request: web.Request) -> web.Response:
        if self._manager.is_ready:
            return web.Response(text="ok\n")
        return web.Response(status=503, text="the caches are not filled yet\n")


def _words(error: OSError, port: int) -> str:
    problem = "it is in use" if error.errno == errno.EADDRINUSE else f"{error.strerror or error}".lower()
    return f"cannot serve metrics on {LOOPBACK} port {port}: {problem}. Choose another with --metrics-port (0 takes any free one)."
