"""What holds for every disk, every ask and every status, also one that was edited by hand."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.ledgers import NOW
from tests.support.limit_oracle import Held, Numbers, broken_rules
from tests.support.situations import patient, recorded, situations

from holdfast.api.longhorn.disk_schedule import DiskScheduleStatus, ScheduledResource, State
from holdfast.decide.ledger import decide, worth_writing
from holdfast.decide.tokens import inherits
from holdfast.decide.values import Ask, AskKind, Situation


def entry_of(status: DiskScheduleStatus, ask: Ask) -> ScheduledResource | None:
    return (status.replicas if ask.key.kind is AskKind.REPLICA else status.backing_images).get(ask.key.name)


def held_before(situation: Situation, ask: Ask) -> int:
    """What the status really granted this ask, whatever it claims."""
    entry = entry_of(situation.status, ask)
    if entry is None or not inherits(entry.token, ask.token):
        return 0
    return max(0, min(entry.scheduled_size, ask.bytes))


def broken_after(situation: Situation, status: DiskScheduleStatus) -> set[str]:
    disk, policy = situation.disk, situation.policy
    numbers = Numbers(
        disk.maximum,
        disk.reserved,
        disk.available,
        dict(disk.written),
        policy.over_provisioning,
        policy.minimal_available,
        policy.limit,
    )
    entries = [(ask, entry_of(status, ask)) for ask in situation.asks]
    return broken_rules(numbers, [Held(ask.directory, entry.scheduled_size, ask.brings) for ask, entry in entries if entry])


@patient
@given(situations())
def test_a_status_that_grows_a_grant_keeps_every_rule(situation):
    """D-01, D-47: the promise of the ledger, checked by other arithmetic."""
    status = decide(situation, NOW).status
    for ask in situation.asks:
        entry = entry_of(status, ask)
        assert entry is not None
        if entry.scheduled_size > held_before(situation, ask) and not entry.adopted:
            assert situation.closed is None
            assert broken_after(situation, status) == set()


@patient
@given(situations())
def test_a_grant_shrinks_only_with_its_ask(situation):
    """D-62: nothing that is in use is ever taken away."""
    status = decide(situation, NOW).status
    for ask in situation.asks:
        entry = entry_of(status, ask)
        assert entry is not None
        assert held_before(situation, ask) <= entry.scheduled_size <= ask.bytes


@patient
@given(situations())
def test_every_ask_has_one_verdict_and_nothing_else_has(situation):
    """D-38, D-43, D-48: granted or refused with a reason, never silent, and never for an ask that is not there."""
    verdict = decide(situation, NOW)
    status = verdict.status
    assert status.replicas.keys() == {ask.key.name for ask in situation.asks if ask.key.kind is AskKind.REPLICA}
    assert status.backing_images.keys() == {ask.key.name for ask in situation.asks if ask.key.kind is AskKind.IMAGE}
    for ask in situation.asks:
        entry = entry_of(status, ask)
        assert entry is not None
        assert (entry.state is State.SCHEDULED) == (entry.scheduled_size == ask.bytes) == (entry.reason == "")
        assert entry.token == ask.token


@patient
@given(situations(), st.randoms(use_true_random=False))
def test_the_order_of_keys_changes_nothing(situation, shuffler):
    """D-48: maps have no order; two managers must write the same."""
    asks = list(situation.asks)
    shuffler.shuffle(asks)
    status = situation.status
    backwards = replace(status, replicas=dict(reversed(status.replicas.items())))
    assert decide(replace(situation, asks=tuple(asks), status=backwards), NOW).status == decide(situation, NOW).status


@patient
@given(situations(), st.integers(0, 100_000))
def test_deciding_again_changes_nothing(situation, later):
    """Quiet means no writes: neither at once nor when time has passed."""
    first = decide(situation, NOW)
    again = recorded(situation, first)
    assert decide(again, NOW).status == first.status
    assert not worth_writing(first.status, decide(again, NOW + later).status)


@patient
@given(situations())
def test_the_sum_is_the_sum_and_the_limit_says_what_is_left(situation):
    """D-35, D-46: recorded numbers are right, whatever was recorded before, and fit the wire."""
    verdict = decide(situation, NOW)
    status = verdict.status
    entries = [*status.replicas.values(), *status.backing_images.values()]
    assert status.storage_scheduled == sum(entry.scheduled_size for entry in entries)
    assert status.limit.bytes - status.storage_scheduled == verdict.room.bytes
    assert 0 <= status.limit.bytes < 2**63
    is_over = any(condition.type == "OverLimit" for condition in status.conditions)
    assert is_over == (status.storage_scheduled > status.limit.bytes)


@patient
@given(situations(closed=st.none()))
def test_nobody_is_refused_what_fits(situation):
    """D-14: what finds room is granted, unless it has to wait for an elder."""
    verdict = decide(situation, NOW)
    for answer in verdict.answers:
        if answer.code is None or answer.code == "behind-elder":
            continue
        entries = recorded(situation, verdict).status
        maps = {AskKind.REPLICA: entries.replicas, AskKind.IMAGE: entries.backing_images}
        entry = replace(maps[answer.ask.key.kind][answer.ask.key.name], scheduled_size=answer.ask.bytes)
        maps[answer.ask.key.kind] = maps[answer.ask.key.kind] | {answer.ask.key.name: entry}
        granted = replace(entries, replicas=maps[AskKind.REPLICA], backing_images=maps[AskKind.IMAGE])
        assert answer.code in broken_after(situation, granted)
