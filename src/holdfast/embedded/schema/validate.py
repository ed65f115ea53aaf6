"""Whether values are what the schema says, with a cause for everything that is not.

The checks, their order and their counting follow the validator of Kubernetes: of several alternatives (anyOf, oneOf) that all
fail, the causes of the one that came closest are told, and "closest" is the number of checks that passed.

On an update a value that did not change is not refused, however wrong it is: a schema that was tightened does not lock its
objects. So it need not be looked at either. What alternatives say of it is not excused: they judge the value around it.
"""

import math
from typing import Any, Final

from holdfast.api.errors import StatusCause
from holdfast.api.struct import encode
from holdfast.embedded.schema import causes, numbers
from holdfast.embedded.schema.formats import is_string_format, matches
from holdfast.embedded.schema.node import Node
from holdfast.embedded.schema.values import is_integral, same, type_of

#: There was no value before, or none that this one can be compared with.
NOTHING: Final[Any] = object()


class Result:
    """What checking one value gave: causes, and how many checks passed."""

    __slots__ = ("causes", "matched")

    def __init__(self) -> None:
        self.causes: list[StatusCause] = []
        self.matched = 0

    def add(self, cause: StatusCause) -> None:
        if cause not in self.causes:
            self.causes.append(cause)

    def merge(self, other: "Result") -> None:
        for cause in other.causes:
            self.add(cause)
        self.matched += other.matched


def validate(value: Any, node: Node, path: str = "", prefix: str = "", old: Any = NOTHING) -> Result:
    """Check a value. ``prefix`` stands before paths in causes but not in their words, as in an update of status."""
    result = Result()
    if value is None:
        _check_type(value, node, path, prefix, result)
        _check_enum(value, node, path, prefix, result)
        return result
    if node.types or node.format:
        _check_type(value, node, path, prefix, result)
        result.matched += 1
    if node.has_junctors:
        _check_junctors(value, node, path, prefix, result)
    result.matched += 2
    if isinstance(value, str):
        _check_string(value, node, path, prefix, result)
        result.matched += 1
        if is_string_format(node.format):
            if node.format and not matches(node.format, value):
                words = f"{_in_body(path)} must be of type {node.format}: {causes.quoted(value)}"
                result.add(causes.type_invalid(_field(path, prefix), value, words))
            result.matched += 1
    elif isinstance(value, int | float) and not isinstance(value, bool):
        numbers.check(value, node, _in_body(path), path, _field(path, prefix), result.add)
        result.matched += 2
    elif isinstance(value, list):
        _check_list(value, node, path, prefix, old, result)
        result.matched += 2
    _check_enum(value, node, path, prefix, result)
    result.matched += 1
    if isinstance(value, dict):
        _check_object(value, node, path, prefix, old, result)
        result.matched += 1
    result.matched += 1
    return result


def _field(path: str, prefix: str) -> str:
    inner = path.removeprefix(".")
    if prefix and inner:
        return f"{prefix}.{inner}"
    return inner or prefix or causes.NOWHERE


def _in_body(path: str) -> str:
    return f"{path} in body"


def _check_type(value: Any, node: Node, path: str, prefix: str, result: Result) -> None:
    types = node.types
    if value is None:
        if types and not node.nullable:
            words = f'{_in_body(path)} must be of type {",".join(types)}: "null"'
            result.add(causes.type_invalid(_field(path, prefix), "null", words))
        else:
            result.matched += 1
        return
    kind, format_ = type_of(value)
    fits = kind in types or ("integer" in types and is_integral(value)) or (kind == "integer" and "number" in types)
    if node.format and not isinstance(value, str | list) and not fits and format_ != node.format:
        words = f"{_in_body(path)} must be of type {node.format}: {causes.quoted(format_)}"
        result.add(causes.type_invalid(_field(path, prefix), format_, words))
        return
    lenient = node.format and isinstance(value, str | list) and "number" not in types and "integer" not in types
    if not fits and not lenient:
        words = f"{_in_body(path)} must be of type {','.join(types)}: {causes.quoted(kind)}"
        result.add(causes.type_invalid(_field(path, prefix), kind, words))
        return
    result.matched += 1


def _check_enum(value: Any, node: Node, path: str, prefix: str, result: Result) -> None:
    if node.enum and not (value is not None and any(_is_allowed(value, allowed) for allowed in node.enum)):
        result.add(causes.not_supported(_field(path, prefix), value, node.enum))


def _is_allowed(value: Any, allowed: Any) -> bool:
    # against an integer Go cuts a float to one
    cut = isinstance(value, float) and isinstance(allowed, int) and math.isfinite(value)
    return same(int(value) if cut else value, allowed)


def _check_string(value: str, node: Node, path: str, prefix: str, result: Result) -> None:
    if node.max_length is not None and len(value) > node.max_length:
        result.add(causes.too_long(_field(path, prefix), node.max_length))
    elif node.min_length is not None and len(value) < node.min_length:
        words = f"{_in_body(path)} should be at least {node.min_length} chars long"
        result.add(causes.invalid(_field(path, prefix), value, words))
    elif node.pattern is not None and node.pattern.search(value) is None:
        result.add(causes.invalid(_field(path, prefix), value, f"{_in_body(path)} should match '{node.pattern_text}'"))


