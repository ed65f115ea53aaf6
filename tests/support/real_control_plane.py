"""A real control plane on this machine: etcd and kube-apiserver, and kube-controller-manager and kube-scheduler when asked for.

Everything listens on free ports of the loopback. The API is served over TLS with RBAC; who asks shows a client certificate or the
token of a service account, and nobody is anonymous. etcd does not sync to disk: what a test wrote need not outlive the machine.

Each program is held by a keeper (``real_keeper``) and ends with the run, however that ends. A program that was started on a port
which somebody else was faster to take is started again on another.
"""

import asyncio
import base64
import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support import real_commands
from tests.support.real_credentials import Credentials
from tests.support.real_program import EndedEarly, Program, free_port

from holdfast.api.core import Namespace, ServiceAccount
from holdfast.api.errors import ApiError
from holdfast.api.struct import decode, encode
from holdfast.api.wire import Request, Unreachable
from holdfast.kube.client import Client
from holdfast.kube.connect import Connection, connect, find
from holdfast.kube.http_transport import HttpTransport
from holdfast.kube.retry import Patience
from holdfast.process import Process, Randomness
from holdfast.process.clock import SystemClock

ETCD = "etcd"
API = "kube-apiserver"
CONTROLLERS = "kube-controller-manager"
SCHEDULER = "kube-scheduler"

#: Far beyond what a start takes, in seconds.
_PATIENCE = 90
_BETWEEN_LOOKS = 0.05
_ATTEMPTS = 3
_ONCE = Patience(attempts=1)


