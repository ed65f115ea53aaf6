"""Whether the defaults of a schema obey the schema: a default that would be pruned or refused is refused at once."""

from copy import deepcopy
from typing import Any

from holdfast.api.errors import StatusCause
from holdfast.embedded.schema import causes
from holdfast.embedded.schema.lists import badly_embedded
from holdfast.embedded.schema.node import Node
from holdfast.embedded.schema.prune import prune_value
from holdfast.embedded.schema.validate import validate
from holdfast.embedded.schema.values import same


def check_defaults(schema: dict[str, Any], path: str) -> list[StatusCause]:
    """Causes for every default, on all levels; under additionalProperties no default is looked at."""
    found: list[StatusCause] = []
    default = schema.get("default")
    if default is not None:
        found += _check_default(default, Node(schema), f"{path}.default")
    if isinstance(schema.get("items"), dict):
        found += check_defaults(schema["items"], f"{path}.items")
    for name, inner in (schema.get("properties") or {}).items():
        found += check_defaults(inner, f"{path}.properties[{name}]")
    return found


def _check_default(default: Any, node: Node, path: str) -> list[StatusCause]:
    pruned = deepcopy(default)
    prune_value(pruned, node)
    found = [] if same(pruned, default) else [causes.invalid(path, default, "must not have unknown fields")]
    embedded = badly_embedded(default, node, path)
    return found + (embedded or validate(default, node, "", path).causes)
