"""What makes a schema structural: every field has one type, said outside of junctors, and nothing is said that is not enforced.

The rules are those of apiextensions.k8s.io/v1, in its words and with its paths (``...properties[spec].items``), so a definition
that passes here passes in a cluster. Validation rules in CEL are the exception: they are accepted and not enforced, and who
creates the definition is warned of it (see ``cel_rules``).
"""

from typing import Any, Final

from holdfast.api.errors import StatusCause
from holdfast.embedded.schema import causes
from holdfast.embedded.schema.defaults_check import check_defaults
from holdfast.embedded.schema.junctors import check_junctors, undeclared
from holdfast.embedded.schema.patterns import BadPattern, compiled
from holdfast.embedded.schema.shape import check_shape

TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
EMBEDDED: Final = "x-kubernetes-embedded-resource"
INT_OR_STRING: Final = "x-kubernetes-int-or-string"
LIST_TYPE: Final = "x-kubernetes-list-type"
MAP_TYPE: Final = "x-kubernetes-map-type"
MAP_KEYS: Final = "x-kubernetes-list-map-keys"
RULES: Final = "x-kubernetes-validations"
_NOT_SUPPORTED: Final = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
_META: Final = frozenset({"metadata", "apiVersion", "kind"})
_INT_OR_STRING_PAIR: Final = [{"type": "integer"}, {"type": "string"}]


def check(schema: Any, path: str = "") -> list[StatusCause]:
    """Why the document is no structural schema; empty when it is one."""
    misshapen = check_shape(schema, path)
    if misshapen:
        return misshapen
    found = _invariants(schema, path, "root") + undeclared(schema, schema, path, path)
    if schema.get("nullable"):
        found.append(causes.forbidden(f"{path}.nullable", "nullable cannot be true at the root"))
    if not found:
        found += check_defaults({**schema, EMBEDDED: True}, path)
    found += _openapi(schema, path, is_root=True)
    return list(dict.fromkeys(found))


def cel_rules(schema: Any, path: str = "") -> list[str]:
    """Paths of CEL rules, which are not enforced here."""
    if isinstance(schema, list):
        return [rule for index, item in enumerate(schema) for rule in cel_rules(item, f"{path}[{index}]")]
    if not isinstance(schema, dict):
        return []
    own = [f"{path}.{RULES}"] if schema.get(RULES) else []
    inner = {key: value for key, value in schema.items() if key not in {RULES, "default", "enum", "example"}}
    return own + [rule for key, value in inner.items() for rule in cel_rules(value, f"{path}.{key}" if path else key)]


def _invariants(schema: dict[str, Any], path: str, level: str) -> list[StatusCause]:
    """The invariants of one level and everything below it."""
    found: list[StatusCause] = []
    type_ = schema.get("type") or ""
    properties = schema.get("properties") or {}
    additional = schema.get("additionalProperties")
    if type_ == "array" and schema.get("items") is None:
        found.append(causes.required(f"{path}.items", "must be specified"))
    if isinstance(schema.get("items"), dict):
        found += _invariants(schema["items"], f"{path}.items", "item")
    for name, inner in properties.items():
        found += _invariants(inner, f"{path}.properties[{name}]", "field") if (level, name) != ("root", "metadata") else []
    if additional is not None and level == "root":
        found.append(causes.forbidden(f"{path}.additionalProperties", "must not be used at the root"))
    if isinstance(additional, dict):
        found += _invariants(additional, f"{path}.additionalProperties", "field")
    found += _extensions(schema, path, level, type_)
    found += _pattern(schema, path)
    skip_any = schema.get("anyOf") == _INT_OR_STRING_PAIR
    all_of = schema.get("allOf") or []
    skip_first = bool(all_of) and all_of[0].get("anyOf") == _INT_OR_STRING_PAIR
    found += check_junctors(schema, path, skip_any=skip_any, skip_first_all=skip_first)
    if level == "root" or schema.get(EMBEDDED):
        found += _meta_fields(properties, path)
    if level == "root" and "metadata" in properties:
        found += _root_metadata(properties["metadata"], f"{path}.properties[metadata]")
    return found


