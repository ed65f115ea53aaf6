"""The two homes of the same client: our embedded API, and etcd with kube-apiserver. Both durable, both behind TLS, both alone.

A home is started, asked for its first answer, and ended; its memory is that of all its programs.
"""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

from tests.support.real_binaries import binaries
from tests.support.real_control_plane import API, ETCD, ControlPlane

from holdfast.api.core import Namespace
from holdfast.api.errors import ApiError
from holdfast.api.wire import Unreachable
from holdfast.kube.client import Client
from holdfast.kube.connect import connect
from holdfast.kube.retry import Patience
from holdfast.process import Process

_ONCE = Patience(attempts=1)
_BETWEEN_LOOKS = 0.02


class Home(Protocol):
    """A Kubernetes API on this machine."""

    name: str

    async def start(self) -> None:
        """Until the first answer about an object."""
        ...

    def client(self) -> Client: ...

    def processes(self) -> list[int]: ...

    def stop(self) -> None: ...


class Embedded:
    """Ours, in a process of its own."""

    name = "embedded"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kubeconfig = Path()
        self._program: subprocess.Popen[str] | None = None

    async def start(self) -> None:
        self._kubeconfig = await asyncio.get_running_loop().run_in_executor(None, self._start)
        await _answered(self._kubeconfig)

    def _start(self) -> Path:
        command = [sys.executable, "-m", "bench.embedded_server", str(self._folder)]
        self._program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._program.stdout is not None
        return Path(self._program.stdout.readline().strip())

    def client(self) -> Client:
        return connect(Process("bench"), self._kubeconfig).client

    def processes(self) -> list[int]:
        assert self._program is not None
        return [self._program.pid]

    def stop(self) -> None:
        if self._program is not None:
            self._program.communicate("")


class _Durable(ControlPlane):
    """That of the tests does not sync to disk; here it must."""

    def _etcd(self) -> list[str]:
        command = super()._etcd()
        command.remove("--unsafe-no-fsync")
        return command


class Real:
    """etcd and kube-apiserver, as scripts/kubernetes builds them."""

    name = "etcd + kube-apiserver"

    def __init__(self, folder: Path) -> None:
        found = binaries()
        if found.folder is None:
            sys.exit(f"holdfast: {found.missing}")
        folder.mkdir()
        self._plane = _Durable(found.folder, folder)

    async def start(self) -> None:
        await self._plane.start()
        await _answered(self._plane.kubeconfig)

    def client(self) -> Client:
        return self._plane.connection(name="bench").client

    def processes(self) -> list[int]:
        keepers = [self._plane.programs[name].keeper for name in (ETCD, API)]
        return [int(child) for keeper in keepers for child in Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()]

    def stop(self) -> None:
        self._plane.stop()


async def _answered(kubeconfig: Path) -> None:
    client = connect(Process("bench"), kubeconfig, patience=_ONCE).client
    try:
        while True:
            try:
                await client.get(Namespace, "default")
            except (ApiError, Unreachable):
                await asyncio.sleep(_BETWEEN_LOOKS)
            else:
                return
    finally:
        await client.close()


def resident(home: Home) -> float:
    """Bytes of memory of all its programs."""
    pages = sum(int(Path(f"/proc/{process}/statm").read_text().split()[1]) for process in home.processes())
    return pages * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(home: Home) -> float:
    """Of all its programs, since their start: what a busy machine does not change much."""
    ticks = 0
    for process in home.processes():
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
