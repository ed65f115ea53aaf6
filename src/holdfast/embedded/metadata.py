"""The metadata of an object: what a client may say in it, and what only the server says."""

from functools import lru_cache
from typing import Any

import msgspec

from holdfast.api.errors import BadRequest, StatusCause
from holdfast.api.selectors import check_label_key, check_label_value
from holdfast.api.timestamps import is_time
from holdfast.embedded.schema import causes

MAX_ANNOTATIONS = 256 * 1024


class _OwnerReference(msgspec.Struct, rename="camel", gc=False):
    """Field types are all that is checked here."""

    api_version: str | None = None
    kind: str | None = None
    name: str | None = None
    uid: str | None = None
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class _Metadata(msgspec.Struct, rename="camel", gc=False):
    """The known fields, in the order in which they are kept."""

    name: str | None = None
    generate_name: str | None = None
    namespace: str | None = None
    uid: str | None = None
    resource_version: str | None = None
    generation: int | None = None
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str | None] | None = None
    annotations: dict[str, str | None] | None = None
    owner_references: list[_OwnerReference | None] | None = None
    finalizers: list[str | None] | None = None


class _Foreign(msgspec.Struct, rename="camel", gc=False):
    """Fields of which nothing is kept, and which must be well made all the same."""

    managed_fields: list[dict[str, Any] | None] | None = None
    self_link: str | None = None


_KNOWN = _Metadata.__struct_encode_fields__
#: Taken and dropped without a word: servers write them, and clients send back what they read.
_DROPPED = frozenset(_Foreign.__struct_encode_fields__)
#: Events go by themselves: nothing may hang on them.
_OF_EVENTS = frozenset({"v1", "events.k8s.io/v1", "events.k8s.io/v1beta1"})
_OWNER_FIELDS = _OwnerReference.__struct_encode_fields__


def cleaned(value: Any) -> tuple[dict[str, Any], list[str]]:
    """The metadata without what says nothing, and the paths of what is unknown. The result shares no list with ``value``."""
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        raise BadRequest("metadata: Expected `object`")
    try:
        msgspec.convert(value, _Metadata)
        if not _DROPPED.isdisjoint(value):
            msgspec.convert(value, _Foreign)
    except msgspec.ValidationError as problem:
        raise BadRequest(f"metadata can not be read: {problem}") from None
    unknown = [f"metadata.{field}" for field in value if field not in _KNOWN and field not in _DROPPED]
    kept = {field: value[field] for field in _KNOWN if field in value and (value[field] or field == "deletionGracePeriodSeconds")}
    if kept.get("deletionGracePeriodSeconds", 0) is None:
        del kept["deletionGracePeriodSeconds"]
    for field in ("creationTimestamp", "deletionTimestamp"):
        if (given := value.get(field)) is not None and not is_time(given):
            raise BadRequest(f"metadata.{field} can not be read: {given!r:.100} is no time")
    for field in ("labels", "annotations"):
        if field in kept:
            kept[field] = {key: item or "" for key, item in kept[field].items()}
    if "finalizers" in kept:
        kept["finalizers"] = [name or "" for name in kept["finalizers"]]
    if "ownerReferences" in kept:
        owners = [owner or {} for owner in kept["ownerReferences"]]
        unknown += [
            f"metadata.ownerReferences[{at}].{field}" for at, owner in enumerate(owners) for field in owner if field not in _OWNER_FIELDS
        ]
        known = ({field: owner[field] for field in _OWNER_FIELDS if owner.get(field) is not None} for owner in owners)
        # What is said twice is kept once.
        kept["ownerReferences"] = list({tuple(owner.items()): owner for owner in known}.values())
    return kept, unknown