def _extensions(schema: dict[str, Any], path: str, level: str, type_: str) -> list[StatusCause]:
    found: list[StatusCause] = []
    if schema.get(INT_OR_STRING) and schema.get(PRESERVE):
        found.append(causes.invalid(f"{path}.{PRESERVE}", True, f"must be false if {INT_OR_STRING} is true"))
    if schema.get(INT_OR_STRING) and schema.get(EMBEDDED):
        found.append(causes.invalid(f"{path}.{EMBEDDED}", True, f"must be false if {INT_OR_STRING} is true"))
    if schema.get(EMBEDDED) and type_ != "object":
        words = f"must be object if {EMBEDDED} is true"
        found.append(causes.invalid(f"{path}.type", type_, words) if type_ else causes.required(f"{path}.type", words))
    elif not type_ and not schema.get(INT_OR_STRING) and not schema.get(PRESERVE):
        if schema.get("$ref"):
            return found  # that is what is wrong with it
        where = {"root": "at the root", "item": "for specified array items", "field": "for specified object fields"}[level]
        found.append(causes.required(f"{path}.type", f"must not be empty {where}"))
    if schema.get(EMBEDDED) and schema.get("additionalProperties") is not None:
        found.append(causes.forbidden(f"{path}.additionalProperties", f"must not be used if {EMBEDDED} is set"))
    if level == "root" and type_ and type_ != "object":
        found.append(causes.invalid(f"{path}.type", type_, "must be object at the root"))
    if schema.get(EMBEDDED) and not schema.get(PRESERVE) and not schema.get("properties"):
        found.append(causes.required(f"{path}.properties", f"must not be empty if {EMBEDDED} is true without {PRESERVE}"))
    return found


def _pattern(schema: dict[str, Any], path: str) -> list[StatusCause]:
    pattern = schema.get("pattern") or ""
    try:
        compiled(pattern)
    except BadPattern as failure:
        return [causes.invalid(f"{path}.pattern", pattern, f"must be a valid regular expression, but isn't: {failure}")]
    return []


def _meta_fields(properties: dict[str, Any], path: str) -> list[StatusCause]:
    return [
        causes.invalid(f"{path}.properties[{name}].type", properties[name].get("type") or "", f"must be {wanted}")
        for name, wanted in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object"))
        if name in properties and properties[name].get("type") != wanted
    ]


def _root_metadata(metadata: dict[str, Any], path: str) -> list[StatusCause]:
    names_only = set(metadata.get("properties") or {}) <= {"name", "generateName"}
    said = {key for key, value in metadata.items() if value not in (None, "", False, {}, [])} - {"type", "default"}
    if said - ({"properties"} if names_only else set()):
        words = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        return [causes.forbidden(path, words)]
    return []


