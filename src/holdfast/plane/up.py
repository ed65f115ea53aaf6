"""A whole control plane in one process: an embedded API, managers, and nodes whose disks are numbers.

The order of a start: the folder is ours, the store is read, the kinds are served, the door opens, then the workers begin. What
can fail by a person's mistake fails before anything is changed. The end is the reverse, and nothing has to be saved at it:
whatever was acknowledged is in the journal already.
"""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from holdfast.agent.agent import Agent
from holdfast.agent.simulated import SimulatedDriver
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.embedded.http import Front, PortInUse, serve
from holdfast.embedded.journal import DataFolderError
from holdfast.embedded.server import Server
from holdfast.embedded.sqlite_journal import SqliteJournal
from holdfast.kube.client import Client
from holdfast.plane import foundation
from holdfast.plane.data_folder import held
from holdfast.plane.failure import Failure
from holdfast.plane.manager import Manager
from holdfast.process import Process, Tasks

NAMESPACE = "longhorn-system"
LOOPBACK = "127.0.0.1"
#: After so many seconds without a word, a look at why is due.
_LONG = 2.0


class Shape(Struct, frozen=True, kw_only=True):
    """What shall run. Sizes are in bytes; port 0 takes any free one."""

    folder: Path
    port: int
    nodes: int
    disks: int
    disk_size: int
    managers: int

    @property
    def node_names(self) -> tuple[str, ...]:
        return tuple(f"node-{number}" for number in range(1, self.nodes + 1))

    @property
    def disk_names(self) -> tuple[str, ...]:
        return tuple(f"disk-{number}" for number in range(1, self.disks + 1))


class Running(Struct, frozen=True, kw_only=True):
    """What runs, for the person who started it."""

    url: str
    kubeconfig: Path
    disks: tuple[DiskSchedule, ...]
    silent_nodes: tuple[str, ...]
    """Nodes of an earlier start that nobody speaks for now."""
    hindrance: str = ""
    """Why no disk has been decided yet, in words."""


@asynccontextmanager
async def running(shape: Shape, *, observer: Callable[[dict[str, Any]], None] | None = None) -> AsyncIterator[Running]:
    """The plane, while the context is open. ``observer`` is told of every committed revision."""
    _check_port(shape.port)
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(held(shape.folder))
        process = Process("holdfast-up")
        try:
            server = await Server.open(process, SqliteJournal(folder))
        except DataFolderError as error:
            raise Failure(str(error)) from error
        stack.push_async_callback(server.close)
        if observer is not None:
            server.record(observer)
        tasks = await stack.enter_async_context(Tasks())
        tasks.spawn(server.run(), name="embedded API")
        client = Client(server.transport(), process)
        await foundation.lay(client, NAMESPACE)
        door = await _opened(stack, server, process, shape)
        workers = await stack.enter_async_context(Tasks())
        managers = [_manager(server, number) for number in range(1, shape.managers + 1)]
        for manager in managers:
            workers.spawn(manager.run(), name=manager.runtime.process.name)
        for node in shape.node_names:
            workers.spawn(_agent(server, node, shape).run(), name=f"agent of {node}")
        workers.spawn(foundation.keep(client, process, NAMESPACE), name="foundation")
        disks, hindrance = await _decided_or_hindered(client, managers[0], shape)
        names = {node.metadata.name for node in (await client.list(LonghornNode, NAMESPACE)).items}
        silent = tuple(sorted(names - set(shape.node_names)))
        yield Running(url=door.url, kubeconfig=door.kubeconfig, disks=disks, silent_nodes=silent, hindrance=hindrance)


async def _opened(stack: AsyncExitStack, server: Server, process: Process, shape: Shape) -> Front:
    try:
        return await stack.enter_async_context(serve(server, process, port=shape.port, data_dir=shape.folder))
    except PortInUse as error:
        raise Failure(f"{error} (--port).") from error
    except OSError as error:
        raise Failure(f"the data folder {shape.folder} cannot be used: {error.strerror or error}.") from error


def _check_port(port: int) -> None:
    """Before anything is touched. Somebody may still take the port until the door opens; that fails in the same words."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            raise port_failure(error, port) from error


def port_failure(error: OSError, port: int) -> Failure:
    """Why the door can not open there."""
    problem = "is in use, perhaps by another holdfast up" if error.errno == errno.EADDRINUSE else f"can not be used: {error.strerror}"
    return Failure(f"port {port} of {LOOPBACK} {problem}. Choose another with --port (0 takes any free one).")


def _manager(server: Server, number: int) -> Manager:
    process = Process(f"manager-{number}")
    return Manager(_own_client(server, process), process, namespace=NAMESPACE)


def _agent(server: Server, node: str, shape: Shape) -> Agent:
    process = Process(f"agent-{node}")
    driver = SimulatedDriver(node, dict.fromkeys(shape.disk_names, shape.disk_size))
    return Agent(_own_client(server, process), process, driver, node=node, namespace=NAMESPACE)


def _own_client(server: Server, process: Process) -> Client:
    transport = server.transport()
    process.at_death(transport.kill)
    return Client(transport, process, user_agent=f"holdfast/{process.name}")


async def _decided_or_hindered(client: Client, manager: Manager, shape: Shape) -> tuple[tuple[DiskSchedule, ...], str]:
    """The books of all disks; or none, and why there can be none for now."""
    while True:
        try:
            async with asyncio.timeout(_LONG):
                return await _decided(manager, shape), ""
        except TimeoutError:
            if hindrance := await foundation.ending(client, NAMESPACE):
                return (), hindrance


async def _decided(manager: Manager, shape: Shape) -> tuple[DiskSchedule, ...]:
    """The books of all disks that run, once each has been decided for the first time."""
    changed = asyncio.Event()
    books = manager.runtime.caches.of(DiskSchedule)
    stop = manager.runtime.caches.on_change(DiskSchedule, lambda _change: changed.set())
    try:
        while True:
            changed.clear()
            found = [schedule for schedule in books.all() if schedule.spec.node_id in shape.node_names and schedule.status.limit.policy]
            wanted = {(schedule.spec.node_id, schedule.spec.name) for schedule in found if schedule.spec.name in shape.disk_names}
            if len(wanted) >= shape.nodes * shape.disks:
                return tuple(sorted(found, key=lambda schedule: (schedule.spec.node_id, schedule.spec.name)))
            await changed.wait()
    finally:
        stop()
