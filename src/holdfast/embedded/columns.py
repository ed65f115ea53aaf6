"""The columns in which kubectl shows a kind: a name, a type, and how the cell of an object is found.

Columns of priority 0 are always shown, the others with ``-o wide``. Cells of dates hold how long ago it was.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from holdfast.api.struct import encode
from holdfast.api.timestamps import seconds_of
from holdfast.embedded import json_path
from holdfast.embedded.durations import age, human_duration
from holdfast.embedded.schema.causes import number

#: The cell of an object, at a moment.
Cell = Callable[[dict[str, Any], float], Any]


class Column(Struct, frozen=True, kw_only=True):
    """One column of a table."""

    name: str
    cell: Cell
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0

    def definition(self) -> dict[str, Any]:
        return {"name": self.name, "type": self.type, "format": self.format, "description": self.description, "priority": self.priority}


_NAME_WORDS: Final = (
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request "
    "the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration "
    "definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
_AGE_WORDS: Final = (
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in "
    "happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC."
    "\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)


def at(obj: Mapping[str, Any], *names: str) -> Any:
    """What lies at a path of fields, or None."""
    value: Any = obj
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text_at(*names: str) -> Cell:
    return lambda obj, _: at(obj, *names) or ""


NAME: Final = Column(name="Name", format="name", description=_NAME_WORDS, cell=text_at("metadata", "name"))
AGE: Final = Column(name="Age", description=_AGE_WORDS, cell=lambda obj, now: age(at(obj, "metadata", "creationTimestamp"), now))
CREATED_AT: Final = Column(
    name="Created At", type="date", description=_AGE_WORDS, cell=lambda obj, _: at(obj, "metadata", "creationTimestamp") or ""
)
#: What a custom kind shows when its definition names no columns.
CUSTOM_AGE: Final = {"name": "Age", "type": "date", "description": _AGE_WORDS, "jsonPath": ".metadata.creationTimestamp"}


def of_definition(columns: list[dict[str, Any]]) -> tuple[Column, ...]:
    """The columns of a custom kind; those after a path that can not be read are left out."""
    found = [NAME]
    for column in columns or [CUSTOM_AGE]:
        path = column.get("jsonPath") or ""
        try:
            steps = json_path.path(path)
        except ValueError:
            break
        found.append(
            Column(
                name=column["name"],
                type=column["type"],
                format=column.get("format") or "",
                description=column.get("description") or f"Custom resource definition column (in JSONPath format): {path}",
                priority=column.get("priority") or 0,
                cell=_cell_at(steps, column["type"]),
            )
        )
    return tuple(found)


def _cell_at(steps: tuple[json_path.Step, ...], type_: str) -> Cell:
    def cell(obj: dict[str, Any], now: float) -> Any:
        found = json_path.find(obj, steps)
        return _shown(found[0], type_, now) if found and found[0] is not None else None

    return cell


def _shown(value: Any, type_: str, now: float) -> Any:
    """A value as the cell of a column of this type; None when it is of another."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if type_ == "string":
        return _as_text(value)
    if type_ == "integer":
        return int(value) if is_number else None
    if type_ == "number":
        return value if is_number else None
    if type_ == "boolean":
        return value if isinstance(value, bool) else None
    if type_ == "date" and isinstance(value, str):
        moment = seconds_of(value)
        return "<invalid>" if moment is None else human_duration(now - moment)
    return None


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number(value)
    return str(value) if isinstance(value, int) else encode(value).decode()
