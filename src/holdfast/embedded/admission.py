"""From the body of a write to the object that will be kept, or to the refusal.

The order is Kubernetes': is it an object of this kind, which of its fields are known, defaults, what the server sets itself,
then whether it is valid. Nothing here looks at other objects.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

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
    if value is None and not resource.is_custom:
        value = {}
    if not isinstance(value, dict):
        raise BadRequest(f"the body of the request is not an object: a {resource.kind} is expected")
    kind = _kind_of(resource, value)
    cleaned, unknown = meta.cleaned(value.get("metadata"))
    _check_namespace(resource, cleaned, namespace)
    obj: Object = {"apiVersion": resource.stored_api_version, "kind": kind, "metadata": cleaned}
    for field, item in value.items():
        if field not in obj:
            obj[field] = item
    resource.rules.read(obj)
    if resource.schema is not None and kind == resource.kind:  # of another kind of object nobody knows what it may hold
        unknown += resource.schema.take(obj)
        unknown += _clean_embedded(resource, obj)
    return obj, unknown


def _clean_embedded(resource: Resource, obj: Object) -> list[str]:
    """What holds for the metadata of an object holds for that of objects within it."""
    unknown: list[str] = []
    for path, inner in resource.schema.embedded(obj) if resource.schema is not None else ():
        if isinstance(inner.get("metadata"), dict):
            try:
                inner["metadata"], found = meta.cleaned(inner["metadata"])
            except BadRequest as problem:
                raise BadRequest(f"{path}: {problem.message}") from None
            unknown += [f"{path}.{field}" for field in found]
    return unknown


def _embedded_problems(resource: Resource, obj: Object) -> list[StatusCause]:
    return [
        StatusCause(reason=cause.reason, message=cause.message, field=f"{path}.{cause.field}")
        for path, inner in (resource.schema.embedded(obj) if resource.schema is not None else ())
        if isinstance(inner.get("metadata"), dict)
        for cause in meta.problems(inner["metadata"])
    ]


class Elsewhere(BadRequest):
    """The object names another place than the URL."""


def _kind_of(resource: Resource, value: Object) -> str:
    """Nothing but the URL says what an object of Kubernetes' own kinds is; a custom one has to say it itself."""
    version, kind = value.get("apiVersion") or "", value.get("kind") or ""
    if not resource.is_custom:
        version, kind = version or resource.api_version, kind or resource.kind
    if not kind:
        raise BadRequest(f"the object provided is unrecognized (must be of type {resource.kind}): Object 'Kind' is missing")
    if version != resource.api_version:
        raise BadRequest(f"the API version in the data ({version!s:.100}) does not match the expected API version ({resource.api_version})")
    if kind != resource.kind and not (resource.is_custom and isinstance(kind, str)):
        raise BadRequest(f"the kind in the data ({kind!s:.100}) does not match the expected kind ({resource.kind})")
    return kind


def check_named(obj: Object, name: str) -> None:
    """A new version of an object has its name."""
    given = obj["metadata"].get("name", "")
    if not given:
        raise BadRequest(f"the name of the object ({name:.300} based on URL) was undeterminable: name must be provided")
    if given != name:
        raise BadRequest(f"the name of the object ({given:.300}) does not match the name on the URL ({name:.300})")


def _check_namespace(resource: Resource, metadata: Object, namespace: str) -> None:
    given = metadata.get("namespace", "")
    if not resource.namespaced:
        metadata.pop("namespace", None)
    elif given and given != namespace:
        raise Elsewhere("the namespace of the provided object does not match the namespace sent on the request")
    if resource.namespaced:
        metadata["namespace"] = namespace


def repeated_owners(value: Object, obj: Object, *, is_patch: bool = False) -> list[str]:
    """What to tell who named an owner twice: the second time it was dropped."""
    named, kept = ((value or {}).get("metadata") or {}).get("ownerReferences") or (), obj["metadata"].get("ownerReferences", ())
    if len(named) == len(kept):
        return []
    uids = (Counter(owner.get("uid") or "" for owner in named) - Counter(owner.get("uid", "") for owner in kept)).elements()
    when = " after mutating admission happens" if is_patch else ""
    words = (
        f".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and may reject such "
        f"requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {', '.join(uids)}"
    )
    return [words]


def unknown_to_warnings(strictness: str, unknown: Sequence[str], duplicates: Sequence[str]) -> list[str]:
    """Refuse or warn, as the client asked."""
    found = [f'unknown field "{path}"' for path in unknown] + [f'duplicate field "{name}"' for name in duplicates]
    if found and strictness == "Strict":
        raise BadRequest(f"strict decoding error: {', '.join(found)}")
    return found if strictness == "Warn" else []


def check(resource: Resource, obj: Object, old: Object | None, subresource: str = "") -> None:
    """Raises ``Invalid`` with every cause there is; without one the object is as it will be kept."""
    if obj["kind"] != resource.kind:
        told = [causes.invalid("kind", obj["kind"], f"must be {resource.kind}")]
        if resource.schema is not None:
            told += resource.schema.validate_parts(obj, old) + _embedded_problems(resource, obj)
        raise refusals.invalid(replace(resource, kind=obj["kind"]), obj["metadata"].get("name", ""), told)
    found = (_name_problems(resource, obj["metadata"]) if old is None else []) + meta.problems(obj["metadata"])
    if old is not None:
        found += meta.forbidden_changes(obj["metadata"], old["metadata"])
    if resource.schema is not None:
        found += resource.schema.validate_status(obj, old) if subresource == "status" else resource.schema.validate(obj, old)
        found += _embedded_problems(resource, obj)
    if not resource.is_custom and (wrong := next((cause for cause in found if cause.reason == causes.WRONG_TYPE), None)):
        raise refusals.Unreadable(f"{resource.kind} can not be read: {wrong.field}: {wrong.message}")
    found += resource.rules.check(obj, old)
    if found:
        raise refusals.invalid(resource, obj["metadata"].get("name", ""), found)
    if resource.schema is not None:
        resource.schema.settle(obj)


def _name_problems(resource: Resource, metadata: Object) -> list[StatusCause]:
    """Of a new object: its name, and what its name was made from."""
    name, prefix = metadata.get("name", ""), metadata.get("generateName", "")
    found = []
    if prefix and (words := naming.problem_of_prefix(resource, prefix)):
        found.append(causes.invalid("metadata.generateName", prefix, words))
    if not name:
        found.append(causes.required("metadata.name", "name or generateName is required"))
    elif words := naming.problem_of_name(resource, name):
        found.append(causes.invalid("metadata.name", name, words))
    return found
