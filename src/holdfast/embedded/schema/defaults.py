"""What an object holds although nobody wrote it.

A null where the schema allows none counts as not written: it is dropped, or replaced by the default. Defaults are filled in
from the outside to the inside, so a default object gets the defaults of its own fields. In place; the value is returned for ease.
"""

from copy import deepcopy
from typing import Any

from holdfast.embedded.schema.node import Node


def drop_nulls(value: Any, node: Node | None) -> None:
    """Remove nulls that are neither allowed nor replaced by a default."""
    if isinstance(value, dict):
        for key in list(value):
            inner = node.field(key) if node else None
            if value[key] is None:
                if inner is not None and not inner.nullable and not inner.has_default:
                    del value[key]
            elif isinstance(value[key], dict | list):
                drop_nulls(value[key], inner)
    elif isinstance(value, list):
        for item in value:
            drop_nulls(item, node.items if node else None)


def fill(value: Any, node: Node | None) -> None:
    """Put defaults where nothing is."""
    if node is None:
        return
    if isinstance(value, dict):
        for key, inner in node.properties.items():
            if inner.has_default and (key not in value or (value[key] is None and not inner.nullable)):
                value[key] = deepcopy(inner.default)
        for key in value:
            declared = node.properties.get(key)
            if declared is not None:
                fill(value[key], declared)
            elif node.additional is not None:
                if value[key] is None and not node.additional.nullable:
                    value[key] = deepcopy(node.additional.default)
                if isinstance(value[key], dict | list):
                    fill(value[key], node.additional)
    elif isinstance(value, list) and node.items is not None:
        for index, item in enumerate(value):
            if item is None and not node.items.nullable:
                value[index] = deepcopy(node.items.default)
            fill(value[index], node.items)
