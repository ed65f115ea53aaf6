"""Where a command reads objects: from a cluster, or from what kubectl printed. The reader does not see the difference."""

import re
from typing import Protocol, TypeVar

from holdfast.api.errors import NotFound
from holdfast.api.kinds import kind_of
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.meta import Object
from holdfast.cli.dump import Dump
from holdfast.kube.client import Client
from holdfast.plane.failure import Failure

T = TypeVar("T", bound=Object)

_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")


class Source(Protocol):
    """The objects of one namespace."""

    async def get(self, type_: type[T], name: str) -> T | None: ...

    async def all(self, type_: type[T]) -> tuple[T, ...]: ...


class Live:
    """A cluster, read object by object."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    async def get(self, type_: type[T], name: str) -> T | None:
        if not _OBJECT_NAME.fullmatch(name):
            return None  # a person may type anything
        try:
            return await self._client.get(type_, name, self._namespace)
        except NotFound:
            return None

    async def all(self, type_: type[T]) -> tuple[T, ...]:
        try:
            return (await self._client.list(type_, self._namespace)).items
        except NotFound as missing:
            if type_ is DiskSchedule:
                return ()  # a cluster of Longhorn without Holdfast has no such kind
            raise Failure(f"the cluster does not serve {kind_of(type_).resource}: is this a cluster of Longhorn or Holdfast?") from missing


class Saved:
    """A dump."""

    def __init__(self, dump: Dump) -> None:
        self._dump = dump

    async def get(self, type_: type[T], name: str) -> T | None:
        return next((obj for obj in self._dump.all(type_) if obj.metadata.name == name), None)

    async def all(self, type_: type[T]) -> tuple[T, ...]:
        return self._dump.all(type_)
