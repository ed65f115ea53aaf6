"""The verdict on one disk: who gets what, and what the books say afterwards.

The promise: a status that adds or grows a grant keeps every rule of the limit, recomputed from the same numbers. The one
exception is flagged: data that is on the disk already is *adopted*, whether it fits or not, because refusing it would not make
it smaller.

- A grant stays as long as its ask stands, whatever becomes of the disk or the settings. A smaller ask shrinks it at once; another
  uid inherits nothing.
- Growth is granted whole or refused, oldest object first. What was held counts, granted or refused.
- A refused elder blocks nobody, until it has waited for ``disk-schedule-aging`` and could fit on an emptier disk of this size.
- Deciding again what was decided changes nothing, in whatever order the asks come.
"""

from collections.abc import Mapping
from math import inf

from msgspec import Struct

from holdfast.api.longhorn.disk_schedule import DiskScheduleStatus, Limit, ScheduledResource, State
from holdfast.api.timestamps import seconds_of, timestamp
from holdfast.decide.codes import Code
from holdfast.decide.conditions import conditions_of
from holdfast.decide.limit import Books, Room, Rule, Sums, fits, room_on, rules_of, rules_when_empty, worst
from holdfast.decide.tokens import inherits
from holdfast.decide.values import INT64_MAX, Ask, AskKey, AskKind, Situation


class Answer(Struct, frozen=True, gc=False):
    """The verdict on one ask: granted, or refused with a code."""

    ask: Ask
    code: Code | None
    """Why the ask is refused; None when it is granted."""
    held: int
    """What it held before."""
    granted: int
    """What it holds now."""
    adopted: bool = False
    """Its data was there before it was granted, so nobody asked whether it fits."""
    waits_since: float | None = None
    """Since when it is refused."""


class Verdict(Struct, frozen=True, gc=False):
    """What was decided on one disk, and what it was decided with."""

    status: DiskScheduleStatus
    answers: tuple[Answer, ...]
    """One for every ask, the oldest object first."""
    room: Room
    books: Books
    """The grants, added up."""
    rules: tuple[Rule, ...]
    closed: Code | None
    elder: AskKey | None
    """The ask that has waited so long that younger growth waits for it."""
    look_again_at: float | None
    """When the grace of the first ask whose object is gone ends: from then on it may be removed."""

    @property
    def sums(self) -> Sums:
        """What the grants add up to."""
        return self.books.sums

    @property
    def grows(self) -> bool:
        """Whether any grant is added or grows."""
        return any(answer.granted > answer.held for answer in self.answers)

    def on(self, key: AskKey) -> Answer | None:
        """The verdict on one ask."""
        return next((answer for answer in self.answers if answer.ask.key == key), None)


def decide(situation: Situation, now: float) -> Verdict:
    """The verdict on every ask of a disk, and the status to record."""
    books = Books(situation.disk.written)
    turns = sorted((_turn_of(ask, situation.status) for ask in situation.asks), key=_seniority)
    for turn in turns:
        turn.enter(books)
    rules = rules_of(situation.disk, situation.policy)
    elder = None if situation.closed else _grant(turns, books, rules, situation, now)

    answers = []
    for turn in turns:
        code = None if turn.granted == turn.ask.bytes else situation.closed or _refusal(turn, books, rules)
        waits_since = None if code is None else now if turn.waits_since is None else turn.waits_since
        answers.append(Answer(turn.ask, code, turn.held, turn.granted, turn.adopted, waits_since))
    room = room_on(rules, books.sums)
    return Verdict(
        status=_status(situation, answers, books.sums, room, now),
        answers=tuple(answers),
        room=room,
        books=books,
        rules=rules,
        closed=situation.closed,
        elder=elder,
        look_again_at=min(
            (ask.gone_since + situation.policy.orphan_grace for ask in situation.asks if ask.gone_since is not None), default=None
        ),
    )


def worth_writing(before: DiskScheduleStatus, after: DiskScheduleStatus) -> bool:
    """Whether a new status says anything new. Other revisions with the same numbers do not: a quiet disk is never written."""
    return before != after and _without_revisions(before) != _without_revisions(after)


class _Turn:
    """One ask while its disk is being decided."""

    __slots__ = ("adopted", "ask", "entry", "granted", "held", "waits_since")

    def __init__(self, ask: Ask, entry: ScheduledResource | None) -> None:
        self.ask = ask
        self.entry = entry
        # A status edited by hand may claim anything: no grant is negative or larger than its ask.
        self.held = 0 if entry is None else min(max(0, entry.scheduled_size), ask.bytes)
        self.granted = self.held
        self.adopted = entry is not None and entry.adopted and self.held > 0
        if entry is None and ask.is_there:
            self.granted, self.adopted = ask.bytes, True
        self.waits_since = seconds_of(entry.last_transition_time) if entry is not None and entry.state is State.REJECTED else None

    def enter(self, books: Books) -> None:
        if self.granted:
            books.enter(self.ask.directory, self.granted, self.granted, self.ask.brings)

    def sums_if_granted(self, books: Books) -> Sums:
        return books.sums_after(self.ask.directory, self.ask.bytes - self.granted, self.ask.bytes, self.ask.brings)


