"""Whether a CustomResourceDefinition may be created or changed: the rules of apiextensions.k8s.io/v1, in its words.

Three things that Kubernetes has and this server has not are refused by name: conversion webhooks, the scale subresource, and
schemas that are not structural. Rules in CEL are accepted with a warning (``warnings_of``): they are not enforced here.
"""

import re
from typing import Any, Final

from holdfast.api.errors import StatusCause
from holdfast.embedded.definition_parts import check_approval, check_conversion, check_deprecation, check_selectable
from holdfast.embedded.schema import Schema, causes
from holdfast.embedded.schema.formats import is_string_format
from holdfast.embedded.schema.structural import cel_rules

_LABEL: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_DOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_WORDS: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an "
    "alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_DOMAIN_WORDS: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    f"alphanumeric character (e.g. 'example.com', regex used for validation is '{_DOMAIN.pattern}')"
)
_MIXED: Final = "may have mixed case, but should otherwise match: "
_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
#: With a status subresource the root schema may say only these, since status is checked by its own schema alone.
_ROOT_ONLY: Final = {
    "description", "type", "format", "title", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength",
    "pattern", "maxItems", "minItems", "uniqueItems", "multipleOf", "required", "items", "properties", "externalDocs", "example",
    "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations",
}  # fmt: skip
_IMMUTABLE: Final = "field is immutable"


def check_definition(obj: dict[str, Any], before: dict[str, Any] | None) -> list[StatusCause]:
    """Why the definition is refused. Defaults are filled in already; ``before`` is None for a new one."""
    spec = obj.get("spec") or {}
    found = (_check_name(obj, spec) if before is None else []) + _check_group(spec.get("group") or "")
    if not spec.get("scope"):
        found.append(causes.required("spec.scope"))
    elif spec["scope"] not in {"Cluster", "Namespaced"}:
        found.append(causes.not_supported("spec.scope", spec["scope"], ["Cluster", "Namespaced"]))
    found += _check_versions(spec.get("versions") or []) + _check_names(spec.get("names") or {})
    found += check_conversion(spec.get("conversion") or {}) + check_approval(obj, before)
    if spec.get("preserveUnknownFields"):
        words = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        found.append(causes.invalid("spec.preserveUnknownFields", True, words))
    found += _check_stored(obj)
    if before is not None:
        found += _check_change(spec, before.get("spec") or {}, is_established=_is_established(before))
    return found


def warnings_of(obj: dict[str, Any]) -> list[str]:
    """What is accepted and yet not done, for the Warning header."""
    found: list[str] = []
    for index, version in enumerate((obj.get("spec") or {}).get("versions") or []):
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        rules = cel_rules(schema, f"spec.versions[{index}].schema.openAPIV3Schema")
        if rules:
            more = f" (and {len(rules) - 1} more)" if len(rules) > 1 else ""
            found.append(f"{rules[0]}{more}: CEL validation rules are not enforced by this API server")
        found += [f'unrecognized format "{name}"' for name in _unknown_formats(schema)]
    return list(dict.fromkeys(found))


def _unknown_formats(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for item in schema for name in _unknown_formats(item)]
    if not isinstance(schema, dict):
        return []
    name, type_ = schema.get("format"), schema.get("type")
    known = {"integer": name in {"int32", "int64"}, "number": name in {"float", "double"}}
    own = [name] if isinstance(name, str) and name and not known.get(str(type_), is_string_format(name)) else []
    inner = {key: value for key, value in schema.items() if key not in {"default", "enum", "example"}}
    return own + [found for value in inner.values() for found in _unknown_formats(value)]


def _is_established(definition: dict[str, Any]) -> bool:
    conditions = (definition.get("status") or {}).get("conditions") or []
    return any(condition.get("type") == "Established" and condition.get("status") == "True" for condition in conditions)


def _check_name(obj: dict[str, Any], spec: dict[str, Any]) -> list[StatusCause]:
    name, names = (obj.get("metadata") or {}).get("name") or "", spec.get("names") or {}
    if name != f"{names.get('plural') or ''}.{spec.get('group') or ''}":
        return [causes.invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]
    return []


def _check_group(group: str) -> list[StatusCause]:
    if not group:
        return [causes.required("spec.group")]
    if not _DOMAIN.fullmatch(group) or len(group) > 253:
        return [causes.invalid("spec.group", group, _DOMAIN_WORDS)]
    return [] if "." in group else [causes.invalid("spec.group", group, "should be a domain with at least one dot")]