def _check_list(value: list[Any], node: Node, path: str, prefix: str, old: Any, result: Result) -> None:
    if node.items is not None:
        before = _old_items(value, node, old)
        for index, item in enumerate(value):
            _check_child(item, node.items, f"{path}[{index}]", prefix, before[index] if before else NOTHING, result)
    size = len(value)
    if node.min_items is not None and size < node.min_items:
        words = f"{_in_body(path)} should have at least {node.min_items} items"
        result.add(causes.invalid(_field(path, prefix), size, words))
    if node.max_items is not None and size > node.max_items:
        result.add(causes.too_many(_field(path, prefix), size, node.max_items))
    if node.unique_items and any(same(item, other) for index, item in enumerate(value) for other in value[:index]):
        result.add(causes.invalid(_field(path, prefix), "", f"{_in_body(path)} shouldn't contain duplicates"))


def _old_items(value: list[Any], node: Node, old: Any) -> list[Any] | None:
    """What each item was before, found by its keys; only a list that is a map can tell."""
    if node.list_type != "map" or not isinstance(old, list):
        return None

    def key(item: Any) -> str | None:
        return causes.compact([item.get(name) for name in node.map_keys]) if isinstance(item, dict) else None

    before = {key(item): item for item in reversed(old)}
    return [before.get(key(item), NOTHING) if isinstance(item, dict) else NOTHING for item in value]


def _check_object(value: dict[str, Any], node: Node, path: str, prefix: str, old: Any, result: Result) -> None:
    size = len(value)
    if node.min_properties is not None and size < node.min_properties:
        words = f"{_in_body(path)} should have at least {node.min_properties} properties"
        result.add(causes.invalid(_field(path, prefix), size, words))
    if node.max_properties is not None and size > node.max_properties:
        result.add(causes.too_many(_field(path, prefix), size, node.max_properties))
    before = old if isinstance(old, dict) else {}
    if node.additional_allowed is False:
        for key in value:
            if key not in node.properties:
                result.add(causes.invalid(_field(path, prefix), key, f"{path}.{key} in body is a forbidden property"))
    elif node.additional is not None:
        for key, item in value.items():
            if key not in node.properties:
                _check_child(item, node.additional, f"{path}.{key}", prefix, before.get(key, NOTHING), result)
    for key, inner in node.properties.items():
        if key in value:
            _check_child(value[key], inner, f"{path}.{key}" if path else key, prefix, before.get(key, NOTHING), result)
    for key in node.required:
        if key not in value:
            result.add(causes.required(_field(f"{path}.{key}", prefix)))


def _check_child(value: Any, node: Node, path: str, prefix: str, old: Any, result: Result) -> None:
    is_ratcheted = old is not NOTHING and path not in {"apiVersion", "kind", "metadata"}
    if is_ratcheted and _is_plainly_the_same(value, old):
        return
    found = validate(value, node, path, prefix, old)
    if found.causes and is_ratcheted and same(value, old):
        found.causes = []
    result.merge(found)


def _is_plainly_the_same(value: Any, old: Any) -> bool:
    """A quick look that may miss sameness but never claims it: true equals 1 for Python, and not here."""
    if type(value) is not type(old) or value != old:
        return False
    return not isinstance(value, dict | list) or encode(value) == encode(old)


def _check_junctors(value: Any, node: Node, path: str, prefix: str, result: Result) -> None:
    if node.any_of:
        _check_any_of(value, node.any_of, path, prefix, result)
    if node.one_of:
        _check_one_of(value, node.one_of, path, prefix, result)
    if node.all_of:
        passed = 0
        for inner in node.all_of:
            one = validate(value, inner, path, prefix)
            passed += not one.causes
            result.merge(one)
        if passed < len(node.all_of):
            none = "" if passed else ". None validated"
            result.add(_whole(f"{causes.quoted(path)} must validate all the schemas (allOf){none}", prefix))
    if node.not_ is not None and not validate(value, node.not_, path, prefix).causes:
        result.add(_whole(f"{causes.quoted(path)} must not validate the schema (not)", prefix))


def _whole(words: str, prefix: str) -> StatusCause:
    """A cause of these kinds names no field, only the words do."""
    return causes.invalid(prefix or causes.NOWHERE, "", words)


def _check_any_of(value: Any, schemas: list[Node], path: str, prefix: str, result: Result) -> None:
    closest: Result | None = None
    for inner in schemas:
        one = validate(value, inner, path, prefix)
        if not one.causes:
            result.merge(one)
            return
        if closest is None or one.matched > closest.matched:
            closest = one
    result.add(_whole(f"{causes.quoted(path)} must validate at least one schema (anyOf)", prefix))
    if closest is not None:
        result.merge(closest)


def _check_one_of(value: Any, schemas: list[Node], path: str, prefix: str, result: Result) -> None:
    closest: Result | None = None
    passed: list[Result] = []
    for inner in schemas:
        one = validate(value, inner, path, prefix)
        if not one.causes:
            passed.append(one)
        elif not passed and (closest is None or one.matched > closest.matched):
            closest = one
    if len(passed) == 1:
        result.merge(passed[0])
        return
    found = f"Found {len(passed)} valid alternatives" if passed else "Found none valid"
    result.add(_whole(f"{causes.quoted(path)} must validate one and only one schema (oneOf). {found}", prefix))
    if not passed and closest is not None:
        result.merge(closest)
