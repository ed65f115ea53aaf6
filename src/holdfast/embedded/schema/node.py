"""A schema, read once: every object and property of the JSON document becomes a node that the passes walk.

The passes (pruning, defaults, validation) run on every write, so a node holds ready values and no dictionaries to search.
"""

from collections.abc import Iterator
from typing import Any

from holdfast.embedded.schema.formats import known_format
from holdfast.embedded.schema.patterns import compiled


class Node:
    """One schema. Names are those of the schema document, without their prefix."""

    __slots__ = (
        "additional",
        "additional_allowed",
        "all_of",
        "any_of",
        "default",
        "embedded",
        "enum",
        "exclusive_maximum",
        "exclusive_minimum",
        "format",
        "has_default",
        "has_junctors",
        "items",
        "list_type",
        "map_keys",
        "max_items",
        "max_length",
        "max_properties",
        "maximum",
        "min_items",
        "min_length",
        "min_properties",
        "minimum",
        "multiple_of",
        "not_",
        "nullable",
        "one_of",
        "pattern",
        "pattern_text",
        "preserve",
        "properties",
        "required",
        "types",
        "unique_items",
    )

    def __init__(self, schema: dict[str, Any]) -> None:
        type_ = schema.get("type") or ""
        int_or_string = bool(schema.get("x-kubernetes-int-or-string"))
        self.types: tuple[str, ...] = ("integer", "string") if int_or_string else (type_,) if type_ else ()
        self.nullable = bool(schema.get("nullable"))
        self.format = known_format(schema.get("format") or "", self.types)
        self.preserve = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
        self.embedded = bool(schema.get("x-kubernetes-embedded-resource"))
        self.list_type: str | None = schema.get("x-kubernetes-list-type")
        self.map_keys: list[str] = schema.get("x-kubernetes-list-map-keys") or []
        self.default = schema.get("default")
        self.has_default = self.default is not None

        self.properties = {name: Node(inner) for name, inner in (schema.get("properties") or {}).items()}
        additional = schema.get("additionalProperties")
        self.additional = Node(additional) if isinstance(additional, dict) else None
        #: None: not said; False: no other key may be there; True: any other key is a field of the map.
        self.additional_allowed: bool | None = None if additional is None else additional is not False
        items = schema.get("items")
        self.items = Node(items) if isinstance(items, dict) else None

        self.required: list[str] = schema.get("required") or []
        self.enum: list[Any] = schema.get("enum") or []
        self.minimum, self.maximum = schema.get("minimum"), schema.get("maximum")
        self.exclusive_minimum, self.exclusive_maximum = bool(schema.get("exclusiveMinimum")), bool(schema.get("exclusiveMaximum"))
        self.multiple_of = schema.get("multipleOf")
        self.min_length, self.max_length = schema.get("minLength"), schema.get("maxLength")
        self.min_items, self.max_items = schema.get("minItems"), schema.get("maxItems")
        self.min_properties, self.max_properties = schema.get("minProperties"), schema.get("maxProperties")
        self.unique_items = bool(schema.get("uniqueItems"))
        self.pattern_text: str = schema.get("pattern") or ""
        self.pattern = compiled(self.pattern_text) if self.pattern_text else None

        self.all_of = [Node(inner) for inner in schema.get("allOf") or []]
        self.any_of = [Node(inner) for inner in schema.get("anyOf") or []]
        self.one_of = [Node(inner) for inner in schema.get("oneOf") or []]
        self.not_ = Node(schema["not"]) if schema.get("not") is not None else None
        self.has_junctors = bool(self.all_of or self.any_of or self.one_of or self.not_)

    def walk(self) -> Iterator["Node"]:
        """This node and all below it, but for those in junctors: they declare nothing."""
        yield self
        for inner in (*self.properties.values(), self.additional, self.items):
            if inner is not None:
                yield from inner.walk()

    def field(self, name: str) -> "Node | None":
        """The schema of a field of an object: declared, or that of every other key."""
        return self.properties.get(name) or self.additional
