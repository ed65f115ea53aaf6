"""Paths into objects, as printer columns and selectable fields write them: the part of JSONPath that definitions use.

``.spec.size``, ``.status.conditions[?(@.type=="Ready")].status``, ``.spec['a.b']``, ``.items[0]``, ``.items[*].name``. Something
that is not there gives nothing; a path that can not be read is a ``ValueError``.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

Step = Callable[[Any], list[Any]]

_FIELD = re.compile(r"\.((?:\\.|[^.\[\\])+)")
_QUOTED = re.compile(r"\[(?:'((?:\\.|[^'\\])*)'|\"((?:\\.|[^\"\\])*)\")\]")
_INDEX = re.compile(r"\[(-?\d+)\]", re.ASCII)
_SLICE = re.compile(r"\[(-?\d*):(-?\d*)\]", re.ASCII)
_EVERY = re.compile(r"\[\*\]|\.\*")
_FILTER = re.compile(r"\[\?\(\s*@((?:\.|\[)[^=!<>\s]*)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?)\s*)?\)\]")
_ESCAPED = re.compile(r"\\(.)")


@lru_cache(maxsize=1024)
def path(text: str) -> tuple[Step, ...]:
    """The steps of a path; raises ``ValueError``."""
    rest = text.removeprefix("$")
    if not rest.startswith((".", "[")):
        raise ValueError(f"the path {text!r} must start with a dot")
    steps: list[Step] = []
    while rest and rest != ".":
        step, rest = _next_step(rest, text)
        steps.append(step)
    return tuple(steps)


def find(value: Any, steps: tuple[Step, ...]) -> list[Any]:
    """Everything at the path, in order."""
    found = [value]
    for step in steps:
        found = [inner for item in found for inner in step(item)]
    return found


def _next_step(rest: str, text: str) -> tuple[Step, str]:
    if match := _EVERY.match(rest):
        return _every, rest[match.end() :]
    if match := _FIELD.match(rest):
        return _field(_ESCAPED.sub(r"\1", match[1])), rest[match.end() :]
    if match := _QUOTED.match(rest):
        return _field(_ESCAPED.sub(r"\1", match[1] if match[1] is not None else match[2])), rest[match.end() :]
    if match := _INDEX.match(rest):
        return _index(int(match[1])), rest[match.end() :]
    if match := _SLICE.match(rest):
        start, end = (int(part) if part else None for part in match.groups())
        return (lambda value: value[start:end] if isinstance(value, list) else []), rest[match.end() :]
    if match := _FILTER.match(rest):
        return _filter(path(match[1]), match[2], match[3]), rest[match.end() :]
    raise ValueError(f"the path {text!r} can not be read from {rest!r} on")


def _every(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def _field(name: str) -> Step:
    return lambda value: [value[name]] if isinstance(value, dict) and name in value else []


def _index(index: int) -> Step:
    return lambda value: [value[index]] if isinstance(value, list) and -len(value) <= index < len(value) else []


def _filter(steps: tuple[Step, ...], operator: str | None, literal: str | None) -> Step:
    wanted = _literal(literal) if literal is not None else None

    def holds(item: Any) -> bool:
        found = find(item, steps)
        return bool(found) and (operator is None or _compare(found[0], operator, wanted))

    return lambda value: [item for item in value if holds(item)] if isinstance(value, list) else []


def _literal(text: str) -> Any:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return _ESCAPED.sub(r"\1", text[1:-1])
    if text in {"true", "false"}:
        return text == "true"
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise ValueError(f"{text!r} is neither a number nor a text in quotes") from None


def _compare(left: Any, operator: str, right: Any) -> bool:
    if isinstance(left, bool) is not isinstance(right, bool) or isinstance(left, str) is not isinstance(right, str):
        return operator == "!="
    if operator in {"==", "!="}:
        return bool(left == right) is (operator == "==")
    if not isinstance(left, str | int | float):
        return False
    return bool({"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator])