def _openapi(schema: dict[str, Any], path: str, *, is_root: bool, in_meta: bool = False, no_defaults: str = "") -> list[StatusCause]:
    """The rules on single keywords, on every level."""
    found: list[StatusCause] = []
    type_ = schema.get("type") or ""
    if type_ and type_ not in TYPES:
        found.append(causes.not_supported(f"{path}.type", type_, TYPES))
    if schema.get("default") is not None and no_defaults:
        found.append(causes.forbidden(f"{path}.default", f"must not be set {no_defaults}"))
    found += [
        causes.forbidden(f"{path}.{key}", f"{key} is not supported") for key in _NOT_SUPPORTED if schema.get(key) not in (None, "", {})
    ]
    if type_ == "null":
        found.append(causes.forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative"))
    if isinstance(schema.get("items"), list):
        found.append(causes.forbidden(f"{path}.items", "items must be a schema object and not an array"))
    if in_meta and schema.get(EMBEDDED):
        found.append(causes.forbidden(f"{path}.{EMBEDDED}", "must not be used inside of resource meta"))
    if schema.get("uniqueItems"):
        words = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        found.append(causes.forbidden(f"{path}.uniqueItems", words))
    additional, properties = schema.get("additionalProperties"), schema.get("properties") or {}
    if additional is not None and properties and additional is not True:
        found.append(causes.forbidden(f"{path}.additionalProperties", "additionalProperties and properties are mutual exclusive"))
    if schema.get(PRESERVE) is False:
        found.append(causes.invalid(f"{path}.{PRESERVE}", False, "must be true or undefined"))
    found += _lists_and_maps(schema, path, type_)
    if isinstance(additional, dict):
        reason = "inside additionalProperties applying to object metadata" if in_meta else no_defaults
        found += _openapi(additional, f"{path}.additionalProperties", is_root=False, in_meta=in_meta, no_defaults=reason)
    for name, inner in properties.items():
        meta = (is_root or bool(schema.get(EMBEDDED))) and name in _META
        reason = f"in top-level {name}" if meta and is_root else no_defaults
        found += _openapi(inner, f"{path}.properties[{name}]", is_root=False, in_meta=in_meta or meta, no_defaults=reason)
    for key in ("allOf", "oneOf", "anyOf"):
        for index, inner in enumerate(schema.get(key) or []):
            found += _openapi(inner, f"{path}.{key}[{index}]", is_root=False, in_meta=in_meta, no_defaults=no_defaults)
    for key in ("not", "items"):
        if isinstance(schema.get(key), dict):
            found += _openapi(schema[key], f"{path}.{key}", is_root=False, in_meta=in_meta, no_defaults=no_defaults)
    return found


def _lists_and_maps(schema: dict[str, Any], path: str, type_: str) -> list[StatusCause]:
    found: list[StatusCause] = []
    for key, wanted, known in ((MAP_TYPE, "object", ["atomic", "granular"]), (LIST_TYPE, "array", ["atomic", "set", "map"])):
        value = schema.get(key)
        if value is None:
            continue
        if type_ != wanted:
            words = f"must be {wanted} if {key} is specified"
            found.append(causes.invalid(f"{path}.type", type_, words) if type_ else causes.required(f"{path}.type", words))
        if value not in known:
            found.append(causes.not_supported(f"{path}.{key}", value, known))
    list_type, keys, items = schema.get(LIST_TYPE), schema.get(MAP_KEYS) or [], schema.get("items")
    if list_type == "set" and isinstance(items, dict) and type_ == "array":
        found += _set_items(items, path)
    if keys and list_type != "map":
        words = f"must be map if {MAP_KEYS} is non-empty"
        field = f"{path}.{LIST_TYPE}"
        found.append(causes.invalid(field, list_type, words) if list_type else causes.required(field, words))
    if list_type == "map":
        found += _map_items(items, keys, path)
    if list_type in {"set", "map"} and isinstance(items, dict) and items.get("nullable"):
        found.append(causes.forbidden(f"{path}.items.nullable", f"cannot be nullable when {LIST_TYPE} is {list_type}"))
    return found


def _set_items(items: dict[str, Any], path: str) -> list[StatusCause]:
    words = f"must be atomic as item of a list with {LIST_TYPE}=set"
    if items.get("type") == "array" and items.get(LIST_TYPE) not in {None, "atomic"}:
        return [causes.invalid(f"{path}.items.{LIST_TYPE}", items[LIST_TYPE], words)]
    if items.get("type") == "object" and items.get(MAP_TYPE) != "atomic":
        return [causes.invalid(f"{path}.items.{MAP_TYPE}", items.get(LIST_TYPE), words)]
    return []


def _map_items(items: Any, keys: list[str], path: str) -> list[StatusCause]:
    found: list[StatusCause] = []
    if not keys:
        found.append(causes.required(f"{path}.{MAP_KEYS}", f"must not be empty if {LIST_TYPE} is map"))
    if items is None:
        return [*found, causes.required(f"{path}.items", f"must have a schema if {LIST_TYPE} is map")]
    if not isinstance(items, dict):
        return [*found, causes.invalid(f"{path}.items", items, f"must only have a single schema if {LIST_TYPE} is map")]
    if items.get("type") != "object":
        words = f"must be object if parent array's {LIST_TYPE} is map"
        return [*found, causes.invalid(f"{path}.items.type", items.get("type") or "", words)]
    properties, needed = items.get("properties") or {}, items.get("required") or []
    for index, key in enumerate(keys):
        field, inner = f"{path}.items.properties[{key}]", properties.get(key)
        if inner is None:
            found.append(causes.invalid(f"{path}.{MAP_KEYS}", keys, "entries must all be names of item properties"))
        elif inner.get("type") in {"array", "object"}:
            words = f"must be a scalar type if parent array's {LIST_TYPE} is map"
            found.append(causes.invalid(f"{field}.type", items.get("type"), words))
        if key in keys[:index]:
            found.append(causes.invalid(f"{path}.{MAP_KEYS}", keys, "must not contain duplicate entries"))
        if inner is not None and key not in needed and inner.get("default") is None:
            words = f"this property is in {MAP_KEYS}, so it must have a default or be a required property"
            found.append(causes.required(f"{field}.default", words))
        if inner is not None and inner.get("nullable"):
            found.append(causes.forbidden(f"{field}.nullable", f"this property is in {MAP_KEYS}, so it cannot be nullable"))
    return found
