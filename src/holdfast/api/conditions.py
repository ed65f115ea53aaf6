"""Conditions as a list that is changed by value: one entry a type, and a time that moves only when the answer does."""

from collections.abc import Iterable

from holdfast.api.meta import Condition

Conditions = tuple[Condition, ...]


def find(conditions: Iterable[Condition], type_: str) -> Condition | None:
    """The condition of a type, if it was ever observed."""
    return next((condition for condition in conditions if condition.type == type_), None)


def is_true(conditions: Iterable[Condition], type_: str) -> bool:
    condition = find(conditions, type_)
    return condition is not None and condition.status == "True"


def observed(conditions: Conditions, seen: Condition, now: str) -> Conditions:
    """The list with ``seen`` in it: in its old place, and with its old time unless its status changed."""
    before = find(conditions, seen.type)
    if before is None:
        return (*conditions, _at(seen, now))
    settled = _at(seen, now if before.status != seen.status else before.last_transition_time)
    return tuple(settled if condition is before else condition for condition in conditions)


def forgotten(conditions: Conditions, type_: str) -> Conditions:
    """The list without a type."""
    return tuple(condition for condition in conditions if condition.type != type_)


def told(type_: str, *, holds: bool, reason: str = "", message: str = "") -> Condition:
    """What was seen, not yet with a time."""
    return Condition(type=type_, status="True" if holds else "False", reason=reason, message=message)


def _at(condition: Condition, time: str) -> Condition:
    return Condition(
        type=condition.type, status=condition.status, last_transition_time=time, reason=condition.reason, message=condition.message
    )
