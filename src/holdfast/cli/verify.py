"""``holdfast verify --record FILE``: reads what an API committed and says where a promise was broken."""

import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import msgspec
import typer
from msgspec import Struct

from holdfast.cli.output import FAILED, tell
from holdfast.plane.failure import Failure
from holdfast.simulation.checker import Checker, Violation
from holdfast.simulation.record import RecordError, parse_record

#: So many revisions are checked between two words on a terminal.
_STEP: Final = 5000


class Judgement(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a record was found to be."""

    revisions: int
    grants: int
    objects: int
    """That live after the last revision."""
    at_rest: bool
    """Whether the end was judged as a state in which nobody has anything left to do."""
    violations: tuple[Violation, ...]


def verify_record(path: Path, *, at_rest: bool, as_json: bool) -> None:
    """Judge a record; the exit code says whether anything was found."""
    try:
        with _opened(path) as (lines, source):
            found = judged(lines, source, at_rest=at_rest)
    except RecordError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--record") from error
    tell(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() if as_json else text(found))
    if found.violations:
        raise typer.Exit(FAILED)


def judged(lines: Iterable[bytes], source: str, *, at_rest: bool) -> Judgement:
    """What the checker says of a record. Raises ``RecordError`` for what is none."""
    checker, violations, count = Checker(), list[Violation](), 0
    with _progress() as shows:
        for count, revision in enumerate(parse_record(lines, source), start=1):
            violations += checker.see(revision)
            if count % _STEP == 0:
                shows(count)
    if not count:
        raise RecordError(f"{source} holds no revision")
    if at_rest:
        violations += checker.at_rest()
    return Judgement(revisions=count, grants=checker.grants_seen, objects=checker.past.count, at_rest=at_rest, violations=tuple(violations))


def text(found: Judgement) -> str:
    """For people: each violation in a line, and what was looked at."""
    seen = f"{_count(found.revisions, 'revision')}, {_count(found.grants, 'grant')}, {_count(found.objects, 'object')} at the end"
    end = "The end was judged as a state at rest." if found.at_rest else "Whether the end is at rest was not judged (--at-rest)."
    verdict = f"{_count(len(found.violations), 'promise')} broken." if found.violations else "Every promise held."
    return "\n".join([*(_in_one_line(str(each)) for each in found.violations), f"Checked {seen}. {end}", verdict])


@contextmanager
def _opened(path: Path) -> Iterator[tuple[IO[bytes], str]]:
    if str(path) == "-":
        if sys.stdin is None:
            raise Failure("standard input is closed.")
        yield sys.stdin.buffer, "standard input"
        return
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not stat.S_ISFIFO(path.stat().st_mode):
            raise RecordError(f"{path} is no file")
        with path.open("rb") as lines:
            yield lines, str(path)
    except OSError as error:
        raise typer.BadParameter(f"cannot read {path}: {error.strerror or error}.", param_hint="--record") from error


@contextmanager
def _progress() -> Iterator["Shown"]:
    shown = Shown()
    try:
        yield shown
    finally:
        shown.ends()


class Shown:
    """How far it is, for a person who waits at a terminal. Anybody else is told nothing."""

    def __init__(self) -> None:
        self._out = sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None
        self._length = 0

    def __call__(self, count: int) -> None:
        self._write(f"{count:,} revisions checked")

    def ends(self) -> None:
        """Leave nothing on the screen."""
        if self._length:
            self._write("")

    def _write(self, words: str) -> None:
        if self._out is None:
            return
        try:
            self._out.write(f"\r{words:<{self._length}}{'' if words else chr(13)}")
            self._out.flush()
        except OSError:
            self._out = None  # the terminal is gone, the work is not
        self._length = len(words)


def _in_one_line(words: str) -> str:
    """A key of a map may be any text, and could break the line or speak to the terminal."""
    return "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in words)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
