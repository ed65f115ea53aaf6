"""JSON Patches (RFC 6902), with the meaning that kube-apiserver gives them.

Operations run in order, all or none. Where kube-apiserver departs from the RFC in a way that changes what a writer must do,
so does this, or a mistake would first show on a real cluster:

- ``test`` for ``null`` passes when a present map lacks the key, and fails when the map itself is absent;
- ``replace`` sets a key that a present map lacks: who means "only if it is still there" tests it first;
- at most 10,000 operations, and copies of at most 3 MiB in sum;
- what is absent is null: a ``value`` that is not given, and a key that a present map lacks when it is copied;
- an index may be negative and counts from the end then; a ``~`` that escapes nothing stands for itself;
- an operation with a wrong name, or without its path, is well-formed and fails.
"""

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from holdfast.api.json_values import check_depth, copied, same
from holdfast.api.struct import encode

MAX_OPERATIONS = 10_000
MAX_COPIED_BYTES = 3 * 1024 * 1024

_INDEX = re.compile(r"[-+]?[0-9]{1,10}")
_OPERATIONS = frozenset({"add", "remove", "replace", "move", "copy", "test"})
_ABSENT = object()


class PatchFailed(Exception):
    """A well-formed patch that does not apply: a test failed or a path is missing."""


class TooManyOperations(ValueError):
    """More operations than one patch may have."""

    def __init__(self, count: int) -> None:
        super().__init__(f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {count}")


def pointer(*parts: str | int) -> str:
    """The JSON Pointer to a place, each part escaped: ``pointer("metadata", "labels", "a/b")`` is ``/metadata/labels/a~1b``."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def test(path: str, value: Any) -> dict[str, Any]:
    """Fails the patch unless ``path`` holds ``value``; None also stands for a key that is not there."""
    return {"op": "test", "path": path, "value": value}


def add(path: str, value: Any) -> dict[str, Any]:
    """Sets a key, or inserts into a list before an index (``-`` is the end)."""
    return {"op": "add", "path": path, "value": value}


def replace(path: str, value: Any) -> dict[str, Any]:
    """Sets a key, also one that is not there, or an item that a list has."""
    return {"op": "replace", "path": path, "value": value}


def remove(path: str) -> dict[str, Any]:
    return {"op": "remove", "path": path}


def apply(operations: Sequence[Any], document: Any) -> Any:
    """The patched document. Shares no map and no list with its arguments.

    Raises ``PatchFailed`` when the patch does not apply, ValueError when it is malformed, too long or makes a document too deep.
    """
    steps = _parse(operations)
    patching = _Patching(copied(document))
    for step in steps:
        patching.run(step)
    # Moves can nest a document deeper than any operation was.
    check_depth(patching.document)
    return patching.document


class _Step(Struct, frozen=True):
    """One operation whose form has been checked."""

    op: str
    path: str
    to: tuple[str, ...]
    origin: tuple[str, ...]
    value: Any


def _parse(operations: Any) -> list[_Step]:
    if not isinstance(operations, list):
        raise ValueError("a JSON patch is a list of operations")  # noqa: TRY004 - a bad document, not a bad call
    if len(operations) > MAX_OPERATIONS:
        raise TooManyOperations(len(operations))
    return [_step(number, operation) for number, operation in enumerate(operations)]


def _step(number: int, operation: Any) -> _Step:
    if not isinstance(operation, dict):
        raise ValueError(f"operation {number} of the JSON patch is not an object")  # noqa: TRY004 - a bad document, not a bad call
    op, path, origin = (_text(number, operation, name) for name in ("op", "path", "from"))
    if op not in _OPERATIONS:
        raise PatchFailed(f"operation {number} of the JSON patch has the unknown op {op!r:.100}")
    if path is None or (origin is None and op in {"move", "copy"}):
        raise PatchFailed(f"operation {number} of the JSON patch ({op}) does not say where")
    return _Step(op, path, _parts(path), _parts(origin or ""), operation.get("value"))


def _text(number: int, operation: dict[str, Any], name: str) -> str | None:
    text = operation.get(name)
    if text is not None and not isinstance(text, str):
        raise ValueError(f"operation {number} of the JSON patch: {name} is a text")
    return text


def _parts(text: str) -> tuple[str, ...]:
    if text and not text.startswith("/"):
        raise PatchFailed(f"the path {text!r:.100} does not begin with a slash")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])


class _Patching:
    """A document while it is being patched. It is ours alone and changed in place."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self.copied_bytes = 0

    def run(self, step: _Step) -> None:
        match step.op:
            case "test":
                self.test(step)
            case "add":
                self.add(step, step.to, copied(step.value))
            case "remove":
                self.take(step, step.to)
            case "replace":
                self.replace(step)
            case "move":
                self.add(step, step.to, self.take(step, step.origin))
            case _:
                self.add(step, step.to, self.copy(step, step.origin))

    def test(self, step: _Step) -> None:
        found = self.document if not step.to else self.look(step, self.parent(step, step.to), step.to[-1])
        if not same(None if found is _ABSENT else found, step.value):
            raise PatchFailed(f"testing value {step.path:.200} failed")

    def add(self, step: _Step, place: tuple[str, ...], value: Any) -> None:
        if not place:
            self.document = value
            return
        parent, last = self.parent(step, place), place[-1]
        if isinstance(parent, dict):
            parent[last] = value
        else:
            parent.insert(len(parent) if last == "-" else self.index(step, last, len(parent) + 1), value)

    def replace(self, step: _Step) -> None:
        if not step.to:
            self.document = copied(step.value)
            return
        parent, last = self.parent(step, step.to), step.to[-1]
        parent[last if isinstance(parent, dict) else self.index(step, last, len(parent))] = copied(step.value)

    def take(self, step: _Step, place: tuple[str, ...]) -> Any:
        """Removes a value and returns it."""
        if not place:
            raise PatchFailed(f"{step.op} operation does not apply: the whole document cannot be removed")
        parent = self.parent(step, place)
        value = self.look(step, parent, place[-1])
        if value is _ABSENT:
            raise self.missing(step)
        del parent[place[-1] if isinstance(parent, dict) else self.index(step, place[-1], len(parent))]
        return value

    def copy(self, step: _Step, place: tuple[str, ...]) -> Any:
        value = self.look(step, self.parent(step, place), place[-1]) if place else self.document
        fresh = None if value is _ABSENT else copied(value)
        # Copies of copies double with every operation: a small patch must not make a huge document.
        self.copied_bytes += len(encode(fresh))
        if self.copied_bytes > MAX_COPIED_BYTES:
            raise PatchFailed(f"the copy operations of the patch copy more than {MAX_COPIED_BYTES} bytes")
        return fresh

    def parent(self, step: _Step, place: tuple[str, ...]) -> Any:
        """The map or list that holds the last part of a place."""
        here = self.document
        for part in place[:-1]:
            here = self.look(step, here, part)
        if not isinstance(here, (dict, list)):
            raise self.missing(step)
        return here

    def look(self, step: _Step, container: Any, part: str) -> Any:
        if isinstance(container, dict):
            return container.get(part, _ABSENT)
        if isinstance(container, list):
            return container[self.index(step, part, len(container))]
        raise self.missing(step)

    def index(self, step: _Step, part: str, places: int) -> int:
        """One of so many places; negative numbers count from the end."""
        number = int(part) if _INDEX.fullmatch(part) else places
        if not -places <= number < places:
            raise PatchFailed(f"{step.op} operation does not apply: no index {part!r:.100} for path {step.path!r:.200}")
        return number % places

    def missing(self, step: _Step) -> PatchFailed:
        return PatchFailed(f"{step.op} operation does not apply: doc is missing path {step.path!r:.200}")
