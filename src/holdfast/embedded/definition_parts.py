"""Rules for the lesser parts of a CustomResourceDefinition: what may be selected by, told of old versions, converted, approved."""

from typing import Any, Final
from urllib.parse import urlsplit

from holdfast.api.errors import StatusCause
from holdfast.embedded.schema import causes

_MOST_SELECTABLE: Final = 8
_SELECTABLE_TYPES: Final = frozenset({"string", "boolean", "integer"})
_LONGEST_WARNING: Final = 256
_APPROVED: Final = "api-approved.kubernetes.io"
_PROTECTED: Final = ("k8s.io", "kubernetes.io")


def check_selectable(version: dict[str, Any], path: str) -> list[StatusCause]:
    """Fields by which objects are selected must be there, and be scalars."""
    found: list[StatusCause] = []
    seen: set[str] = set()
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if schema is None:
        is_there = bool(version.get("selectableFields"))
        return [causes.invalid(path, "", "may only be set when validations.schema is included")] if is_there else []
    for index, selectable in enumerate(version.get("selectableFields") or []):
        field, json_path = f"{path}[{index}].jsonPath", selectable.get("jsonPath") or ""
        if not json_path:
            found.append(causes.required(field))
            continue
        words, schema_there = _looked_up(json_path, schema)
        if words:
            found.append(causes.invalid(field, json_path, f"is an invalid path: {words}"))
            continue
        if json_path.removeprefix(".").partition(".")[0] == "metadata":
            found.append(causes.invalid(field, json_path, "must not point to fields in metadata"))
        if schema_there.get("type") not in _SELECTABLE_TYPES:
            words = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
            found.append(causes.invalid(field, json_path, words))
        if json_path in seen:
            found.append(causes.duplicate(field, json_path))
        seen.add(json_path)
    if len(seen) > _MOST_SELECTABLE:
        found.append(causes.too_many(path, len(seen), _MOST_SELECTABLE))
    return found


def _looked_up(json_path: str, schema: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What is wrong with a path, or the schema of what it points to."""
    if "[" in json_path:
        return "array notation is not allowed", {}
    if not json_path.startswith("."):
        return f"expected [ or . but got: {json_path.partition('.')[0]}", {}
    for name in json_path[1:].split("."):
        inner = (schema.get("properties") or {}).get(name)
        if not isinstance(inner, dict):
            return "does not refer to a valid field", {}
        schema = inner
    return "", schema


def check_deprecation(version: dict[str, Any], path: str) -> list[StatusCause]:
    words = version.get("deprecationWarning")
    if words is None:
        return []
    if not version.get("deprecated"):
        problems = ["can only be set for deprecated versions"]
    else:
        problems = [f"must be <= {_LONGEST_WARNING} characters long"] if len(words.encode()) > _LONGEST_WARNING else []
        problems += [] if words else ["must not be an empty string"]
        at = next((at for at, letter in enumerate(words) if not letter.isprintable()), None)
        problems += [] if at is None else [f"must only contain printable UTF-8 characters; non-printable character found at index {at}"]
    return [causes.invalid(f"{path}.deprecationWarning", words, problem) for problem in problems]


def check_conversion(conversion: dict[str, Any]) -> list[StatusCause]:
    """Nothing is converted here; what asks for it is refused by name."""
    strategy, webhook = conversion.get("strategy"), conversion.get("webhook") or {}
    if strategy == "Webhook":
        return [causes.forbidden("spec.conversion.strategy", "conversion webhooks are not called by this API server; use None")]
    found = [] if strategy in {None, "None"} else [causes.not_supported("spec.conversion.strategy", strategy, ["None", "Webhook"])]
    words = "should not be set when strategy is not set to Webhook"
    if webhook.get("clientConfig") is not None:
        found.append(causes.forbidden("spec.conversion.webhookClientConfig", words))
    if webhook.get("conversionReviewVersions"):
        found.append(causes.forbidden("spec.conversion.conversionReviewVersions", words))
    return found


def check_approval(obj: dict[str, Any], before: dict[str, Any] | None) -> list[StatusCause]:
    """Groups of Kubernetes' own names take definitions that say who approved them, or that nobody did."""
    group = (obj.get("spec") or {}).get("group") or ""
    if not any(group == name or group.endswith(f".{name}") for name in _PROTECTED):
        return []
    said = _approval(obj)
    if said in {"approved", "unapproved"} or (before is not None and said == _approval(before)):
        return []
    field, more = f"metadata.annotations[{_APPROVED}]", "see https://github.com/kubernetes/enhancements/pull/1111"
    if said == "missing":
        return [causes.required(field, f'protected groups must have approval annotation "{_APPROVED}", {more}')]
    words = f'protected groups must have approval annotation "{_APPROVED}" with either a URL or a reason starting with "unapproved", {more}'
    return [causes.invalid(field, (obj["metadata"].get("annotations") or {})[_APPROVED], words)]


def _approval(obj: dict[str, Any]) -> str:
    said = ((obj.get("metadata") or {}).get("annotations") or {}).get(_APPROVED) or ""
    if not said:
        return "missing"
    if said.startswith("unapproved"):
        return "unapproved"
    try:
        address = urlsplit(said)
    except ValueError:
        return "invalid"
    return "approved" if address.scheme and address.netloc else "invalid"
