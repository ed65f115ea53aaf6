"""Whether a document has the JSON shape of a schema at all, before its rules are looked at."""

from typing import Any, Final

from holdfast.api.errors import StatusCause
from holdfast.embedded.schema import causes

_TEXTS: Final = ("type", "format", "title", "description", "pattern", "id", "$ref", "x-kubernetes-list-type", "x-kubernetes-map-type")
_FLAGS: Final = (
    "nullable", "uniqueItems", "exclusiveMinimum", "exclusiveMaximum", "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
)  # fmt: skip
_COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_NUMBERS: Final = ("minimum", "maximum", "multipleOf")
_LISTS_OF_TEXT: Final = ("required", "x-kubernetes-list-map-keys")
_SCHEMAS: Final = ("not",)
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_MAPS: Final = ("properties", "patternProperties", "definitions")
#: Deeper than any schema of use; keeps the passes within the stack.
DEPTH: Final = 64


def check_shape(schema: Any, path: str, depth: int = 0) -> list[StatusCause]:
    """Causes for keywords whose value is of another JSON type than it must be."""
    if not isinstance(schema, dict):
        return [_wrong(path, schema, "object")]
    if depth > DEPTH:
        return [causes.invalid(path or causes.NOWHERE, "", f"must not be nested deeper than {DEPTH} levels")]
    found: list[StatusCause] = []
    for keys, types, name in (
        (_TEXTS, str, "string"), (_FLAGS, bool, "boolean"), (_COUNTS, int, "integer"), (_NUMBERS, (int, float), "number"),
        ((*_LISTS_OF_TEXT, *_LISTS, "enum", "x-kubernetes-validations"), list, "array"), (_MAPS, dict, "object"),
    ):  # fmt: skip
        found += [
            _wrong(f"{path}.{key}", schema[key], name)
            for key in keys
            if schema.get(key) is not None and (not isinstance(schema[key], types) or (types is not bool and isinstance(schema[key], bool)))
        ]
    if found:
        return found
    for key in _LISTS_OF_TEXT:
        found += [_wrong(f"{path}.{key}[{i}]", item, "string") for i, item in enumerate(schema.get(key) or []) if not isinstance(item, str)]
    for key in _LISTS:
        for index, inner in enumerate(schema.get(key) or []):
            found += check_shape(inner, f"{path}.{key}[{index}]", depth + 1)
    for key in _MAPS:
        for name, inner in (schema.get(key) or {}).items():
            found += check_shape(inner, f"{path}.{key}[{name}]", depth + 1)
    if schema.get("not") is not None:
        found += check_shape(schema["not"], f"{path}.not", depth + 1)
    if not isinstance(schema.get("items"), list | None):
        found += check_shape(schema["items"], f"{path}.items", depth + 1)
    if not isinstance(schema.get("additionalProperties"), bool | None):
        found += check_shape(schema["additionalProperties"], f"{path}.additionalProperties", depth + 1)
    return found


def _wrong(path: str, value: Any, wanted: str) -> StatusCause:
    return causes.type_invalid(path.removeprefix(".") or causes.NOWHERE, value, f"must be of type {wanted}")
