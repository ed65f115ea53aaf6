"""What of an object is kept: fields that the schema declares, or that it preserves. Metadata is never touched here.

An object is changed in place, and the paths of what went are returned: strict field validation refuses by them.
"""

from typing import Any

from holdfast.embedded.schema.node import Node

META_FIELDS = frozenset({"apiVersion", "kind", "metadata"})


def prune(obj: dict[str, Any], root: Node) -> list[str]:
    """Drop what the schema does not know; the paths of it, sorted."""
    gone: list[str] = []
    _prune_object(obj, root, "", gone, is_root=True)
    return sorted(gone)


def prune_value(value: Any, node: Node) -> None:
    """Drop what the schema does not know inside a value that is no whole object, such as a default."""
    _prune(value, node, "", [])


def _prune(value: Any, node: Node | None, path: str, gone: list[str]) -> None:
    if isinstance(value, dict):
        _prune_object(value, node, path, gone)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            inner = node.items if node else None
            if node is not None and node.preserve:
                _prune_preserved(item, inner, f"{path}[{index}]", gone)
            else:
                _prune(item, inner, f"{path}[{index}]", gone)


def _prune_object(obj: dict[str, Any], node: Node | None, path: str, gone: list[str], *, is_root: bool = False) -> None:
    embedded = is_root or (node is not None and node.embedded)
    for key in list(obj):
        if embedded and key in META_FIELDS:
            continue
        if node is None:
            del obj[key]
            gone.append(f"{path}.{key}" if path else key)
        elif (inner := node.properties.get(key)) is None and node.additional_allowed is None:
            if not node.preserve:
                del obj[key]
                gone.append(f"{path}.{key}" if path else key)
        elif isinstance(obj[key], dict | list) and (inner is not None or node.additional is not None or not node.preserve):
            _prune(obj[key], inner or node.additional, f"{path}.{key}" if path else key, gone)


def _prune_preserved(value: Any, node: Node | None, path: str, gone: list[str]) -> None:
    """Inside a preserved list, items are preserved too, but for what their own schema declares."""
    if node is None:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if node.embedded and key in META_FIELDS:
                continue
            inner = node.field(key)
            if inner is not None:
                _prune(item, inner, f"{path}.{key}", gone)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _prune_preserved(item, node.items, f"{path}[{index}]", gone)
