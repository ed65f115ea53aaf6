"""What may stand inside allOf, anyOf, oneOf and not: value validation of fields that are declared outside, and no structure."""

from typing import Any, Final

from holdfast.api.errors import StatusCause
from holdfast.embedded.schema import causes
from holdfast.embedded.schema.patterns import BadPattern, compiled

_EMPTY: Final = ("type", "title", "description", "x-kubernetes-list-map-keys", "x-kubernetes-validations")
_UNDEFINED: Final = ("default", "additionalProperties", "x-kubernetes-list-type", "x-kubernetes-map-type")
_FALSE: Final = ("nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string")


def check_junctors(schema: dict[str, Any], path: str, *, skip_any: bool = False, skip_first_all: bool = False) -> list[StatusCause]:
    """Check what is under the junctors of one level.

    The pair "integer or string" is the one exception, under anyOf or first under allOf.
    """
    found: list[StatusCause] = []
    for index, inner in enumerate(schema.get("anyOf") or [] if not skip_any else []):
        found += _check_nested(inner, f"{path}.anyOf[{index}]")
    for index, inner in enumerate(schema.get("allOf") or []):
        found += _check_nested(inner, f"{path}.allOf[{index}]", skip_any=skip_first_all and index == 0)
    for index, inner in enumerate(schema.get("oneOf") or []):
        found += _check_nested(inner, f"{path}.oneOf[{index}]")
    if schema.get("not") is not None:
        found += _check_nested(schema["not"], f"{path}.not")
    return found


def _check_nested(schema: dict[str, Any], path: str, *, skip_any: bool = False) -> list[StatusCause]:
    found = check_junctors(schema, path, skip_any=skip_any)
    pattern = schema.get("pattern") or ""
    try:
        compiled(pattern)
    except BadPattern as failure:
        found.append(causes.invalid(f"{path}.pattern", pattern, f"must be a valid regular expression, but isn't: {failure}"))
    found += [causes.forbidden(f"{path}.{key}", "must be empty to be structural") for key in _EMPTY if schema.get(key)]
    found += [causes.forbidden(f"{path}.{key}", "must be undefined to be structural") for key in _UNDEFINED if schema.get(key) is not None]
    found += [causes.forbidden(f"{path}.{key}", "must be false to be structural") for key in _FALSE if schema.get(key)]
    if isinstance(schema.get("items"), dict):
        found += _check_nested(schema["items"], f"{path}.items")
    for name, inner in (schema.get("properties") or {}).items():
        if name == "metadata":
            found.append(causes.forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context"))
        found += _check_nested(inner, f"{path}.properties[{name}]")
    return found


def undeclared(schema: dict[str, Any], outside: Any, path: str, outside_path: str) -> list[StatusCause]:
    """Fields that the junctors of the root speak of and that the schema itself does not declare."""
    inner = [(f"{path}.{key}[{index}]", item) for key in ("allOf", "anyOf", "oneOf") for index, item in enumerate(schema.get(key) or [])]
    if schema.get("not") is not None:
        inner.append((f"{path}.not", schema["not"]))
    found: list[StatusCause] = []
    for where, nested in inner:
        found += _undeclared_fields(nested, outside, where, outside_path)
    return found


def _undeclared_fields(nested: dict[str, Any], outside: Any, path: str, outside_path: str) -> list[StatusCause]:
    if not isinstance(outside, dict):
        return [causes.required(outside_path, f"because it is defined in {path}")]
    found = undeclared(nested, outside, path, outside_path)
    if isinstance(nested.get("items"), dict):
        found += _undeclared_fields(nested["items"], outside.get("items"), f"{path}.items", f"{outside_path}.items")
    declared = outside.get("properties") or {}
    for name, field in (nested.get("properties") or {}).items():
        found += _undeclared_fields(field, declared.get(name), f"{path}.properties[{name}]", f"{outside_path}.properties[{name}]")
    return found