class ControlPlane:
    """One control plane. ``await start()`` serves the API; ``stop()`` ends all that was started."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.binaries = binaries
        self.folder = folder
        self.programs: dict[str, Program] = {}
        self.server = ""
        self._store = ""
        self._credentials = Credentials(folder / "credentials")
        self._probes: dict[str, tuple[Path | str, str]] = {}
        self._kubeconfigs: dict[tuple[str, ...], Path] = {}
        self._arguments: tuple[str, ...] = ()
        self._configuration: Mapping[str, Any] | None = None

    async def start(self) -> None:
        """Until the API answers that it is ready."""
        await self._begin(ETCD, self._etcd)
        await self._begin(API, self._api)

    async def run_controllers(self, *arguments: str) -> None:
        """kube-controller-manager with these arguments after ours, unless it runs with them."""
        if CONTROLLERS in self.programs and self._arguments == arguments:
            return
        self.end(CONTROLLERS)
        await self._begin(CONTROLLERS, lambda: self._controllers(arguments))
        self._arguments = arguments
        await self.accounts()

    async def run_scheduler(self, configuration: Mapping[str, Any] | None = None) -> None:
        """kube-scheduler with these fields of KubeSchedulerConfiguration (profiles, extenders ...), unless it runs with them."""
        configuration = configuration or {}
        if SCHEDULER in self.programs and self._configuration == configuration:
            return
        self.end(SCHEDULER)
        await self._begin(SCHEDULER, lambda: self._scheduler(configuration))
        self._configuration = configuration

    async def accounts(self) -> None:
        """Until every namespace has the service account without which no pod is let in, if there is somebody who makes them."""

        async def are_there() -> bool:
            async with self.client() as client:
                have = {account.metadata.namespace for account in (await client.list(ServiceAccount, fields="metadata.name=default")).items}
                live = {found.metadata.name for found in (await client.list(Namespace)).items if not found.metadata.deletion_timestamp}
            return live <= have

        if CONTROLLERS in self.programs:
            await self._until(are_there, CONTROLLERS)

    async def compact(self) -> None:
        """Have etcd forget every revision but the last, as it does every few minutes in a cluster. What kube-apiserver holds it keeps."""
        told = await self._tell_etcd("/v3/kv/range", {"key": base64.b64encode(b"/").decode()})
        await self._tell_etcd("/v3/kv/compaction", {"revision": told["header"]["revision"], "physical": True})

    def end(self, name: str) -> None:
        """Stop one program and forget it."""
        program = self.programs.pop(name, None)
        if program is not None:
            program.stop()

    async def restart(self, name: str) -> None:
        """The same program with the same port and data; one that runs is killed first."""
        self.programs[name].stop()
        self.programs[name].start()
        await self.ready(name)

    async def mend(self) -> None:
        """All programs run and answer again, whatever a test has done to them."""
        for name, program in self.programs.items():
            program.resume()
            program.start()
            await self.ready(name)

    async def ready(self, name: str) -> None:
        """Until a program says that it is ready."""

        async def answers() -> bool:
            return await self._answers(*self._probes[name])

        await self._until(answers, name)

    def stop(self) -> None:
        """End everything, those who ask before those who answer. The logs stay."""
        for name in reversed(list(self.programs)):
            self.end(name)
        shutil.rmtree(self.folder / ETCD, ignore_errors=True)

    @property
    def kubeconfig(self) -> Path:
        """Of somebody who may do everything."""
        return self.kubeconfig_of("admin", "system:masters")

    def kubeconfig_of(self, user: str, *groups: str) -> Path:
        """Of any user of any groups, by a client certificate."""
        if (user, *groups) not in self._kubeconfigs:
            self._kubeconfigs[user, *groups] = self._credentials.of_user(self.server, user, *groups)
        return self._kubeconfigs[user, *groups]

    async def kubeconfig_of_account(self, namespace: str, name: str, *, seconds: int = 3600) -> Path:
        """Of a service account, by a token that the API server signed. It lives for ten minutes at least."""
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": seconds}}
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        async with self.client() as client:
            answer = await client.send(_post(path, asked))
        return self.kubeconfig_of_token(name, decode(answer.body, dict)["status"]["token"], namespace)

    def kubeconfig_of_token(self, user: str, token: str, namespace: str = "") -> Path:
        """With any token, valid or not; the name of the user is for readers only."""
        return self._credentials.of_token(self.server, user, token, namespace)

    def connection(self, kubeconfig: Path | None = None, *, name: str = "test") -> Connection:
        """As our own programs connect. Close its client."""
        return connect(Process(name), kubeconfig or self.kubeconfig)

    def transport(self) -> HttpTransport:
        """The way of somebody who may do everything, below the client. Close it."""
        target = find(self.kubeconfig, None, {}, SystemClock())
        return HttpTransport(target.server, tls=target.tls, credentials=target.credentials)

    @asynccontextmanager
    async def client(self, kubeconfig: Path | None = None, *, name: str = "test") -> AsyncIterator[Client]:
        client = self.connection(kubeconfig, name=name).client
        try:
            yield client
        finally:
            await client.close()

    def marks(self) -> dict[str, int]:
        """Where every log ends now."""
        return {name: program.log.stat().st_size for name, program in self.programs.items()}

    def logs(self, since: Mapping[str, int]) -> dict[str, str]:
        """What every program has logged after such marks."""
        return {name: program.last_words(since.get(name, 0)) for name, program in self.programs.items()}

    async def _begin(self, name: str, make: Callable[[], list[str]]) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            program = self.programs[name] = Program(name, [str(self.binaries / name), *make()], self.folder / f"{name}.log")
            program.start()
            try:
                await self.ready(name)
            except EndedEarly as ended:
                self.end(name)
                if attempt == _ATTEMPTS or "address already in use" not in str(ended):
                    raise
            else:
                return

    async def _until(self, holds: Callable[[], Any], name: str) -> None:
        program = self.programs[name]
        try:
            async with asyncio.timeout(_PATIENCE):
                while not await holds():
                    program.raise_if_ended()
                    await asyncio.sleep(_BETWEEN_LOOKS)
        except TimeoutError:
            raise EndedEarly(f"{name} was not ready within {_PATIENCE} s. {program.last_words()}") from None

    async def _tell_etcd(self, path: str, what: Mapping[str, Any]) -> dict[str, Any]:
        client = Client(HttpTransport(self._store), Process("test"))
        try:
            return decode((await client.send(_post(path, what))).body, dict)
        finally:
            await client.close()

    async def _answers(self, whom: Path | str, path: str) -> bool:
        if isinstance(whom, Path):
            client = connect(Process("probe"), whom, patience=_ONCE).client
        else:
            client = Client(HttpTransport(whom), Process("probe"), patience=_ONCE)
        try:
            async with asyncio.timeout(5):  # one that is paused accepts connections and says nothing
                await client.send(Request("GET", path))
        except (ApiError, Unreachable, TimeoutError):
            return False
        else:
            return True
        finally:
            await client.close()

    def _port(self) -> int:
        return free_port(Randomness())

    def _etcd(self) -> list[str]:
        self._store = f"http://127.0.0.1:{self._port()}"
        self._probes[ETCD] = self._store, "/health"
        return real_commands.etcd(self.folder / ETCD, self._store, f"http://127.0.0.1:{self._port()}")

    def _api(self) -> list[str]:
        port = self._port()
        self.server = f"https://127.0.0.1:{port}"
        self._kubeconfigs.clear()
        self._probes[API] = self.kubeconfig, "/readyz"
        return real_commands.api(self._store, port, self._credentials)

    def _controllers(self, arguments: tuple[str, ...]) -> list[str]:
        kubeconfig = self.kubeconfig_of("system:kube-controller-manager")
        return real_commands.controllers(self._health_of(CONTROLLERS), self._credentials, kubeconfig, arguments)

    def _scheduler(self, configuration: Mapping[str, Any]) -> list[str]:
        kubeconfig = self.kubeconfig_of("system:kube-scheduler")
        file = self.folder / "scheduler.json"
        settled = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": str(kubeconfig), "qps": 500, "burst": 1000},
            "leaderElection": {"leaderElect": False},
        }
        file.write_text(json.dumps(settled | dict(configuration)))
        return real_commands.scheduler(self._health_of(SCHEDULER), self._credentials, kubeconfig, file)

    def _health_of(self, name: str) -> int:
        """The port on which one of those who only ask tells how it is."""
        port = self._port()
        self._probes[name] = self._credentials.anonymous(f"https://127.0.0.1:{port}"), "/healthz"
        return port


def _post(path: str, what: Mapping[str, Any]) -> Request:
    return Request("POST", path, headers={"content-type": "application/json"}, body=encode(what))


def served(plane: ControlPlane) -> Iterator[ControlPlane]:
    """The plane, started and ended: a fixture for a whole run.

    It is started on a loop of its own: the loop of pytest-asyncio is another one whenever tests on virtual time come between, and
    what rests on it is ended with it.
    """
    try:
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            runner.run(plane.start())
        yield plane
    finally:
        plane.stop()
