"""Explanations of refusals: the numbers agree with the verdict, and what is advised helps."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.ledgers import NOW, Book, image, replica
from tests.support.situations import patient, recorded, situations

from holdfast.decide import words
from holdfast.decide.codes import RULES
from holdfast.decide.ledger import Answer, Verdict, decide
from holdfast.decide.policy import LimitPolicy
from holdfast.decide.reasons import Act, Fix, Step
from holdfast.decide.values import Disk, Situation
from holdfast.decide.why import why

GI = 2**30


def test_a_refusal_is_told_with_its_numbers():
    """The line that a person reads: what was asked, what is there, what may be, what is missing."""
    book = Book("500Gi", policy="longhorn")
    book.asks(fill="430Gi")
    book.asks(new="100Gi")
    line = words.reason(book.why("new"), "ssd1", "n3")
    assert line == "n3/ssd1  over-provisioned: 100Gi + 430Gi scheduled > 500Gi; short by 30Gi"


def test_the_nearest_fixes_are_named():
    """Free the bytes, or change the setting to the smallest value that helps, or ask for what fits."""
    book = Book("500Gi", policy="longhorn")
    book.asks(fill="430Gi")
    book.asks(new="100Gi")
    assert book.why("new").fixes == (
        (Act(Step.RELEASE, 30 * GI),),
        (Act(Step.OVER_PROVISIONING, 106),),
        (Act(Step.ASK_LESS, 70 * GI),),
    )
    said = words.fixes(book.why("new"))
    assert said == "free 30Gi on this disk, or raise storage-over-provisioning-percentage to 106, or ask for at most 70Gi"


def test_a_stop_sign_is_told_with_its_share():
    """Releasing asks would not help here: only bytes on the file system, or a smaller share."""
    book = Book("100Gi", policy="longhorn", least=25, available="20Gi")
    book.asks(new="10Gi")
    reason = book.why("new")
    assert words.reason(reason, "ssd1", "n3") == (
        "n3/ssd1  too little available: 20Gi available <= 25Gi (25% of 100Gi); short by 5,368,709,121 bytes"
    )
    assert reason.fixes == ((Act(Step.FREE, 5 * GI + 1),), (Act(Step.MINIMAL_AVAILABLE, 19),))


def test_what_an_image_brings_is_part_of_the_sentence():
    """Without it the numbers would seem to fit."""
    book = Book("100Gi", policy="longhorn", least=25, available="40Gi")
    book.holds(image("golden", content="15Gi"))
    verdict = book.asks_for_images(golden="15Gi")
    reason = why(book.situation, verdict, verdict.answers[0])
    assert reason is not None
    assert "40Gi available - 15Gi to be written <= 25Gi" in words.reason(reason, "ssd1", "n3")


def test_all_broken_rules_are_told_the_worst_first():
    """Curing one would only uncover the next."""
    book = Book("100Gi", available="40Gi")
    book.asks(new="110Gi")
    reason = book.why("new")
    assert [(broken.rule, broken.shortfall) for broken in reason.operands] == [("free-space", 70 * GI), ("over-provisioning", 10 * GI)]
    assert reason.shortfall == 70 * GI


def test_an_ask_that_is_larger_than_everything_granted_gets_no_advice_to_release():
    """Releasing all would not be enough, so it is not advised."""
    book = Book("100Gi")
    book.asks(fill="10Gi")
    book.asks(new="200Gi")
    assert {act.step for fix in book.why("new").fixes for act in fix} == {Step.OVER_PROVISIONING, Step.ASK_LESS}


def test_written_bytes_are_no_advice_where_only_a_part_of_them_comes_back():
    """At 50 % two bytes must be erased to promise one: releasing as many as are missing would not be enough."""
    book = Book("100Gi", over=50, available="20Gi", written={"full-dir": "20Gi"})
    book.holds(replica("full", healthy=True))
    book.asks(full="20Gi")
    book.asks(new="25Gi")
    assert book.refused() == {"new": "free-space"}
    assert {act.step for fix in book.why("new").fixes for act in fix} == {Step.OVER_PROVISIONING, Step.ASK_LESS}


def test_asking_less_is_no_advice_where_the_content_does_not_fit():
    """A smaller ask writes the same content."""
    book = Book("100Gi", policy="longhorn", least=25, available="40Gi")
    book.holds(image("golden", content="20Gi"))
    verdict = book.asks_for_images(golden="120Gi")
    reason = why(book.situation, verdict, verdict.answers[0])
    assert reason is not None
    assert {broken.rule for broken in reason.operands} == {"over-provisioning", "minimal-available"}
    assert {act.step for fix in reason.fixes for act in fix} == {Step.OVER_PROVISIONING, Step.MINIMAL_AVAILABLE}


def test_waiting_for_an_elder_names_the_elder():
    """It is not about bytes: the elder is whom to look at."""
    book = Book("100Gi")
    book.holds(replica("elder", age=1000), replica("young", age=1))
    book.asks(fill="50Gi")
    book.asks(elder="80Gi")
    book.passes(600)
    book.asks(young="1Gi")
    reason = book.why("young")
    assert reason.elder is not None
    assert reason.elder.name == "elder"
    assert "replica elder has waited too long" in words.reason(reason, "ssd1", "n3")


def test_a_granted_ask_has_no_reason():
    """Reasons are for refusals."""
    book = Book()
    verdict = book.asks(a="1Gi")
    assert why(book.situation, verdict, verdict.answers[0]) is None


@patient
@given(situations())
def test_the_reason_is_the_verdicts(situation):
    """An explanation that differs from the decision is worse than none."""
    verdict = decide(situation, NOW)
    for answer in verdict.answers:
        reason = why(situation, verdict, answer)
        assert (reason and reason.code) == answer.code
        if reason is not None and reason.code in RULES:
            assert reason.operands[0].rule is reason.code
            assert all(broken.growth + broken.counted - broken.ceiling == broken.shortfall > 0 for broken in reason.operands)
            assert words.reason(reason, "ssd1", "n3")


@patient
@given(situations(closed=st.none()))
def test_every_fix_makes_the_ask_fit(situation):
    """Advice that does not help costs a person's trust once and for all."""
    verdict = decide(situation, NOW)
    cases = [(answer, reason) for answer in verdict.answers if (reason := why(situation, verdict, answer)) and reason.code in RULES]
    for answer, reason in cases:
        for fix in reason.fixes:
            assert is_granted_after(fix, situation, verdict, answer)


