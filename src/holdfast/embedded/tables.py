"""Objects as rows for people: what ``kubectl get`` asks for (``as=Table;g=meta.k8s.io;v=v1``)."""

from collections.abc import Iterable
from enum import Enum
from typing import Any

from holdfast.api.errors import BadRequest
from holdfast.embedded.built_in_columns import BUILT_IN_COLUMNS
from holdfast.embedded.columns import AGE, NAME, Column
from holdfast.embedded.resources import Resource


class Include(Enum):
    """How much of each object rides along with its row."""

    NONE = "None"
    METADATA = "Metadata"
    OBJECT = "Object"


def include_of(text: str) -> Include:
    """From the query parameter ``includeObject``; raises ``BadRequest``."""
    if text and text not in {item.value for item in Include}:
        raise BadRequest(f'includeObject: Unsupported value: "{text}": supported values: "Metadata", "None", "Object"')
    return Include(text or "Metadata")


def columns_of(resource: Resource) -> tuple[Column, ...]:
    return resource.columns or BUILT_IN_COLUMNS.get(resource.id) or (NAME, AGE)


def table(
    resource: Resource,
    objects: Iterable[dict[str, Any]],
    now: float,
    *,
    include: Include = Include.METADATA,
    list_meta: dict[str, Any] | None = None,
    has_headers: bool = True,
) -> dict[str, Any]:
    """A Table. In a watch each event is one of a single row, and only the first has headers."""
    columns = columns_of(resource)
    rows = [{"cells": [column.cell(obj, now) for column in columns], "object": _rider(obj, include)} for obj in objects]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": list_meta or {},
        "columnDefinitions": [column.definition() for column in columns] if has_headers else None,
        "rows": rows,
    }


def _rider(obj: dict[str, Any], include: Include) -> dict[str, Any] | None:
    if include is Include.NONE:
        return None
    return obj if include is Include.OBJECT else partial(obj)


def partial(obj: dict[str, Any]) -> dict[str, Any]:
    """An object's metadata alone (PartialObjectMetadata)."""
    return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj.get("metadata") or {}}
