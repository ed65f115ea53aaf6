"""What the store has had, by its own record: every version, who is gone, and what is there now.

It is what caches are held against. Nothing here comes from a client.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from holdfast.api.kinds import kind_of
from holdfast.api.meta import Object
from holdfast.api.struct import decode, encode
from holdfast.simulation.record import Revision

T = TypeVar("T", bound=Object)

#: Told of a broken promise: which, on what, and the numbers.
Violates = Callable[[str, str, str], None]
Place = tuple[str, str]
"""Namespace and name."""


class History:
    """Everything that was committed, as far as a reader of it may be judged by."""

    def __init__(self) -> None:
        self._now: dict[str, dict[Place, Revision]] = {}
        self._versions: set[tuple[str, str]] = set()
        self._gone: set[str] = set()

    def see(self, revision: Revision) -> None:
        kind, *place = revision.key
        metadata = revision.object["metadata"]
        living = self._now.setdefault(kind, {})
        if revision.type == "DELETED":
            living.pop((place[0], place[1]), None)
            self._gone.add(metadata["uid"])
        else:
            living[place[0], place[1]] = revision
            self._versions.add((metadata["uid"], metadata["resourceVersion"]))

    def has_had(self, obj: Object) -> bool:
        """Whether there was this version of it."""
        return (obj.metadata.uid, obj.metadata.resource_version) in self._versions

    def is_gone(self, uid: str) -> bool:
        return uid in self._gone

    def all(self, type_: type[T]) -> dict[Place, T]:
        """What there is of a kind, as the client's type."""
        kind = kind_of(type_)
        living = self._now.get(f"{kind.api_version}/{kind.name}", {})
        return {place: decode(encode(revision.object), type_) for place, revision in sorted(living.items())}


def now() -> float:
    """The true time."""
    return asyncio.get_running_loop().time()