def is_granted_after(fix: Fix, situation: Situation, verdict: Verdict, answer: Answer) -> bool:
    """Decide again on this ask alone, all others being as they were granted, after every act of the fix."""
    others = [replace(other.ask, bytes=other.granted) for other in verdict.answers if other is not answer and other.granted]
    situation = replace(recorded(situation, verdict), asks=(answer.ask, *others), policy=replace(situation.policy, aging=0))
    for act in fix:
        situation = done(act, situation, answer)
    found = decide(situation, NOW).on(answer.ask.key)
    return found is not None and found.code is None


def done(act: Act, situation: Situation, answer: Answer) -> Situation:
    policy, disk = situation.policy, situation.disk
    if act.step is Step.OVER_PROVISIONING:
        return replace(situation, policy=replace(policy, over_provisioning=act.amount))
    if act.step is Step.MINIMAL_AVAILABLE:
        return replace(situation, policy=replace(policy, minimal_available=act.amount))
    if act.step is Step.FREE:
        return replace(situation, disk=replace(disk, available=disk.available + act.amount))
    if act.step is Step.ASK_LESS:
        asks = [replace(ask, bytes=act.amount) if ask.key == answer.ask.key else ask for ask in situation.asks]
        assert answer.granted < act.amount < answer.ask.bytes
        return replace(situation, asks=tuple(asks))
    return without(act.amount, situation, answer.ask.directory)


def without(amount: int, situation: Situation, spared: str) -> Situation:
    """Others give back this many bytes, with the data in them."""
    disk, policy = situation.disk, situation.policy
    only_unwritten = policy.limit is LimitPolicy.WRITTEN_AWARE and policy.over_provisioning < 100
    written, asks = dict(disk.written), list(situation.asks)
    freed = 0
    for directory in sorted({ask.directory for ask in asks} - {spared}):
        largest = max(ask.bytes for ask in asks if ask.directory == directory)
        keeps = min(largest, written.get(directory, 0)) if only_unwritten else 0
        left = largest - min(amount, largest - keeps)
        amount -= largest - left
        if left == largest:
            continue
        asks = [
            replace(ask, bytes=min(ask.bytes, left), brings=min(ask.brings, left)) if ask.directory == directory else ask for ask in asks
        ]
        stays = written.get(directory, 0) if only_unwritten else min(written.get(directory, 0), left)
        freed += written.get(directory, 0) - stays
        written[directory] = stays
    assert amount == 0
    asks = [ask for ask in asks if ask.bytes]
    return replace(situation, asks=tuple(asks), disk=Disk(disk.maximum, disk.reserved, disk.available + freed, written))
