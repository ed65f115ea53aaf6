"""Objects at random that a schema allows, and places in them.

What a schema leaves open is drawn as unkindly as it allows: empty and foreign words, the largest numbers, nulls where they are
welcome, fields that are missing. A number that travels in a string is written in digits, as its format says.
"""

import copy
from collections.abc import Iterator
from typing import Any

from holdfast.process import Randomness

Schema = dict[str, Any]
#: Where something stands in an object.
Place = tuple[str, ...]

_WORDS = (
    "",
    "a",
    "true",
    "0",
    "disk-1",
    "3f8f8a4e-1c1e-4a6c-9d5e-6a1b2c3d4e5f",
    "2026-01-02T03:04:05Z",
    "Grüße\u2028\U0001f40b",
    "x" * 300,
    "a/b~c.d",
)
_KEYS = ("disk-1", "a/b", "m~n", "pvc-1-r-0a1b2c3d", "é", "0", "with space", "default-disk-ed1af10f5b8356be")
_INT64 = (0, 1, -1, 2**63 - 1, -(2**63), 107374182400)
_INT32 = (0, 1, -1, 2**31 - 1, -(2**31))


class Maker:
    """Draws values of schemas; the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._dice = Randomness(seed)

    def object(self, schema: Schema, kind: str, api_version: str, name: str) -> dict[str, Any]:
        """A whole object, with metadata that a person could have written."""
        metadata = {"name": name, "labels": {"a": "b"}, "annotations": {"example.com/note": self._word()}}
        parts = {part: inner for part, inner in schema["properties"].items() if part not in {"apiVersion", "kind", "metadata"}}
        return {"apiVersion": api_version, "kind": kind, "metadata": metadata} | {part: self._of(inner) for part, inner in parts.items()}

    def other(self, schema: Schema, than: Any) -> Any:
        """A value that differs from the one that is there."""
        while True:
            drawn = self._of(schema)
            if drawn is not None and drawn != than:
                return drawn

    def _of(self, schema: Schema) -> Any:
        if schema.get("nullable") and self._dice.below(8) == 0:
            return None
        if "enum" in schema:
            return self._one_of(schema["enum"])
        match schema.get("type"):
            case "object" if "additionalProperties" in schema:
                return {self._one_of(_KEYS): self._of(schema["additionalProperties"]) for _ in range(self._dice.below(4))}
            case "object":
                required = schema.get("required", ())
                return {
                    name: self._of(inner)
                    for name, inner in schema.get("properties", {}).items()
                    if name in required or self._dice.below(6) > 0
                }
            case "array":
                return [self._of(schema["items"]) for _ in range(self._dice.below(4))]
            case "boolean":
                return self._dice.below(2) == 0
            case "integer":
                return self._one_of(_INT32 if schema.get("format") == "int32" else _INT64)
            case "string" if schema.get("format") == "int64":
                return str(self._one_of(_INT64))
            case "string" if schema.get("format") == "date-time":
                return self._one_of(("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456Z"))
            case "string":
                return self._word()
        raise TypeError(f"nothing can be drawn for {schema}")

    def _word(self) -> str:
        return str(self._one_of(_WORDS))

    def _one_of(self, choice: Any) -> Any:
        return choice[self._dice.below(len(choice))]


def places(schema: Schema, obj: Any, here: Place = ()) -> Iterator[tuple[Place, Schema]]:
    """Every place of a value in the object that the schema knows, present or not; a list is one value."""
    if "properties" in schema:
        for name, inner in schema["properties"].items():
            yield from places(inner, obj.get(name, {} if "properties" in inner else None), (*here, name))
    elif isinstance(schema.get("additionalProperties"), dict):
        for name, value in (obj or {}).items():
            yield from places(schema["additionalProperties"], value, (*here, name))
    else:
        yield here, schema


def schema_at(schema: Schema, place: Place) -> Schema | None:
    """The schema of a place, or None where there is none."""
    for name in place:
        schema = schema.get("properties", {}).get(name) or schema.get("additionalProperties")  # type: ignore[assignment]  # None ends it
        if not schema:
            return None
    return schema


def value_at(obj: Any, place: Place) -> Any:
    for name in place:
        obj = (obj or {}).get(name)
    return obj


def changed(obj: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """A copy with another value at a place."""
    made = copy.deepcopy(obj)
    inner = made
    for name in place[:-1]:
        inner = inner.setdefault(name, {})
    inner[place[-1]] = value
    return made


def without(obj: dict[str, Any], place: Place) -> dict[str, Any]:
    """A copy without what stands at a place."""
    made = copy.deepcopy(obj)
    inner: Any = made
    for name in place[:-1]:
        inner = inner.get(name) or {}
    inner.pop(place[-1], None)
    return made
