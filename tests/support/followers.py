"""A process that follows the ConfigMaps of a namespace by a cache and a controller, and what must hold of it in the end."""

import asyncio
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.looking import until_true
from tests.support.meddler import Meddler

from holdfast.api.core import ConfigMap
from holdfast.api.meta import ObjectMeta
from holdfast.kube.auth import Credentials
from holdfast.kube.cache import Change, revision_of
from holdfast.kube.client import Client
from holdfast.kube.controller import Controller
from holdfast.kube.http_transport import HttpTransport, Limits
from holdfast.kube.keys import Key
from holdfast.kube.runtime import Runtime
from holdfast.process import Process, Tasks

#: Far beyond what anything takes, in seconds.
PATIENCE = 60

Truth = dict[str, tuple[str, str]]


class Follower(Controller[ConfigMap]):
    """Writes down the last state of every object that it was called for. A subclass may do more in ``act``."""

    kind = ConfigMap

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self.seen: Truth = {}
        self.rounds: Counter[str] = Counter()
        self.gone: Counter[str] = Counter()

    async def reconcile(self, obj: ConfigMap) -> float | None:
        self.rounds[obj.metadata.name] += 1
        wait = await self.act(obj)
        self.seen[obj.metadata.name] = _identity(obj)
        return wait

    async def reconcile_gone(self, key: Key) -> None:
        self.gone[key.name] += 1
        self.seen.pop(key.name, None)

    async def act(self, obj: ConfigMap) -> float | None:
        return None


class Following:
    """One process: its client, cache and controller, and the attempts that its client made."""

    def __init__(self, client: Client, process: Process, namespace: str, make: Callable[[Runtime], Follower]) -> None:
        self.client = client
        self.namespace = namespace
        self.runtime = Runtime(client, process, namespace=namespace)
        self.cache = self.runtime.caches.of(ConfigMap)
        self.controller = make(self.runtime)
        self.attempts: Counter[str] = Counter()
        self.went_back: list[str] = []
        self._ended: set[str] = set()
        client.observer = self._attempted
        self.cache.on_change(self._changed)

    def _attempted(self, method: str, code: int, seconds: float) -> None:
        self.attempts[method] += 1
        self.runtime.metrics.requested(method, code, seconds)

    def _changed(self, change: Change[ConfigMap]) -> None:
        if change.new is None:
            self._ended.add(change.object.metadata.uid)
        elif change.new.metadata.uid in self._ended or (change.old is not None and revision_of(change.new) < revision_of(change.old)):
            self.went_back.append(change.new.metadata.name)

    async def asks_again(self, times: int) -> None:
        """Until its client has made so many attempts from now on."""
        before = self.attempts.total()
        await until_true(lambda: self.attempts.total() - before >= times)

    @property
    def relists(self) -> float:
        return self.runtime.metrics.registry.get_sample_value("holdfast_watch_relists_total", {"kind": "configmaps"}) or 0

    async def agrees_with(self, witness: Client) -> Truth:
        """Until the cache and the controller both hold what a fresh list shows, and nothing else."""
        truth: Truth = {}
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    truth = {obj.metadata.name: _identity(obj) for obj in (await witness.list(ConfigMap, self.namespace)).items}
                    if self._held() == truth == self.controller.seen:
                        return truth
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"the server has {truth}, the cache {self._held()}, the controller {self.controller.seen}") from None
        finally:
            assert not self.went_back

    def _held(self) -> Truth:
        return {obj.metadata.name: _identity(obj) for obj in self.cache.all()}


def _identity(obj: ConfigMap) -> tuple[str, str]:
    return obj.metadata.uid, obj.metadata.resource_version


@asynccontextmanager
async def following(
    client: Client, namespace: str, *, process: Process | None = None, make: Callable[[Runtime], Follower] = Follower
) -> AsyncIterator[Following]:
    """Runs until the block ends; it is synced when the block begins."""
    one = Following(client, process or Process("follower"), namespace, make)
    async with Tasks() as tasks:
        tasks.spawn(one.runtime.run([one.controller]), name="follower")
        async with asyncio.timeout(PATIENCE):
            await one.runtime.caches.wait_synced()
        yield one


@asynccontextmanager
async def client_through(
    proxy: Meddler, *, credentials: Credentials | None = None, limits: Limits | None = None, authority: Path | None = None
) -> AsyncIterator[Client]:
    """Our client, with the proxy where it thinks the server to be."""
    trusted = ssl.create_default_context(cafile=str(authority or proxy.authority))
    transport = HttpTransport(proxy.server, tls=trusted, credentials=credentials, limits=limits or Limits())
    client = Client(transport, Process("follower"))
    try:
        yield client
    finally:
        await client.close()


async def changes(admin: Client, namespace: str, round_: int = 0) -> None:
    """One of everything that can happen to objects: new, changed, gone, gone and made anew."""
    await make(admin, namespace, f"new-{round_}")
    for name in ("changed", "gone", "anew"):
        if not (await admin.list(ConfigMap, namespace, fields=f"metadata.name={name}")).items:
            await make(admin, namespace, name)
    await admin.patch(ConfigMap, "changed", namespace, {"data": {"round": str(round_)}})
    await admin.delete(ConfigMap, "gone", namespace)
    await admin.delete(ConfigMap, "anew", namespace)
    await make(admin, namespace, "anew")


async def make(admin: Client, namespace: str, name: str, **data: str) -> ConfigMap:
    return await admin.create(ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace), data=data))
