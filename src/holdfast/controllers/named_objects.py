"""The objects that asks are made for, found in the cache or, where it has none, at the server.

"Not in my cache" is no evidence: the cache may be behind. An ask is called an orphan only by a live read that was made after the
ask was seen. One that is called so already is not asked about again, until its object shows up in the cache.
"""

from collections.abc import Iterator

from msgspec import Struct

from holdfast.api.errors import NotFound
from holdfast.api.longhorn import BackingImage, DiskSchedule, Replica
from holdfast.controllers.asks import standing
from holdfast.decide.orphans import is_orphan
from holdfast.decide.values import AskKey, AskKind
from holdfast.kube.runtime import Runtime

Named = Replica | BackingImage


class NamedObjects(Struct, frozen=True, kw_only=True):
    """The living objects behind the asks of one schedule, and the asks that have none."""

    replicas: dict[str, Replica]
    images: dict[str, BackingImage]
    orphans: frozenset[AskKey]


async def named_objects(runtime: Runtime, schedule: DiskSchedule) -> NamedObjects:
    """Look for all of them."""
    replicas: dict[str, Replica] = {}
    images: dict[str, BackingImage] = {}
    orphans: set[AskKey] = set()
    for key in keys_in(schedule):
        found = _cached(runtime, schedule, key)
        if is_orphan(standing(schedule, key).token, found, schedule.metadata.name):
            found = None if _is_flagged(schedule, key) else await living(runtime, schedule, key)
        if isinstance(found, Replica):
            replicas[key.name] = found
        elif isinstance(found, BackingImage):
            images[key.name] = found
        else:
            orphans.add(key)
    return NamedObjects(replicas=replicas, images=images, orphans=frozenset(orphans))


async def living(runtime: Runtime, schedule: DiskSchedule, key: AskKey) -> Named | None:
    """The object that wants this ask, read live; None proves that the ask as it stands in ``schedule`` is an orphan."""
    type_: type[Named] = Replica if key.kind is AskKind.REPLICA else BackingImage
    try:
        found = await runtime.client.get(type_, key.name, schedule.metadata.namespace)
    except NotFound:
        return None
    return None if is_orphan(standing(schedule, key).token, found, schedule.metadata.name) else found


def keys_in(schedule: DiskSchedule) -> Iterator[AskKey]:
    """Every key under which something is asked."""
    for name in schedule.spec.replicas:
        yield AskKey(AskKind.REPLICA, name)
    for name in schedule.spec.backing_images:
        yield AskKey(AskKind.IMAGE, name)


def _cached(runtime: Runtime, schedule: DiskSchedule, key: AskKey) -> Named | None:
    type_: type[Named] = Replica if key.kind is AskKind.REPLICA else BackingImage
    return runtime.caches.of(type_).get(key.name, schedule.metadata.namespace)


def _is_flagged(schedule: DiskSchedule, key: AskKey) -> bool:
    entries = schedule.status.replicas if key.kind is AskKind.REPLICA else schedule.status.backing_images
    entry = entries.get(key.name)
    return entry is not None and bool(entry.orphaned_since) and entry.token == standing(schedule, key).token
