"""JSON documents as plain values: what equal means, how deep they may be, how they are copied.

Python says ``True == 1``; JSON does not. Documents come from strangers, so nothing here recurses deeper than ``MAX_DEPTH``:
a deeper document is refused with ``TooDeep`` before the interpreter's own limit is near.
"""

from typing import Any

#: Deeper than any real object by far, and shallow enough for every walk to fit into the interpreter's stack.
MAX_DEPTH = 200

_CONTAINERS = frozenset({dict, list})
_ABSENT = object()


class TooDeep(ValueError):
    """A document that is nested deeper than ``MAX_DEPTH``."""

    def __init__(self) -> None:
        super().__init__(f"the document is nested deeper than {MAX_DEPTH} levels")


def same(one: Any, other: Any, levels: int = MAX_DEPTH) -> bool:
    """Whether two values are the same JSON: 1 is 1.0, but not true; the order of keys does not matter, that of items does."""
    kind = type(one)
    if kind not in _CONTAINERS:
        return (kind is bool) is (type(other) is bool) and bool(one == other)
    if type(other) is not kind or len(one) != len(other):
        return False
    below = _one_less(levels)
    for key, value in one.items() if kind is dict else enumerate(one):
        twin = other.get(key, _ABSENT) if kind is dict else other[key]
        if value is not twin and not same(value, twin, below):
            return False
    return True


def copied(value: Any, levels: int = MAX_DEPTH) -> Any:
    """A copy that shares no map and no list with ``value``."""
    if type(value) not in _CONTAINERS:
        return value
    below = _one_less(levels)
    # Copied whole first: most items are scalars, and only the containers among them need a second look.
    copy = value.copy()
    for key, item in copy.items() if isinstance(copy, dict) else enumerate(copy):
        if type(item) in _CONTAINERS:
            copy[key] = copied(item, below)
    return copy


def check_depth(value: Any, levels: int = MAX_DEPTH) -> None:
    """Raises ``TooDeep`` for a document that is nested too deep."""
    if type(value) in _CONTAINERS:
        below = _one_less(levels)
        for item in value.values() if isinstance(value, dict) else value:
            if type(item) in _CONTAINERS:
                check_depth(item, below)


def _one_less(levels: int) -> int:
    if levels <= 0:
        raise TooDeep
    return levels - 1