def problems(metadata: dict[str, Any]) -> list[StatusCause]:
    """What Kubernetes refuses in any object's metadata, names apart."""
    found: list[StatusCause] = []
    if metadata.get("generation", 0) < 0:
        found.append(causes.invalid("metadata.generation", metadata["generation"], "must be greater than or equal to 0"))
    for key, value in metadata.get("labels", {}).items():
        if words := _label_problem(key, value):
            found.append(causes.invalid("metadata.labels", value if words.startswith("invalid label value") else key, words))
    annotations = metadata.get("annotations", {})
    found += [causes.invalid("metadata.annotations", key, words) for key in annotations if (words := _key_problem(key.lower()))]
    if sum(len(key) + len(value) for key, value in annotations.items()) > MAX_ANNOTATIONS:
        found.append(causes.too_long("metadata.annotations", MAX_ANNOTATIONS))
    found += _owner_problems(metadata.get("ownerReferences", ()))
    found += [
        causes.invalid("metadata.finalizers", finalizer, words)
        for finalizer in metadata.get("finalizers", ())
        if (words := _key_problem(finalizer))
    ]
    if {"orphan", "foregroundDeletion"} <= set(metadata.get("finalizers", ())):
        words = "finalizer orphan and foregroundDeletion cannot be both set"
        found.append(causes.invalid("metadata.finalizers", metadata["finalizers"], words))
    version = metadata.get("resourceVersion", "0")
    if not (version.isascii() and version.isdecimal()) or len(version) > 20:
        found.append(causes.invalid("metadata.resourceVersion", version, "must be a whole number"))
    return found


def _owner_problems(owners: Any) -> list[StatusCause]:
    found = []
    for owner in owners:
        for field, words in (
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ):
            if not owner.get(field):
                found.append(causes.invalid(f"metadata.ownerReferences.{field}", "", words))
        version = owner.get("apiVersion", "")
        if version.count("/") > 1:
            found.append(causes.invalid("metadata.ownerReferences.apiVersion", version, f"unexpected GroupVersion string: {version}"))
        if owner.get("kind") == "Event" and version in _OF_EVENTS:
            words = f"{version}, Kind=Event is disallowed from being an owner"
            found.append(causes.invalid("metadata.ownerReferences", owner, words))
    controllers = [owner for owner in owners if owner.get("controller")]
    if len(controllers) > 1:
        words = f"Only one reference can have Controller set to true. Found {len(controllers)}"
        found.append(causes.invalid("metadata.ownerReferences", controllers[1], words))
    return found


@lru_cache(maxsize=8192)
def _label_problem(key: str, value: str) -> str:
    try:
        check_label_key(key)
        check_label_value(value)
    except ValueError as problem:
        return str(problem)
    return ""


@lru_cache(maxsize=8192)
def _key_problem(key: str) -> str:
    try:
        check_label_key(key)
    except ValueError as problem:
        return str(problem).replace("label key", "name")
    return ""


def carry_over(metadata: dict[str, Any], old: dict[str, Any]) -> None:
    """What an update leaves out, or may not change and is not told of, comes from the object as it is."""
    for field in ("name", "namespace", "uid"):
        if field in old:
            metadata.setdefault(field, old[field])
    for field in ("creationTimestamp", "generation"):
        if field in old:
            metadata[field] = old[field]
        else:
            metadata.pop(field, None)
    if "deletionTimestamp" in old:
        metadata["deletionTimestamp"] = old["deletionTimestamp"]
        metadata.setdefault("deletionGracePeriodSeconds", old.get("deletionGracePeriodSeconds", 0))


def forbidden_changes(metadata: dict[str, Any], old: dict[str, Any]) -> list[StatusCause]:
    found = []
    if "deletionTimestamp" in old:
        added = [finalizer for finalizer in metadata.get("finalizers", ()) if finalizer not in old.get("finalizers", ())]
        if added:
            names = ", ".join(causes.quoted(finalizer) for finalizer in added)
            words = f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{names}}}"
            found.append(causes.forbidden("metadata.finalizers", words))
    return found + [
        causes.invalid(f"metadata.{field}", metadata.get(field), "field is immutable")
        for field in ("name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds")
        if metadata.get(field) != old.get(field)
    ]


def in_order(metadata: dict[str, Any]) -> dict[str, Any]:
    """The same fields, in the order in which objects are kept."""
    return {field: metadata[field] for field in _KNOWN if field in metadata}
