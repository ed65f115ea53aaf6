"""What there is to know about one disk: its limit, every rule with its numbers, every ask with its verdict.

Made by the functions that decide, so an explanation can not differ from a decision. Works as well on objects that somebody saved:
then it says what would be decided now, and notes where the recorded status differs.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from holdfast.api.longhorn.backing_image import BackingImage
from holdfast.api.longhorn.disk_schedule import DiskSchedule, ScheduledResource, State
from holdfast.api.longhorn.node import LonghornNode
from holdfast.api.longhorn.replica import Replica
from holdfast.api.longhorn.setting import Setting
from holdfast.api.struct import wire_name
from holdfast.decide import words
from holdfast.decide.codes import Code
from holdfast.decide.gate import disk_behind
from holdfast.decide.ledger import Answer, Verdict, decide, worth_writing
from holdfast.decide.limit import Rule
from holdfast.decide.policy import Policy, policy_of
from holdfast.decide.reasons import Fix, Operands
from holdfast.decide.snapshot import released_by, situation_of
from holdfast.decide.values import AskKey, AskKind, Situation
from holdfast.decide.why import why


class RuleLine(Struct, frozen=True, gc=False, kw_only=True, rename=wire_name):
    """One rule of the limit, with what it compares."""

    rule: Code
    sum: int
    ceiling: int
    holds: bool
    binds: bool
    """It leaves the least room."""
    words: str


class FixLine(Struct, frozen=True, gc=False, rename=wire_name):
    """One thing that would help."""

    acts: Fix
    words: str


class AskLine(Struct, frozen=True, gc=False, kw_only=True, rename=wire_name):
    """One ask: what is recorded, and what would be decided now."""

    kind: AskKind
    name: str
    wanted: int
    granted: int
    """What the recorded status grants."""
    state: str
    """The recorded state: scheduled, rejected, or pending while there is none."""
    token: str
    age: float | None
    """Seconds since the named object was made; None when the object is not known."""
    refused_for: float | None = None
    """Seconds since it was refused."""
    verdict: State
    """What would be decided now."""
    code: Code | None = None
    shortfall: int = 0
    operands: tuple[Operands, ...] = ()
    words: str = ""
    fixes: tuple[FixLine, ...] = ()
    adopted: bool = False
    object_known: bool
    gone_for: float | None = None
    """Seconds since the named object is known to be gone."""
    removed_in: float | None = None
    """Seconds until such an ask may be removed."""


class Explanation(Struct, frozen=True, gc=False, kw_only=True, rename=wire_name):
    """One disk, explained."""

    disk: str
    node: str
    uuid: str
    closed: Code | None
    closed_words: str
    maximum: int
    reserved: int
    available: int
    policy: Policy
    limit: int
    """The largest sum of grants that is allowed."""
    scheduled: int
    room: int
    rule: str
    """The rule that binds."""
    rules: tuple[RuleLine, ...]
    asks: tuple[AskLine, ...]
    """The oldest object first: the order in which growth is granted."""
    notes: tuple[str, ...]
    recorded_differs: bool
    """The recorded status is not what would be decided now."""


def explain(
    schedule: DiskSchedule,
    node: LonghornNode | None,
    settings: Iterable[Setting],
    replicas: Iterable[Replica],
    images: Iterable[BackingImage],
    now: float,
) -> Explanation:
    """Everything about one disk; ``node`` is the Node of the schedule's spec.nodeID."""
    replica_named: Mapping[str, Replica] = {replica.metadata.name: replica for replica in replicas}
    image_named: Mapping[str, BackingImage] = {image.metadata.name: image for image in images}
    situation = situation_of(schedule, node, policy_of(settings), replica_named.get, image_named.get)
    verdict = decide(situation, now)
    differs = worth_writing(schedule.status, verdict.status)
    limit = verdict.status.limit
    closed = situation.closed
    return Explanation(
        disk=situation.disk_name,
        node=situation.node_id,
        uuid=schedule.metadata.name,
        closed=closed,
        closed_words="" if closed is None else words.closed_because(closed, situation.disk_name, situation.node_id),
        maximum=situation.disk.maximum,
        reserved=situation.disk.reserved,
        available=situation.disk.available,
        policy=situation.policy,
        limit=limit.bytes,
        scheduled=verdict.status.storage_scheduled,
        room=limit.bytes - verdict.status.storage_scheduled,
        rule=limit.rule,
        rules=tuple(_rule_line(rule, situation, verdict) for rule in verdict.rules) if _has_numbers(schedule, node) else (),
        asks=tuple(_ask_line(situation, verdict, answer, now) for answer in verdict.answers),
        notes=tuple(_notes(schedule, situation, verdict, differs=differs)),
        recorded_differs=differs,
    )


def _has_numbers(schedule: DiskSchedule, node: LonghornNode | None) -> bool:
    return not isinstance(disk_behind(schedule, node), Code)


def _rule_line(rule: Rule, situation: Situation, verdict: Verdict) -> RuleLine:
    counted = verdict.sums[rule.counts]
    return RuleLine(
        rule=rule.code,
        sum=counted,
        ceiling=rule.ceiling,
        holds=counted <= rule.ceiling,
        binds=rule.code is verdict.room.code,
        words=words.rule(rule.code, counted, rule.ceiling, situation.disk, situation.policy),
    )


def _ask_line(situation: Situation, verdict: Verdict, answer: Answer, now: float) -> AskLine:
    ask = answer.ask
    recorded = _recorded(situation, ask.key)
    reason = why(situation, verdict, answer)
    grace = situation.policy.orphan_grace
    return AskLine(
        kind=ask.key.kind,
        name=ask.key.name,
        wanted=ask.bytes,
        granted=0 if recorded is None else recorded.scheduled_size,
        state="pending" if recorded is None else recorded.state.value,
        token=ask.token,
        age=None if ask.created is None else max(0.0, now - ask.created),
        refused_for=None if answer.waits_since is None or answer.code is None else max(0.0, now - answer.waits_since),
        verdict=State.SCHEDULED if answer.code is None else State.REJECTED,
        code=answer.code,
        shortfall=reason.shortfall if reason else 0,
        operands=reason.operands if reason else (),
        words=words.reason(reason, situation.disk_name, situation.node_id) if reason else "",
        fixes=tuple(FixLine(fix, words.fix(fix)) for fix in reason.fixes) if reason else (),
        adopted=answer.adopted,
        object_known=ask.is_known,
        gone_for=None if ask.gone_since is None else max(0.0, now - ask.gone_since),
        removed_in=None if ask.gone_since is None else max(0.0, ask.gone_since + grace - now),
    )


def _recorded(situation: Situation, key: AskKey) -> ScheduledResource | None:
    status = situation.status
    return (status.replicas if key.kind is AskKind.REPLICA else status.backing_images).get(key.name)


def _notes(schedule: DiskSchedule, situation: Situation, verdict: Verdict, *, differs: bool) -> Iterable[str]:
    yield from (problem.words for problem in situation.policy.problems)
    if verdict.room.bytes < 0:
        limit = verdict.status.limit
        yield "over its limit: " + words.over_limit(verdict.status.storage_scheduled, limit.bytes, limit.rule)
    for answer in verdict.answers:
        if answer.ask.gone_since is not None:
            yield words.orphan(answer.ask.key, answer.ask.gone_since, situation.policy.orphan_grace)
        if answer.adopted:
            yield words.adopted(answer.ask.key)
    for key in released_by(schedule):
        yield words.released(key)
    if differs:
        yield words.differs(schedule.status, verdict.status)
