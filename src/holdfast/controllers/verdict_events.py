"""What a verdict changed, as events for people: few, and only when something turned."""

from collections.abc import Iterator
from typing import NamedTuple

from holdfast.api.conditions import find
from holdfast.api.longhorn.disk_schedule import DiskScheduleStatus, ScheduledResource, State
from holdfast.decide import words
from holdfast.decide.ledger import Answer, Verdict
from holdfast.decide.values import AskKey, AskKind, Situation
from holdfast.decide.why import why


class Told(NamedTuple):
    """An event, not yet about an object."""

    type: str
    reason: str
    message: str


def events_of(situation: Situation, verdict: Verdict) -> Iterator[Told]:
    """Asks that were granted, refused or found to be orphans, and a disk that came to hold more than it may promise."""
    for answer in verdict.answers:
        yield from _about(answer, situation, verdict)
    over = find(verdict.status.conditions, "OverLimit")
    if over is not None and find(situation.status.conditions, "OverLimit") is None:
        yield Told("Warning", "OverLimit", over.message)


def _about(answer: Answer, situation: Situation, verdict: Verdict) -> Iterator[Told]:
    name = words.named(answer.ask.key)
    before = _entry(situation.status, answer.ask.key)
    if answer.code is None and (before is None or before.state is not State.SCHEDULED or before.scheduled_size != answer.granted):
        adopted = ", since its data is on the disk already" if answer.adopted else ""
        yield Told("Normal", "Scheduled", f"{name}: {words.size(answer.granted)} granted{adopted}")
    elif (before is None or before.reason != answer.code) and (refused := why(situation, verdict, answer)) is not None:
        sentence = words.reason(refused, situation.disk_name, situation.node_id)
        yield Told("Warning", "Rejected", f"{name}, {words.size(answer.ask.bytes)}: {sentence}")
    if answer.ask.gone_since is not None and (before is None or not before.orphaned_since):
        yield Told("Warning", "AskOrphaned", words.orphan_event(answer.ask.key))


def _entry(status: DiskScheduleStatus, key: AskKey) -> ScheduledResource | None:
    return (status.replicas if key.kind is AskKind.REPLICA else status.backing_images).get(key.name)
