"""A quick yes for objects that need no work: nothing to prune, no default to fill in, and valid.

Most writes are of such objects, and the passes that change and judge them look at everything several times. So a schema is made
into functions, one per node, that look once. They only ever say "plainly all right" or "look closer": what they do not know, or
know to be wrong, is for the passes, which find the words for it. A schema that uses what is not known here gets no quick yes.
"""

from collections.abc import Callable
from typing import Any, Final

from holdfast.embedded.schema.formats import is_string_format, matches
from holdfast.embedded.schema.node import Node

Plain = Callable[[Any], bool]
"""Whether a value is plainly all right."""

_INT32: Final = range(-(2**31), 2**31)
_INT64: Final = range(-(2**63), 2**63)
_FLOATS: Final = frozenset({dict, list, float})
_TEXTS: Final = frozenset({str})


def _never(_: Any) -> bool:
    return False


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_flag(value: Any) -> bool:
    return type(value) is bool


def plain_object(root: Node) -> Plain:
    """For whole objects. Their metadata is judged elsewhere; here it only must hold no number that would be written otherwise."""
    metadata = root.properties.get("metadata")
    if (metadata is not None and not _asks_nothing_more(metadata, "object")) or root.additional_allowed is not None:
        return _never
    always = {"apiVersion": _is_text, "kind": _is_text} | {name: plain(inner) for name, inner in root.properties.items()}
    return _object(root, always | {"metadata": _is_settled_map})


def plain(node: Node) -> Plain:
    """For values of a schema."""
    if node.has_junctors or node.embedded or node.multiple_of is not None or node.unique_items:
        return _never
    if node.preserve:
        return _preserved(node)
    make = _MAKERS.get(node.types)
    if make is None:
        return _never
    check = make(node)
    if node.nullable and not node.enum:
        return lambda value: value is None or check(value)
    return check


def _asks_nothing_more(node: Node, *types: str) -> bool:
    """Whether the type is all that a node says."""
    bounds = (
        node.minimum, node.maximum, node.min_length, node.max_length, node.min_items, node.max_items, node.min_properties,
        node.max_properties, node.additional, node.additional_allowed, node.items, node.pattern, node.multiple_of,
    )  # fmt: skip
    flags = node.properties, node.required, node.enum, node.has_default, node.has_junctors, node.embedded, node.format, node.unique_items
    return node.types == types and all(bound is None for bound in bounds) and not any(flags)


def _preserved(node: Node) -> Plain:
    if _asks_nothing_more(node):
        return lambda value: value is not None and _is_settled(value)
    return _is_settled_map if _asks_nothing_more(node, "object") else _never


def _is_settled_map(value: Any) -> bool:
    return type(value) is dict and _is_settled(value)


def _is_settled(value: Any) -> bool:
    """Whether no number in it would be written otherwise. Nulls stay where nobody says what belongs there."""
    kind = type(value)
    if kind is dict:
        value = value.values()
    elif kind is not list:
        return kind is not float
    return _FLOATS.isdisjoint(map(type, value)) or all(_is_settled(item) for item in value if type(item) in _FLOATS)


def _text(node: Node) -> Plain:
    # Bounds are told apart from text that is empty: None bounds nothing.
    allowed = frozenset(node.enum) if all(type(item) is str for item in node.enum) else None
    if allowed is None:
        return _never
    checks: list[Plain] = []
    if allowed:
        checks.append(allowed.__contains__)
    least, most, pattern, form = node.min_length, node.max_length, node.pattern, node.format
    if least is not None:
        checks.append(lambda value: len(value) >= least)
    if most is not None:
        checks.append(lambda value: len(value) <= most)
    if pattern is not None:
        checks.append(lambda value: pattern.search(value) is not None)
    if form and is_string_format(form):
        checks.append(lambda value: matches(form, value))
    if not checks:
        return _is_text
    return lambda value: type(value) is str and all(check(value) for check in checks)


def _whole(node: Node) -> Plain:
    if node.enum or node.format not in {"", "int32", "int64"}:
        return _never
    span = _INT32 if node.format == "int32" else _INT64
    least, most = span[0], span[-1]
    for bound in (node.minimum, node.maximum):
        if bound is not None and (not float(bound).is_integer() or int(bound) not in span):
            return _never
    if node.minimum is not None:
        least = max(least, int(node.minimum) + node.exclusive_minimum)
    if node.maximum is not None:
        most = min(most, int(node.maximum) - node.exclusive_maximum)
    return lambda value: type(value) is int and least <= value <= most


def _number(node: Node) -> Plain:
    if node.enum or node.format not in {"", "double"} or node.minimum is not None or node.maximum is not None:
        return _never

    def check(value: Any) -> bool:
        kind = type(value)
        return value in _INT64 if kind is int else kind is float and not value.is_integer()

    return check


def _whole_or_text(node: Node) -> Plain:
    bounds = node.minimum, node.maximum, node.min_length, node.max_length, node.pattern
    if node.enum or node.format or any(bound is not None for bound in bounds):
        return _never
    return lambda value: type(value) is str or (type(value) is int and value in _INT64)


def _flag(node: Node) -> Plain:
    return _never if node.enum or node.format else _is_flag


def _list(node: Node) -> Plain:
    if node.items is None or node.enum or node.format:
        return _never
    inner = plain(node.items)
    least, most = node.min_items or 0, node.max_items

    def check(value: Any) -> bool:
        if type(value) is not list or len(value) < least or (most is not None and len(value) > most):
            return False
        return all(map(inner, value))

    return check


def _object(node: Node, known: dict[str, Plain] | None = None) -> Plain:
    if node.has_junctors or node.preserve or node.enum or node.format or node.types != ("object",):
        return _never
    declared = {name: plain(inner) for name, inner in node.properties.items()} if known is None else known
    others = plain(node.additional) if node.additional is not None else None
    needed = frozenset(node.required) | {name for name, inner in node.properties.items() if inner.has_default}
    least, most = node.min_properties or 0, node.max_properties
    if others is _is_text and not declared and not needed and not least and most is None:
        return lambda value: type(value) is dict and _TEXTS.issuperset(map(type, value.values()))
    check_of = declared.get

    def check(value: Any) -> bool:
        if type(value) is not dict or len(value) < least or (most is not None and len(value) > most):
            return False
        for key, item in value.items():
            inner = check_of(key, others)
            if inner is None or not inner(item):
                return False
        return needed <= value.keys()

    return check


_MAKERS: Final[dict[tuple[str, ...], Callable[[Node], Plain]]] = {
    ("string",): _text,
    ("integer",): _whole,
    ("number",): _number,
    ("integer", "string"): _whole_or_text,
    ("boolean",): _flag,
    ("array",): _list,
    ("object",): _object,
}