def _turn_of(ask: Ask, status: DiskScheduleStatus) -> _Turn:
    entries = status.replicas if ask.key.kind is AskKind.REPLICA else status.backing_images
    entry = entries.get(ask.key.name)
    return _Turn(ask, entry if entry is not None and inherits(entry.token, ask.token) else None)


def _seniority(turn: _Turn) -> tuple[float, str, str]:
    created = turn.ask.created
    return inf if created is None else created, turn.ask.key.name, turn.ask.key.kind


def _grant(turns: list[_Turn], books: Books, rules: tuple[Rule, ...], situation: Situation, now: float) -> AskKey | None:
    """Grants what fits, the oldest first; the elder that blocks the rest, if one does.

    The sums only rise, so who is refused here is refused by the final books too.
    """
    elder: AskKey | None = None
    for turn in turns:
        if turn.granted == turn.ask.bytes:
            continue
        sums = turn.sums_if_granted(books)
        if fits(rules, sums) and (elder is None or _takes_nothing(books.sums, sums)):
            books.enter(turn.ask.directory, turn.ask.bytes - turn.granted, turn.ask.bytes, turn.ask.brings)
            # From here on it is a grant like any other: it was asked whether it fits.
            turn.granted, turn.adopted = turn.ask.bytes, False
        elif elder is None and _may_block(turn, situation, now):
            elder = turn.ask.key
    return elder


def _may_block(turn: _Turn, situation: Situation, now: float) -> bool:
    aging, ask = situation.policy.aging, turn.ask
    if not aging or ask.gone_since is not None or turn.waits_since is None or now - turn.waits_since < aging:
        return False
    return fits(rules_when_empty(situation.disk, situation.policy), Sums(ask.bytes, ask.bytes, ask.bytes, ask.brings))


def _takes_nothing(before: Sums, after: Sums) -> bool:
    """Whether growth costs no byte that an elder could use: its directory holds as much already."""
    return before[1:] == after[1:]


def _refusal(turn: _Turn, books: Books, rules: tuple[Rule, ...]) -> Code:
    # Judged by the final books, not by those of its turn: so the word is the same when the same is decided again.
    broken = worst(rules, turn.sums_if_granted(books))
    return Code.BEHIND_ELDER if broken is None else broken.code


def _status(situation: Situation, answers: list[Answer], sums: Sums, room: Room, now: float) -> DiskScheduleStatus:
    scheduled = min(sums.total, INT64_MAX)
    limit = Limit(
        bytes=min(sums.total + room.bytes, INT64_MAX),
        # A disk that is not there promises nothing: not by a rule, but because it is away.
        rule=(situation.closed if situation.closed is not None and not situation.disk.maximum else room.code).value,
        policy=situation.policy.limit.value,
        node_revision=situation.node_revision,
        settings_revisions=dict(situation.policy.revisions),
    )
    by_name = sorted(answers, key=lambda answer: answer.ask.key.name)
    return DiskScheduleStatus(
        replicas=_entries(by_name, AskKind.REPLICA, situation.status.replicas, now),
        backing_images=_entries(by_name, AskKind.IMAGE, situation.status.backing_images, now),
        storage_scheduled=scheduled,
        limit=limit,
        conditions=conditions_of(situation, limit, scheduled, now),
    )


def _entries(answers: list[Answer], kind: AskKind, before: Mapping[str, ScheduledResource], now: float) -> dict[str, ScheduledResource]:
    return {answer.ask.key.name: _entry(answer, before.get(answer.ask.key.name), now) for answer in answers if answer.ask.key.kind is kind}


def _entry(answer: Answer, before: ScheduledResource | None, now: float) -> ScheduledResource:
    ask, state = answer.ask, State.SCHEDULED if answer.code is None else State.REJECTED
    is_same = before is not None and before.state is state and inherits(before.token, ask.token)
    since = before.last_transition_time if before is not None and is_same and seconds_of(before.last_transition_time) is not None else ""
    return ScheduledResource(
        state=state,
        scheduled_size=answer.granted,
        token=ask.token,
        reason="" if answer.code is None else answer.code.value,
        last_transition_time=since or timestamp(now),
        orphaned_since="" if ask.gone_since is None else timestamp(ask.gone_since),
        adopted=answer.adopted,
    )


def _without_revisions(status: DiskScheduleStatus) -> tuple[object, ...]:
    limit = status.limit
    numbers = (limit.bytes, limit.rule, limit.policy)
    return status.replicas, status.backing_images, status.storage_scheduled, numbers, status.conditions
