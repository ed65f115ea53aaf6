"""JSON documents as plain values: what equal means, how deep they may be, how they are copied.

Python says ``True == 1``; JSON does not. Documents come from strangers, so nothing here recurses deeper than ``MAX_DEPTH``:
a deeper document is refused with ``TooDeep`` before the interpreter's own limit is near.
"""

from typing import Any

#: Deeper than any real object by far, and shallow enough for every walk to fit into the interpreter's stack.
MAX_DEPTH = 200


class TooDeep(ValueError):
    """A document that is nested deeper than ``MAX_DEPTH``."""

    def __init__(self) -> None:
        super().__init__(f"the document is nested deeper than {MAX_DEPTH} levels")


def same(one: Any, other: Any, levels: int = MAX_DEPTH) -> bool:
    """Whether two values are the same JSON: 1 is 1.0, but not true; the order of keys does not matter, that of items does."""
    if one is other:
        return True
    if isinstance(one, dict) or isinstance(other, dict):
        if not (isinstance(one, dict) and isinstance(other, dict)) or one.keys() != other.keys():
            return False
        below = _one_less(levels)
        return all(same(value, other[key], below) for key, value in one.items())
    if isinstance(one, list) or isinstance(other, list):
        if not (isinstance(one, list) and isinstance(other, list)) or len(one) != len(other):
            return False
        below = _one_less(levels)
        return all(same(left, right, below) for left, right in zip(one, other, strict=True))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def copied(value: Any, levels: int = MAX_DEPTH) -> Any:
    """A copy that shares no map and no list with ``value``."""
    if isinstance(value, dict):
        below = _one_less(levels)
        return {key: copied(item, below) if isinstance(item, (dict, list)) else item for key, item in value.items()}
    if isinstance(value, list):
        below = _one_less(levels)
        return [copied(item, below) if isinstance(item, (dict, list)) else item for item in value]
    return value


def check_depth(value: Any, levels: int = MAX_DEPTH) -> None:
    """Raises ``TooDeep`` for a document that is nested too deep."""
    if isinstance(value, (dict, list)):
        below = _one_less(levels)
        for item in value.values() if isinstance(value, dict) else value:
            if isinstance(item, (dict, list)):
                check_depth(item, below)


def _one_less(levels: int) -> int:
    if levels <= 0:
        raise TooDeep
    return levels - 1