def _check_versions(versions: list[dict[str, Any]]) -> list[StatusCause]:
    found: list[StatusCause] = []
    shared = {key: _is_shared(versions, key) for key in ("schema", "subresources", "additionalPrinterColumns", "selectableFields")}
    for index, version in enumerate(versions):
        path, name = f"spec.versions[{index}]", version.get("name") or ""
        if not _is_label(name):
            found.append(causes.invalid(f"{path}.name", name, _LABEL_WORDS))
            found += [causes.invalid("spec.version", name, _LABEL_WORDS)] if index == 0 and name else []
        if index == 0 or not shared["schema"]:
            found += _check_schema(version, "spec.validation" if shared["schema"] else f"{path}.schema")
        if (version.get("subresources") or {}).get("scale") is not None:
            where = "spec" if shared["subresources"] else path
            found.append(causes.forbidden(f"{where}.subresources.scale", "the scale subresource is not served by this API server"))
        where = "spec" if shared["additionalPrinterColumns"] else path
        for number, column in enumerate(version.get("additionalPrinterColumns") or []):
            found += _check_column(column, f"{where}.additionalPrinterColumns[{number}]")
        if index == 0 or not shared["selectableFields"]:
            found += check_selectable(version, f"{'spec' if shared['selectableFields'] else path}.selectableFields")
        found += check_deprecation(version, path)
    names = [version.get("name") for version in versions]
    if len(set(names)) < len(names):
        found.append(causes.invalid("spec.versions", versions, "must contain unique version names"))
    if sum(bool(version.get("storage")) for version in versions) != 1:
        found.append(causes.invalid("spec.versions", versions, "must have exactly one version marked as storage version"))
    return found


def _is_shared(versions: list[dict[str, Any]], key: str) -> bool:
    """What all versions say alike is told of the definition as a whole."""
    return bool(versions and versions[0].get(key)) and all(version.get(key) == versions[0][key] for version in versions)


def _check_schema(version: dict[str, Any], path: str) -> list[StatusCause]:
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if schema is None:
        return [causes.required(f"{path}.openAPIV3Schema")]
    found = Schema.check(schema, f"{path}.openAPIV3Schema")
    said = {key for key, value in schema.items() if value not in (None, "", [], {}, False)} if isinstance(schema, dict) else set()
    if "status" in (version.get("subresources") or {}) and said - _ROOT_ONLY:
        allowed = " ".join(sorted(_ROOT_ONLY))
        words = f"only [{allowed}] fields are allowed at the root of the schema if the status subresource is enabled"
        found.append(causes.invalid(f"{path}.openAPIV3Schema", "", words))
    return found


def _check_column(column: dict[str, Any], path: str) -> list[StatusCause]:
    found = [] if column.get("name") else [causes.required(f"{path}.name")]
    type_, format_, json_path = column.get("type") or "", column.get("format") or "", column.get("jsonPath") or ""
    types = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not type_:
        found.append(causes.required(f"{path}.type", types))
    elif type_ not in _COLUMN_TYPES:
        found.append(causes.invalid(f"{path}.type", type_, types))
    if format_ and format_ not in _COLUMN_FORMATS:
        found.append(causes.invalid(f"{path}.format", format_, f"must be one of {','.join(_COLUMN_FORMATS)}"))
    if not json_path:
        found.append(causes.required(f"{path}.JSONPath"))
    elif not json_path.startswith("."):
        found.append(causes.invalid(f"{path}.JSONPath", json_path, "must be a simple json path starting with ."))
    return found


def _check_names(names: dict[str, Any]) -> list[StatusCause]:
    found = [causes.required(f"spec.names.{key}") for key in ("plural", "singular", "kind", "listKind") if not names.get(key)]
    for key in ("plural", "singular", "kind", "listKind"):
        name = names.get(key) or ""
        mixed = key in {"kind", "listKind"}
        if name and not _is_label(name.lower() if mixed else name):
            found.append(causes.invalid(f"spec.names.{key}", name, (_MIXED if mixed else "") + _LABEL_WORDS))
    for key in ("shortNames", "categories"):
        for index, name in enumerate(names.get(key) or []):
            if not _is_label(name):
                found.append(causes.invalid(f"spec.names.{key}[{index}]", name, _LABEL_WORDS))
    if names.get("kind") and names["kind"] == names.get("listKind"):
        found.append(causes.invalid("spec.names.listKind", names["listKind"], "kind and listKind may not be the same"))
    return found


def _is_label(name: str) -> bool:
    return len(name) <= 63 and _LABEL.fullmatch(name) is not None


def _check_stored(obj: dict[str, Any]) -> list[StatusCause]:
    """A version in which objects may be kept can not be taken out."""
    stored: list[str] = (obj.get("status") or {}).get("storedVersions") or []
    versions = (obj.get("spec") or {}).get("versions") or []
    known = {version.get("name") for version in versions}
    if not stored:
        return [causes.invalid("status.storedVersions", None, "must have at least one stored version")]
    unsaid = [version.get("name") or "" for version in versions if version.get("storage") and version.get("name") not in stored]
    return [causes.invalid("status.storedVersions", stored, f"must have the storage version {name}") for name in unsaid] + [
        causes.invalid(
            f"status.storedVersions[{index}]",
            name,
            f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage "
            f"migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions",
        )
        for index, name in enumerate(stored)
        if name not in known
    ]


def _check_change(spec: dict[str, Any], old: dict[str, Any], *, is_established: bool) -> list[StatusCause]:
    fixed: list[tuple[str, ...]] = [("group",), ("names", "plural"), *([("scope",), ("names", "kind")] if is_established else [])]
    found = []
    for path in fixed:
        now, then = _at(spec, path), _at(old, path)
        if now != then:
            found.append(causes.invalid(f"spec.{'.'.join(path)}", now or "", _IMMUTABLE))
    return found


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = (value or {}).get(name)
    return value
