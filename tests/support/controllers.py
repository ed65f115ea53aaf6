"""A controller that writes down what it does, for scenarios about the machinery under it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from tests.support.informers import NAMESPACE
from tests.support.scripted_api import ScriptedApi, ScriptedTransport
from tests.support.virtual_loop import virtual_process

from holdfast.api.longhorn import Setting
from holdfast.api.meta import Object
from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.kube.controller import Controller
from holdfast.kube.keys import Key
from holdfast.kube.ownership import SharedOwnership
from holdfast.kube.runtime import Runtime
from holdfast.process import Process, Tasks


class Scribe(Controller[Setting]):
    """Reconciles settings; ``act`` is what a round does."""

    kind: ClassVar[type[Object]] = Setting

    def __init__(self, runtime: Runtime, act: Callable[[Setting], Awaitable[float | None]] | None = None) -> None:
        super().__init__(runtime)
        self.rounds: list[str] = []
        self.gone: list[str] = []
        self._act = act

    async def reconcile(self, obj: Setting) -> float | None:
        self.rounds.append(f"{obj.metadata.name}={obj.value}")
        return None if self._act is None else await self._act(obj)

    async def reconcile_gone(self, key: Key) -> None:
        self.gone.append(key.name)


class Manager:
    """One process that runs controllers over a scripted API."""

    def __init__(self, api: ScriptedApi, process: Process | None = None, *, shares: bool = False, **options: Any) -> None:
        self.api = api
        self.process = process or virtual_process()
        self.transport: ScriptedTransport = api.transport()
        self.client = Client(self.transport, self.process)
        if shares:
            options["ownership"] = self._shared
        self.runtime = Runtime(self.client, self.process, namespace=NAMESPACE, **options)

    def _shared(self, caches: Caches) -> SharedOwnership:
        return SharedOwnership(self.client, self.process, caches, namespace=NAMESPACE)

    def counted(self, metric: str, /, **labels: str) -> float:
        """The value of a metric, 0 where there is none yet."""
        return self.runtime.metrics.registry.get_sample_value(metric, labels) or 0.0


@asynccontextmanager
async def running(manager: Manager, controllers: Sequence[Controller[Any]]) -> AsyncIterator[None]:
    """The manager at work with its caches full."""
    async with Tasks() as tasks:
        tasks.spawn(manager.runtime.run(controllers), name="runtime")
        await manager.runtime.caches.wait_synced()
        yield
