"""A program's own writes: when one has returned, the program's caches show it, or something newer."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from holdfast.api.meta import Object
from holdfast.kube.client import Client, Patch
from holdfast.simulation.runtime_history import History, Violates
from holdfast.simulation.runtime_mirror import Shown
from holdfast.simulation.world import NAMESPACE

T = TypeVar("T", bound=Object)


class Hands:
    """Of one program in one life. ``caches_of`` are the caches that hold a kind."""

    def __init__(
        self, who: str, client: Client, caches_of: Callable[[type[Object]], Sequence[Shown]], history: History, violates: Violates
    ) -> None:
        self._who = who
        self._client = client
        self._caches_of = caches_of
        self._history = history
        self._violates = violates

    async def create(self, obj: Object) -> None:
        self._must_show(await self._client.create(obj))

    async def patch(self, type_: type[Object], name: str, patch: Patch) -> None:
        self._must_show(await self._client.patch(type_, name, NAMESPACE, patch))

    async def change(self, before: T, after: T) -> None:
        self._must_show(await self._client.change(before, after, guarded=True))

    async def delete(self, obj: Object, *, guarded: bool = False) -> None:
        metadata = obj.metadata
        version = metadata.resource_version if guarded else ""
        await self._client.delete(type(obj), metadata.name, metadata.namespace, uid=metadata.uid, resource_version=version)
        for cache in self._caches_of(type(obj)):
            held = cache.get(metadata.name, metadata.namespace)
            if held is not None and held.metadata.uid == metadata.uid and not held.metadata.deletion_timestamp:
                self._broken(obj, "it is deleted", held)

    def _must_show(self, written: Object) -> None:
        metadata = written.metadata
        for cache in self._caches_of(type(written)):
            held = cache.get(metadata.name, metadata.namespace)
            if held is None or held.metadata.uid != metadata.uid:
                is_well = self._history.is_gone(metadata.uid)
            else:
                is_well = int(held.metadata.resource_version) >= int(metadata.resource_version)
            if not is_well:
                self._broken(written, f"version {metadata.resource_version} was written", held)

    def _broken(self, obj: Object, what: str, held: Any) -> None:
        shown = "nothing" if held is None else f"version {held.metadata.resource_version}"
        self._violates(
            "a program reads what it wrote", f"{self._who}: {type(obj).__name__} {obj.metadata.name}", f"{what}, and {shown} is shown"
        )
