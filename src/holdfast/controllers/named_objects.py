"""The objects that asks are made for, found in the cache or, where it has none, at the server.

"Not in my cache" is no evidence: the cache may be behind. An ask is called an orphan only by a live read that was made after the
ask was seen. One that is called so already is not asked about again, until its object shows up in the cache.
"""

from collections.abc import Iterator

from msgspec import Struct

from holdfast.api.errors import NotFound
from holdfast.api.longhorn import BackingImage, DiskSchedule, Replica
from holdfast.api.names import can_name_an_object
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


class Search:
    """Looks for the objects of one schedule, and asks the server about each ask at most once."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._answers: dict[tuple[AskKey, str], Named | None] = {}

    async def named_objects(self, schedule: DiskSchedule, *, may_wait: bool = True) -> NamedObjects:
        """What stands behind each ask. Where the server may not be waited for, an ask can stay without an object and be no orphan."""
        found: dict[AskKey, Named] = {}
        orphans: set[AskKey] = set()
        for key in keys_in(schedule):
            token = standing(schedule, key).token
            obj = _cached(self._runtime, schedule, key)
            is_living, is_flagged = obj is not None and not is_orphan(token, obj, schedule.metadata.name), _is_flagged(schedule, key)
            if obj is not None and is_living and not is_flagged:
                found[key] = obj
                continue
            if is_flagged and not is_living:
                orphans.add(key)
                continue
            # Either nobody has looked yet, or the cache contradicts him who did: it may be behind, and would take the flag away again.
            if may_wait and (key, token) not in self._answers:
                self._answers[key, token] = await living(self._runtime, schedule, key)
            answer = self._answers.get((key, token), None if is_flagged else _NOT_ASKED)
            if answer is None:
                orphans.add(key)
            elif not isinstance(answer, _NotAsked):
                found[key] = answer
        return NamedObjects(
            replicas={key.name: obj for key, obj in found.items() if isinstance(obj, Replica)},
            images={key.name: obj for key, obj in found.items() if isinstance(obj, BackingImage)},
            orphans=frozenset(orphans),
        )


class _NotAsked:
    """Stands where an answer of the server would."""


_NOT_ASKED = _NotAsked()


async def living(runtime: Runtime, schedule: DiskSchedule, key: AskKey) -> Named | None:
    """The object that wants this ask, read live; None proves that the ask as it stands in ``schedule`` is an orphan."""
    if not can_name_an_object(key.name):
        return None  # what no object can be called names none, and one such key must not stop the others of its disk
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
