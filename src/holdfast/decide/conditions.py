"""The conditions of a DiskSchedule: can it take growth, has it promised too much, does it hold asks that nobody needs?

``Schedulable`` is always there. ``OverLimit``, ``OrphanedAsks`` and ``Deleting`` are there while they are true. Times move only
when a status does.
"""

from collections.abc import Iterable

from holdfast.api.longhorn.disk_schedule import Limit
from holdfast.api.meta import Condition
from holdfast.api.timestamps import seconds_of, timestamp
from holdfast.decide import words
from holdfast.decide.values import Situation


def conditions_of(situation: Situation, limit: Limit, scheduled: int, now: float) -> tuple[Condition, ...]:
    """What there is to say about the disk as a whole."""
    found = [_schedulable(situation)]
    if scheduled > limit.bytes:
        found.append(_true("OverLimit", "OverLimit", words.over_limit(scheduled, limit.bytes, limit.rule)))
    orphans = sorted(ask.key for ask in situation.asks if ask.gone_since is not None)
    if orphans:
        found.append(_true("OrphanedAsks", "NoObject", words.orphaned(orphans)))
    if situation.is_deleting:
        found.append(_true("Deleting", "DeletionWaits", words.DELETING))
    return tuple(_timed(condition, situation.status.conditions, now) for condition in found)


def _schedulable(situation: Situation) -> Condition:
    message = words.schedulable(situation.disk_name, situation.node_id, situation.closed)
    if situation.closed is None:
        return Condition(type="Schedulable", status="True", message=message)
    return Condition(type="Schedulable", status="False", reason=situation.closed.condition_reason, message=message)


def _true(type_: str, reason: str, message: str) -> Condition:
    return Condition(type=type_, status="True", reason=reason, message=message)


def _timed(condition: Condition, before: Iterable[Condition], now: float) -> Condition:
    was = next((old for old in before if old.type == condition.type), None)
    keeps = was is not None and was.status == condition.status and seconds_of(was.last_transition_time) is not None
    since = was.last_transition_time if was is not None and keeps else timestamp(now)
    return Condition(
        type=condition.type, status=condition.status, reason=condition.reason, message=condition.message, last_transition_time=since
    )
