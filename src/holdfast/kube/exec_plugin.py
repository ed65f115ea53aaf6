"""Credentials from a program that the kubeconfig names: how managed clusters let people in.

The program is asked over KUBERNETES_EXEC_INFO and prints an ExecCredential (client.authentication.k8s.io v1 or v1beta1). Its
token is used until it expires, or until a server refuses it. The program never gets the terminal: it could wait there for ever.
"""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from subprocess import DEVNULL, PIPE

import msgspec
from msgspec import Struct

from holdfast.api.struct import Wire, decode, encode
from holdfast.api.timestamps import seconds_of
from holdfast.kube.auth import clean
from holdfast.kube.misconfigured import KubeconfigError
from holdfast.kube.unreachable import NoCredentials
from holdfast.process import Clock

_VERSIONS = tuple(f"client.authentication.k8s.io/{version}" for version in ("v1", "v1beta1"))
#: A token is replaced this many seconds before it ends, so that it does not end on the way.
_EARLY = 30
_PATIENCE = 60


class Variable(Struct, frozen=True):
    name: str
    value: str = ""

    def __repr__(self) -> str:
        return f"<variable {self.name}>"


class Plugin(Struct, frozen=True, rename="camel"):
    """The ``exec`` part of a user in a kubeconfig."""

    command: str = ""
    api_version: str = ""
    args: tuple[str, ...] | None = None
    env: tuple[Variable, ...] | None = None
    install_hint: str | None = None
    interactive_mode: str | None = None
    provide_cluster_info: bool | None = None

    def __repr__(self) -> str:
        return f"<program {self.command}>"  # its arguments may be secret


class _Given(Wire):
    token: str = ""
    expiration_timestamp: str = ""
    client_certificate_data: str = ""


class _ExecCredential(Wire):
    api_version: str = ""
    status: _Given = _Given()


class ProgramCredentials:
    """A bearer token that a program prints."""

    def __init__(self, plugin: Plugin, folder: Path, cluster: Mapping[str, object], where: str, clock: Clock) -> None:
        if not plugin.command:
            raise KubeconfigError(f"{where}: exec names no command; add the program that prints the credentials")
        if plugin.api_version not in _VERSIONS:
            raise KubeconfigError(f'{where}: exec has apiVersion "{plugin.api_version}"; supported are {" and ".join(_VERSIONS)}')
        if plugin.interactive_mode == "Always":
            raise KubeconfigError(
                f"{where}: the program {plugin.command} wants a terminal (interactiveMode: Always), which it does not get here"
            )
        self._plugin = plugin
        # As with kubectl, a path is relative to the kubeconfig; a bare name is looked up in PATH.
        self._command = str(folder / plugin.command) if "/" in plugin.command else plugin.command
        self._cluster = cluster
        self._where = where
        self._clock = clock
        self._token = ""
        self._until: float | None = None
        # Saves runs of the program, nothing more.
        self._running = asyncio.Lock()

    async def authorization(self) -> str:
        async with self._running:
            if not self._token or (self._until is not None and self._clock.now() >= self._until - _EARLY):
                await self._ask()
            return f"Bearer {self._token}"

    async def renew(self, refused: str) -> None:
        if refused == f"Bearer {self._token}":
            self._token = ""

    async def _ask(self) -> None:
        output = await self._run()
        try:
            credential = decode(output, _ExecCredential)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise self._failed("printed no ExecCredential") from None
        if credential.api_version != self._plugin.api_version:
            raise self._failed(f"answered in another version than {self._plugin.api_version}")
        token = clean(credential.status.token)
        if not token:
            instead = "only a client certificate, which is not supported here" if credential.status.client_certificate_data else "no token"
            raise self._failed(f"gave {instead}")
        self._token, self._until = token, seconds_of(credential.status.expiration_timestamp)

    async def _run(self) -> bytes:
        spec: dict[str, object] = {"interactive": False}
        if self._plugin.provide_cluster_info:
            spec["cluster"] = self._cluster
        asked = encode({"kind": "ExecCredential", "apiVersion": self._plugin.api_version, "spec": spec}).decode()
        environment = os.environ | {variable.name: variable.value for variable in self._plugin.env or ()} | {"KUBERNETES_EXEC_INFO": asked}
        try:
            program = await asyncio.create_subprocess_exec(
                self._command, *(self._plugin.args or ()), env=environment, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
            )
        except OSError as failure:
            hint = " ".join((self._plugin.install_hint or "install it, or use a token or a client certificate").split())
            raise self._failed(f"can not be started ({(failure.strerror or str(failure)).lower()}); {hint}") from None
        try:
            async with asyncio.timeout(_PATIENCE):
                output, complaint = await program.communicate()
        except TimeoutError:
            raise self._failed(f"did not end within {_PATIENCE} s") from None
        finally:
            if program.returncode is None:
                program.kill()
                await program.wait()
        if program.returncode:
            last = complaint.decode(errors="replace").strip().rpartition("\n")[2][:200]
            raise self._failed(f"ended with exit code {program.returncode}" + (f": {last}" if last else ""))
        return output

    def _failed(self, how: str) -> NoCredentials:
        return NoCredentials(f"{self._where}: the program {self._plugin.command} {how}")
