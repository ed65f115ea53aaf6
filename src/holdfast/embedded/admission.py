"""From the body of a write to the object that will be kept, or to the refusal.

The order is Kubernetes': is it an object of this kind, which of its fields are known, defaults, what the server sets itself,
then whether it is valid. Nothing here looks at other objects.
"""

from collections.abc import Sequence
from typing import Any

from holdfast.api.errors import BadRequest, StatusCause
from holdfast.embedded import metadata as meta
from holdfast.embedded import naming, refusals
from holdfast.embedded.resources import Resource
from holdfast.embedded.schema import causes

Object = dict[str, Any]


def read_object(resource: Resource, value: Any, namespace: str) -> tuple[Object, list[str]]:
    """The object of a body in the form in which it is kept, and the paths of its unknown fields, which are dropped.

    The object has its own maps at the top and in its metadata; below that it shares with ``value``.
    """
    if not isinstance(value, dict):
        raise BadRequest(f"the body of the request is not an object: a {resource.kind} is expected")
    _check_kind(resource, value)
    cleaned, unknown = meta.cleaned(value.get("metadata"))
    _check_namespace(resource, cleaned, namespace)
    obj: Object = {"apiVersion": resource.stored_api_version, "kind": resource.kind, "metadata": cleaned}
    for field, item in value.items():
        if field not in obj:
            obj[field] = item
    if resource.schema is not None:
        unknown += resource.schema.take(obj)
    return obj, unknown


def _check_kind(resource: Resource, value: Object) -> None:
    version, kind = value.get("apiVersion") or resource.api_version, value.get("kind") or resource.kind
    if version != resource.api_version:
        raise BadRequest(f"the API version in the data ({version!s:.100}) does not match the expected API version ({resource.api_version})")
    if kind != resource.kind:
        raise BadRequest(f"the kind in the data ({kind!s:.100}) does not match the expected kind ({resource.kind})")


def _check_namespace(resource: Resource, metadata: Object, namespace: str) -> None:
    given = metadata.get("namespace", "")
    if given and given != namespace:
        raise BadRequest(
            "the namespace of the provided object does not match the namespace sent on the request"
            if resource.namespaced
            else f"{resource.id} have no namespace, but the object names {given!r:.100}"
        )
    if resource.namespaced:
        metadata["namespace"] = namespace


def unknown_to_warnings(strictness: str, unknown: Sequence[str], duplicates: Sequence[str]) -> list[str]:
    """Refuse or warn, as the client asked."""
    found = [f'unknown field "{path}"' for path in unknown] + [f'duplicate field "{name}"' for name in duplicates]
    if found and strictness == "Strict":
        raise BadRequest(f"strict decoding error: {', '.join(found)}")
    return found if strictness == "Warn" else []


def check(resource: Resource, obj: Object, old: Object | None, subresource: str = "") -> None:
    """Raises ``Invalid`` with every cause there is."""
    found: list[StatusCause] = meta.problems(obj["metadata"])
    if old is not None:
        found += meta.forbidden_changes(obj["metadata"], old["metadata"])
    if resource.schema is not None:
        found += resource.schema.validate_status(obj, old) if subresource == "status" else resource.schema.validate(obj, old)
    found += resource.rules.check(obj, old)
    if found:
        raise refusals.invalid(resource, obj["metadata"].get("name", ""), found)


def check_name(resource: Resource, metadata: Object) -> None:
    """For a new object: its name, or what its name will be made from."""
    name, prefix = metadata.get("name", ""), metadata.get("generateName", "")
    if name and (words := naming.problem_of_name(resource, name)):
        raise refusals.invalid(resource, name, [causes.invalid("metadata.name", name, words)])
    if not name and not prefix:
        raise refusals.invalid(resource, "", [causes.required("metadata.name", "name or generateName is required")])
    if not name and (words := naming.problem_of_prefix(resource, prefix)):
        raise refusals.invalid(resource, prefix, [causes.invalid("metadata.generateName", prefix, words)])
