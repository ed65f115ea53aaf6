"""Lists that are sets or maps hold nothing twice, and embedded objects say what they are."""

import re
from collections.abc import Iterator
from typing import Any, Final

from holdfast.api.errors import StatusCause
from holdfast.embedded.schema import causes
from holdfast.embedded.schema.node import Node

_KIND: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_KIND_WORDS: Final = (
    "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
    "start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def repeated(obj: Any, node: Node | None, path: str = "") -> list[StatusCause]:
    """Causes for every item of a set or map that is there twice."""
    if node is None:
        return []
    found: list[StatusCause] = []
    if isinstance(obj, dict):
        for key, value in obj.items():
            if node.additional is not None and key not in node.properties:
                found += repeated(value, node.additional, f"{path}[{key}]")
            elif key in node.properties:
                found += repeated(value, node.properties[key], f"{path}.{key}" if path else key)
    elif isinstance(obj, list):
        if node.list_type == "set":
            found += [causes.duplicate(f"{path}[{index}]", obj[index]) for index in _second_times([causes.compact(item) for item in obj])]
        elif node.list_type == "map":
            found += _repeated_keys(obj, node, path)
        for index, item in enumerate(obj):
            found += repeated(item, node.items, f"{path}[{index}]")
    return found


def _repeated_keys(items: list[Any], node: Node, path: str) -> list[StatusCause]:
    for index, item in enumerate(items):
        if item is not None and not isinstance(item, dict):
            return [causes.invalid(f"{path}[{index}]", item, "must be an object for an array of list-type map")]
    keys = [{name: item[name] for name in node.map_keys if name in item} if item else {} for item in items]
    return [causes.duplicate(f"{path}[{index}]", keys[index]) for index in _second_times([causes.compact(key) for key in keys])]


def _second_times(texts: list[str]) -> list[int]:
    """Where a text stands for the second time; the third and further are not told."""
    seen: dict[str, int] = {}
    second = []
    for index, text in enumerate(texts):
        seen[text] = seen.get(text, 0) + 1
        if seen[text] == 2:
            second.append(index)
    return second


def badly_embedded(obj: Any, node: Node | None, path: str = "") -> list[StatusCause]:
    """Causes for embedded objects (x-kubernetes-embedded-resource) without a proper apiVersion, kind or metadata."""
    if node is None:
        return []
    found: list[StatusCause] = []
    if isinstance(obj, dict):
        if node.embedded:
            found += _check_type_meta(obj, path)
        for key, value in obj.items():
            here = f"{path}.{key}" if path else key
            found += badly_embedded(value, node.field(key), here if key in node.properties else f"{path}[{key}]")
    elif isinstance(obj, list):
        for index, item in enumerate(obj):
            found += badly_embedded(item, node.items, f"{path}[{index}]")
    return found


def embedded_objects(obj: Any, node: Node | None, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object within the object, and where it is."""
    if isinstance(obj, dict) and node is not None:
        if node.embedded:
            yield path, obj
        for key, value in obj.items():
            here = f"{path}.{key}" if key in node.properties and path else key if key in node.properties else f"{path}[{key}]"
            yield from embedded_objects(value, node.field(key), here)
    elif isinstance(obj, list) and node is not None:
        for index, item in enumerate(obj):
            yield from embedded_objects(item, node.items, f"{path}[{index}]")


def _check_type_meta(obj: dict[str, Any], path: str) -> list[StatusCause]:
    found = []
    for key in ("apiVersion", "kind"):
        value, field = obj.get(key), f"{path}.{key}" if path else key
        if key not in obj:
            found.append(causes.required(field))
        elif not isinstance(value, str):
            found.append(causes.invalid(field, value, "must be a string"))
        elif not value:
            found.append(causes.invalid(field, value, "must not be empty"))
        elif key == "apiVersion" and value.count("/") > 1:
            found.append(causes.invalid(field, value, f"unexpected GroupVersion string: {value}"))
        elif key == "kind" and (len(value) > 63 or not _KIND.fullmatch(value.lower())):
            found.append(causes.invalid(field, value, _KIND_WORDS))
    metadata = obj.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        field = f"{path}.metadata" if path else "metadata"
        found.append(causes.invalid(field, metadata, f"must be an object, not {causes.printed(metadata)}"))
    return found
