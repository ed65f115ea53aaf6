"""``holdfast simulate``: many seeds and who fails, or one run and what happened in it.

A seed that fails is cut down to a small run, which is told in full, with the command that plays exactly that run again.
"""

import sys
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import asdict, replace

from holdfast.cli.output import complain, tell
from holdfast.plane.failure import Failure
from holdfast.process import SystemClock
from holdfast.simulation.fault import names_on_the_wire
from holdfast.simulation.profiles import PROFILES
from holdfast.simulation.run import Outcome, areas, run, script_of
from holdfast.simulation.script import Script, Step
from holdfast.simulation.seeds import Tally, play
from holdfast.simulation.shrink import shrunk


class Wanted(Struct, frozen=True, kw_only=True):
    """What was typed."""

    area: str
    profile: str
    shrinks: bool
    processes: int = 0
    steps: str | None = None
    without: str = ""
    cast: str = ""


def check(wanted: Wanted) -> None:
    """Raises ``ValueError`` for what is not there."""
    if wanted.area not in areas():
        raise ValueError(f"there is no area {wanted.area!r}; there are {', '.join(areas())}")
    if wanted.profile not in PROFILES:
        raise ValueError(f"there is no profile {wanted.profile!r}; there are {', '.join(PROFILES)}")


def many(wanted: Wanted, first: int, count: int) -> None:
    """Play seeds. Raises ``Failure`` when one fails."""
    clock, tally, failed = SystemClock(), Tally(), list[Outcome]()
    began = clock.now()
    for outcome in play(wanted.area, range(first, first + count), wanted.profile, processes=wanted.processes):
        tally.counts(outcome)
        if not outcome.is_good:
            failed.append(outcome)
            _clear_line()
            tell(f"seed {outcome.script.seed}: {outcome.violations[0]}")
        _progress(f"{tally.seeds} of {count} seeds, {len(failed)} failed")
    _clear_line()
    seconds = max(clock.now() - began, 1e-6)
    tell(
        f"{wanted.area}, {wanted.profile}: {tally.seeds} seeds, {len(failed)} failed; {tally.seeds / seconds:.1f} seeds/s, "
        f"{tally.requests / seconds:,.0f} API requests/s, {tally.revisions:,} revisions checked"
    )
    if failed:
        _tell_failure(failed[0], wanted)
        raise Failure(f"{len(failed)} of {tally.seeds} seeds broke a promise. The first of them: {_command(failed[0].script)}")


def one(wanted: Wanted, seed: int, *, traces: bool) -> None:
    """Play one seed, or a part of it. Raises ``Failure`` when it fails."""
    script = _chosen(script_of(wanted.area, seed, wanted.profile), wanted)
    outcome = run(script, keeps=traces)
    if traces:
        tell("\n".join(outcome.lines))
    if outcome.is_good:
        tell(f"{_named(script)}: every promise was kept, in {outcome.requests} requests and {outcome.revisions} revisions")
        return
    if not traces:
        _tell_failure(outcome, wanted)
    raise Failure(f"{_named(script)}: {outcome.violations[0]}")


def _chosen(script: Script, wanted: Wanted) -> Script:
    if wanted.steps is not None:
        numbers = [_number(text, "--steps") for text in wanted.steps.split(",") if text]
        if beyond := [number for number in numbers if not 0 < number <= len(script.steps)]:
            raise ValueError(f"--steps: seed {script.seed} has steps 1 to {len(script.steps)}, and not {beyond[0]}")
        script = replace(script, steps=tuple(script.steps[number - 1] for number in sorted(set(numbers))))
    if wanted.without:
        script = replace(script, without=_without(wanted.without))
    for each in filter(None, wanted.cast.split(",")):
        name, _, count = each.partition("=")
        if name not in asdict(script.cast):
            raise ValueError(f"--cast: area {script.area} has no {name!r}; it has {', '.join(asdict(script.cast))}")
        script = replace(script, cast=replace(script.cast, **{name: _number(count, "--cast")}))
    return script


def _without(text: str) -> frozenset[str]:
    known = names_on_the_wire()
    names = known if text == "all" else frozenset(filter(None, text.split(",")))
    if unknown := sorted(names - known):
        raise ValueError(f"--without: there is no fault {unknown[0]!r}; there are {', '.join(sorted(known))}")
    return names


def _number(text: str, where: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"{where}: {text!r} is no number")
    return int(text)


def _tell_failure(outcome: Outcome, wanted: Wanted) -> None:
    if wanted.shrinks:
        _progress("cutting it down")
        outcome = shrunk(outcome, lambda words: _progress(f"cut down to {words}"))
        _clear_line()
        tell("")
        tell("\n".join(run(outcome.script, keeps=True).lines))
    tell("")
    for violation in outcome.violations[:5]:
        tell(f"  {violation}")
    tell(f"Again: {_command(outcome.script)} --trace")


def _command(script: Script) -> str:
    """The command that plays this very run."""
    whole = script_of(script.area, script.seed, script.profile)
    words = [f"holdfast simulate {script.area} --seed {script.seed}"]
    if script.profile != "usual":
        words.append(f"--profile {script.profile}")
    if script.steps != whole.steps:
        words.append(f"--steps {','.join(map(str, _numbers(script.steps, whole.steps))) or ','}")
    if script.without:
        words.append(f"--without {'all' if script.without == names_on_the_wire() else ','.join(sorted(script.without))}")
    before = asdict(whole.cast)
    if fewer := [f"{name}={count}" for name, count in asdict(script.cast).items() if before[name] != count]:
        words.append(f"--cast {','.join(fewer)}")
    return " ".join(words)


def _numbers(steps: Sequence[Step], whole: Sequence[Step]) -> list[int]:
    """Which steps of the whole these are, from 1 on. Both are in the same order."""
    found, start = [], 0
    for step in steps:
        start = whole.index(step, start) + 1
        found.append(start)
    return found


def _named(script: Script) -> str:
    return f"seed {script.seed} of {script.area}"


def _progress(words: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{words}")
        sys.stderr.flush()


def _clear_line() -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        complain("\r\x1b[K\x1b[A")
