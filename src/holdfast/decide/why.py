"""Why an ask is refused, in numbers, and what would help: computed when somebody asks.

The verdict itself carries one code per refused ask. ``why`` goes back to the numbers that the verdict was made with, so the two
can not disagree: the first broken rule is the verdict's code, and each fix, applied, makes the ask fit.
"""

from collections.abc import Iterator

from holdfast.decide import settings
from holdfast.decide.codes import RULES, Code
from holdfast.decide.ledger import Answer, Verdict
from holdfast.decide.limit import Sums
from holdfast.decide.policy import LimitPolicy
from holdfast.decide.reasons import Act, Fix, Operands, Reason, Step
from holdfast.decide.values import Situation


def why(situation: Situation, verdict: Verdict, answer: Answer) -> Reason | None:
    """Why this ask is refused; None when it is granted."""
    code, subject = answer.code, answer.ask.key
    if code is None:
        return None
    if code is Code.BEHIND_ELDER:
        return Reason(code=code, subject=subject, elder=verdict.elder, fixes=((Act(Step.WAIT),),))
    if code not in RULES:
        return Reason(code=code, subject=subject)
    ask = answer.ask
    after = verdict.books.sums_after(ask.directory, ask.bytes - answer.granted, ask.bytes, ask.brings)
    operands = _operands(situation, verdict, after)
    return Reason(code=code, subject=subject, operands=operands, fixes=tuple(_fixes(situation, verdict, answer, after, operands)))


def _operands(situation: Situation, verdict: Verdict, after: Sums) -> tuple[Operands, ...]:
    disk, policy = situation.disk, situation.policy
    shares = {
        Code.STORAGE_AVAILABLE: (100, disk.available),
        Code.OVER_PROVISIONING: (policy.over_provisioning, max(0, disk.maximum - disk.reserved)),
        Code.FREE_SPACE: (policy.over_provisioning, disk.available),
        Code.MINIMAL_AVAILABLE: (policy.minimal_available, disk.maximum),
    }
    broken = []
    for rule in verdict.rules:
        counted, wanted = verdict.sums[rule.counts], after[rule.counts]
        if wanted > rule.ceiling:
            percent, of = shares[rule.code]
            broken.append(Operands(rule=rule.code, growth=wanted - counted, counted=counted, ceiling=rule.ceiling, percent=percent, of=of))
    return tuple(sorted(broken, key=lambda operands: -operands.shortfall))


def _fixes(situation: Situation, verdict: Verdict, answer: Answer, after: Sums, broken: tuple[Operands, ...]) -> Iterator[Fix]:
    """What each would be enough, where it is possible at all: released bytes, settings, a smaller ask."""
    short = {operands.rule: operands.shortfall for operands in broken}
    is_stopped = Code.MINIMAL_AVAILABLE in short
    freed = _freed(situation, short.pop(Code.MINIMAL_AVAILABLE, 0))
    lowered = _lowered(situation, after) if is_stopped else ()
    if not short:
        yield from (fix for fix in (freed, lowered) if fix)
        return

    needed = max(short.values())
    if needed <= _releasable(situation, verdict, answer) and freed is not None:
        yield (Act(Step.RELEASE, needed), *freed)
    raised = _raised(situation, after, short)
    stop_sign = lowered if lowered is not None else freed
    if raised is not None and stop_sign is not None:
        yield (raised, *stop_sign)
    if verdict.room.bytes > 0 and not is_stopped:
        yield (Act(Step.ASK_LESS, answer.granted + verdict.room.bytes),)


def _freed(situation: Situation, needed: int) -> Fix | None:
    """Bytes of the file system to free, if it uses as many."""
    if not needed:
        return ()
    return (Act(Step.FREE, needed),) if situation.disk.available + needed <= situation.disk.maximum else None


def _lowered(situation: Situation, after: Sums) -> Fix | None:
    """The largest share to keep free with which the stop sign goes out, if there is one."""
    spare = situation.disk.available - after.brought
    if spare <= 0 or not situation.disk.maximum:
        return None
    return (Act(Step.MINIMAL_AVAILABLE, (100 * spare - 1) // situation.disk.maximum),)


def _raised(situation: Situation, after: Sums, short: dict[Code, int]) -> Act | None:
    """The smallest over-provisioning with which the sums fit, if percentages can do it."""
    disk = situation.disk
    sides = {
        Code.OVER_PROVISIONING: (after.scheduled, max(0, disk.maximum - disk.reserved)),
        Code.FREE_SPACE: (after.owed, disk.available),
    }
    percent = 0
    for rule in short:
        wanted, of = sides.get(rule, (0, 0))
        if not of:
            return None
        percent = max(percent, -(-100 * wanted // of))
    return Act(Step.OVER_PROVISIONING, percent) if percent <= settings.MOST_OVER_PROVISIONING else None


def _releasable(situation: Situation, verdict: Verdict, answer: Answer) -> int:
    """How many bytes others could release so that the sums fall by as many."""
    policy, directory = situation.policy, answer.ask.directory
    held = verdict.books.held_in(directory)
    if policy.limit is LimitPolicy.WRITTEN_AWARE and policy.over_provisioning < 100:
        # Of a byte that was written only a part comes back to the ceiling of rule 1, so only unwritten ones are sure to help.
        return verdict.sums.owed - max(0, held - situation.disk.written.get(directory, 0))
    return verdict.sums.scheduled - held
