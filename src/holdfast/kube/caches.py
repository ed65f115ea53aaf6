"""All caches of a process: one per kind and namespace, shared by everybody who reads, fed by one watch each.

An own write is in its cache before the writer goes on, so a controller never decides on what it has itself replaced.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from holdfast.api.kinds import kind_of
from holdfast.api.meta import Object, ObjectT
from holdfast.kube.cache import Cache, Handler
from holdfast.kube.client import Client
from holdfast.kube.keys import Key
from holdfast.kube.metrics import Metrics
from holdfast.kube.reflector import Reflector
from holdfast.process import Process, Tasks


class Caches:
    """Made for one namespace, which is the default of every kind that lives in namespaces; cluster-wide kinds have none."""

    def __init__(self, client: Client, process: Process, *, namespace: str, metrics: Metrics | None = None) -> None:
        self._client = client
        self._process = process
        self._namespace = namespace
        self._metrics = metrics or Metrics()
        self._caches: dict[tuple[type[Object], str], Cache[Any]] = {}
        self._tasks: Tasks | None = None

    def of(self, type_: type[ObjectT], namespace: str | None = None) -> Cache[ObjectT]:
        """The cache of a kind; the first to ask makes it. ``namespace=""`` means all namespaces."""
        kind = kind_of(type_)
        scope = "" if not kind.namespaced else self._namespace if namespace is None else namespace
        cache = self._caches.get((type_, scope))
        if cache is None:
            cache = Cache(type_, scope, on_failure=lambda: self._metrics.handler_failed(kind.resource))
            self._caches[type_, scope] = cache
            self._metrics.count_objects_of(kind.resource, cache)
            if self._tasks is not None:
                self._feed(self._tasks, cache)
        return cache

    def index(self, type_: type[ObjectT], name: str, values_of: Callable[[ObjectT], Iterable[str]]) -> None:
        """Make ``of(type_).by(name, value)`` work."""
        self.of(type_).index(name, values_of)

    def on_change(self, type_: type[Object], handler: Handler) -> Callable[[], None]:
        """Tell the handler of what exists and of every change. The result ends it."""
        return self.of(type_).on_change(handler)

    @property
    def synced(self) -> bool:
        return all(cache.synced for cache in self._caches.values())

    async def wait_synced(self) -> None:
        """Until every cache that was asked for has seen all there is."""
        for cache in tuple(self._caches.values()):
            await cache.wait_synced()

    async def run(self) -> None:
        """Feed all caches, also those asked for later, until cancelled."""
        self._client.written.append(self._wrote)
        self._client.deleted.append(self._deleted)
        try:
            async with Tasks() as tasks:
                self._tasks = tasks
                for cache in self._caches.values():
                    self._feed(tasks, cache)
                await asyncio.get_running_loop().create_future()
        finally:
            self._tasks = None
            self._client.written.remove(self._wrote)
            self._client.deleted.remove(self._deleted)

    def _feed(self, tasks: Tasks, cache: Cache[Any]) -> None:
        reflector = Reflector(self._client, self._process, cache, self._metrics)
        tasks.spawn(reflector.run(), name=f"watch of {kind_of(cache.type).resource} in {cache.namespace or 'all namespaces'}")

    def _holding(self, type_: type[Object], namespace: str) -> Iterable[Cache[Any]]:
        for scope in (namespace, "") if namespace else ("",):
            cache = self._caches.get((type_, scope))
            if cache is not None:
                yield cache

    def _wrote(self, obj: Object) -> None:
        for cache in self._holding(type(obj), obj.metadata.namespace):
            cache.wrote(obj)

    def _deleted(self, type_: type[Object], key: Key, uid: str) -> None:
        for cache in self._holding(type_, key.namespace):
            cache.deleted(key, uid)
