"""``holdfast manager``: the controllers against any Kubernetes API."""

import logging
import os
import socket
from contextlib import AsyncExitStack
from pathlib import Path

from msgspec import Struct

from holdfast.cli.output import complain
from holdfast.cli.reach import reached
from holdfast.cli.running import run_until_stopped
from holdfast.plane import preflight
from holdfast.plane.manager import Manager
from holdfast.plane.status_page import shown
from holdfast.process import Process


class Wanted(Struct, frozen=True, kw_only=True):
    """The command line."""

    kubeconfig: Path | None
    context: str | None
    namespace: str
    metrics_port: int


def serve(wanted: Wanted) -> None:
    """Run a manager until it is stopped."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    run_until_stopped(lambda: _work(wanted))


async def _work(wanted: Wanted) -> None:
    process = Process(f"{socket.gethostname()}-{os.getpid()}")
    async with AsyncExitStack() as stack:
        connection = await stack.enter_async_context(reached(process, wanted.kubeconfig, wanted.context))
        await preflight.check(connection.client, wanted.namespace)
        manager = Manager(connection.client, process, namespace=wanted.namespace)
        page = await stack.enter_async_context(shown(manager, wanted.metrics_port))
        complain(f"holdfast: manager {process.name} works on namespace {wanted.namespace} of {connection.server}.")
        complain(f"Metrics: {page}/metrics. Stop it with Ctrl-C.")
        await manager.run()
