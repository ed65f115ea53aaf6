"""``holdfast manager``: the controllers against any Kubernetes API."""

import asyncio
import logging
import os
import re
import socket
from contextlib import AsyncExitStack
from pathlib import Path

from msgspec import Struct

from holdfast.cli.output import complain
from holdfast.cli.reach import reached
from holdfast.cli.running import run_until_stopped
from holdfast.kube.collector import pauses_measured, relax, settle
from holdfast.kube.retry import IMPATIENT
from holdfast.plane import preflight
from holdfast.plane.manager import Manager
from holdfast.plane.status_page import shown
from holdfast.process import Process


class Wanted(Struct, frozen=True, kw_only=True):
    """The command line."""

    kubeconfig: Path | None
    context: str | None
    namespace: str
    name: str | None
    metrics_port: int


def serve(wanted: Wanted) -> None:
    """Run a manager until it is stopped."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    relax()
    run_until_stopped(lambda: _work(wanted))


async def _work(wanted: Wanted) -> None:
    process = Process(wanted.name or default_name())
    async with reached(process, wanted.kubeconfig, wanted.context, patience=IMPATIENT) as first_look:
        await preflight.check(first_look.client, wanted.namespace)  # whoever starts it by a mistake shall not wait for the answer
    async with AsyncExitStack() as stack:
        connection = await stack.enter_async_context(reached(process, wanted.kubeconfig, wanted.context))
        manager = Manager(connection.client, process, namespace=wanted.namespace, after_sync=settle)
        stack.enter_context(pauses_measured(manager.runtime.metrics))
        page = await stack.enter_async_context(shown(manager, wanted.metrics_port))
        complain(f"holdfast: manager {process.name} works on namespace {wanted.namespace} of {connection.server}.")
        complain(f"Metrics: {page}/metrics. Stop it with Ctrl-C.")
        try:
            await manager.run()
        except asyncio.CancelledError:
            await manager.leave()
            raise


def default_name() -> str:
    """The host, which in a cluster is the pod and stays the same when its container restarts, and what tells two on one host apart."""
    host = re.sub(r"[^a-z0-9-]+", "-", socket.gethostname().lower())[:50].strip("-")
    return f"{host or 'host'}-{os.getpid()}"
