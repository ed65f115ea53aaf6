"""The layout of an explanation on a terminal. The sentences in it come from ``decide.words``."""

from collections.abc import Iterable, Iterator, Sequence

from holdfast.decide import words
from holdfast.decide.explain import AskLine, Explanation


def text(found: Explanation) -> str:
    """An explanation for a person, ending with a newline."""
    return "\n".join(line.rstrip() for line in _lines(found)) + "\n"


def _lines(found: Explanation) -> Iterator[str]:
    yield f"disk {words.shown(found.disk)} on node {words.shown(found.node)}  ({found.uuid})"
    if found.closed is not None:
        yield f"  closed     {found.closed_words}"
    if not found.rules:
        yield "  size       unknown: no node reports this disk"
        yield f"  scheduled  {words.size(found.scheduled)}; nothing more is granted"
    else:
        yield f"  size       {words.size(found.maximum)}, {words.size(found.reserved)} reserved, {words.size(found.available)} available"
        yield f"  scheduled  {words.size(found.scheduled)} of {words.size(found.limit)}: room for {words.size(max(0, found.room))}"
        yield f"  limit      {found.policy.limit.value}, bound by {found.rule}"
        yield ""
        yield "rules"
        rows = [(line.rule.value, line.words, "" if line.holds else "broken", "binds" if line.binds else "") for line in found.rules]
        yield from _table(rows)
    yield ""
    yield "asks, the oldest object first" if found.asks else "nothing is asked of this disk"
    header = ("NAME", "KIND", "WANTED", "GRANTED", "STATE", "AGE", "TOKEN")
    for line, ask in zip(_table([header, *map(_row, found.asks)]), (None, *found.asks), strict=True):
        if found.asks:
            yield line
        if ask is not None and ask.words:
            yield f"      {ask.words}"
            yield from (f"      fix: {fix.words}" for fix in ask.fixes)
    if found.notes:
        yield ""
        yield "notes"
        yield from (f"  - {note}" for note in found.notes)


def _row(ask: AskLine) -> tuple[str, ...]:
    age = "unknown" if ask.age is None else words.age(ask.age)
    return (
        words.shown(ask.name),
        ask.kind.value,
        words.size(ask.wanted),
        words.size(ask.granted),
        ask.state,
        age,
        words.shown(ask.token or "-"),
    )


def _table(rows: Sequence[Iterable[str]]) -> Iterator[str]:
    cells = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
