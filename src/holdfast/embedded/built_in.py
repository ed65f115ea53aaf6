"""Kubernetes' own kinds as this server has them: a small part, enough for what runs on one machine."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from holdfast.api import kinds
from holdfast.api.errors import BadRequest, StatusCause
from holdfast.api.kinds import Kind
from holdfast.api.struct import from_builtins
from holdfast.embedded import built_in_checks, typed_forms
from holdfast.embedded.built_in_schemas import BUILT_IN_SCHEMAS
from holdfast.embedded.resources import Resource
from holdfast.embedded.rules import Rules
from holdfast.embedded.schema import causes

KUBERNETES = "kubernetes"
_UNSET_IN_EVENTS: dict[str, Any] = {
    "involvedObject": {},
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}
#: These are there from the start, and stay.
PERMANENT_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")


class _Typed(Rules):
    """Fields that we know must have the type that we know."""

    def __init__(self, kind: Kind) -> None:
        self._type = kind.type
        self._known = BUILT_IN_SCHEMAS[kind.resource].document["properties"]

    def read(self, obj: dict[str, Any]) -> None:
        typed_forms.without_nulls(obj, self._known)
        for part in ("spec", "status"):
            if part in self._known and not isinstance(obj.get(part, {}), dict):
                raise BadRequest(f"{obj['kind']} can not be read: {part} is an object")
        try:
            if not isinstance(obj.get("immutable", False), bool):
                raise BadRequest(f"{obj['kind']} can not be read: immutable is true or false")
            from_builtins({**obj, "metadata": {}}, self._type)  # the metadata has been read already
        except msgspec.ValidationError as problem:
            raise BadRequest(f"{obj['kind']} can not be read: {problem}") from None

    def check(self, obj: dict[str, Any], before: dict[str, Any] | None) -> Sequence[StatusCause]:  # noqa: ARG002 - a hook
        return list(built_in_checks.finalizers(obj["metadata"]))


class Namespaces(_Typed):
    """A namespace is Active until it ends, and is held by what it contains."""

    def prepare(self, obj: dict[str, Any], before: dict[str, Any] | None, *, now: float) -> None:
        super().prepare(obj, before, now=now)
        metadata = obj["metadata"]
        metadata["labels"] = {**metadata.get("labels", {}), "kubernetes.io/metadata.name": metadata.get("name", "")}
        if before is None:
            obj["spec"] = {"finalizers": [KUBERNETES]}
            obj["status"] = {"phase": "Active"}
            return
        finalizers = obj.get("spec", {}).get("finalizers", [])
        if not isinstance(finalizers, list) or not all(isinstance(finalizer, str) for finalizer in finalizers):
            raise BadRequest("Namespace can not be read: spec.finalizers is a list of texts")
        obj["status"] = {**obj.get("status", {}), "phase": "Terminating" if metadata.get("deletionTimestamp") else "Active"}

    def prepare_end(self, obj: dict[str, Any]) -> None:
        obj["status"] = {**obj.get("status", {}), "phase": "Terminating"}

    def is_held(self, obj: dict[str, Any]) -> bool:
        return bool(obj.get("spec", {}).get("finalizers"))

    def why_kept(self, obj: dict[str, Any]) -> str:
        return "this namespace may not be deleted" if obj["metadata"]["name"] in PERMANENT_NAMESPACES else ""


class Nodes(_Typed):
    keeps_status_at_create = True


class Secrets(_Typed):
    """``stringData`` is a way to write ``data``; it is never read back."""

    def read(self, obj: dict[str, Any]) -> None:
        typed_forms.settle_texts(obj, "stringData")
        typed_forms.settle_texts(obj, "data")
        super().read(obj)
        plain = obj.pop("stringData", {})
        if not isinstance(plain, dict) or not all(isinstance(value, str) for value in plain.values()):
            raise BadRequest("Secret can not be read: stringData is a map of texts")
        data = obj.get("data") or {}
        _settle_base64("Secret", "data", data)
        if plain:
            obj["data"] = {**data, **{name: base64.b64encode(value.encode()).decode() for name, value in plain.items()}}
        obj["type"] = obj.get("type") or "Opaque"

    def check(self, obj: dict[str, Any], before: dict[str, Any] | None) -> Sequence[StatusCause]:
        found = list(super().check(obj, before))
        if before is not None and before.get("type") != obj["type"]:
            found.append(causes.invalid("type", obj["type"], "field is immutable"))
        return [*found, *_immutable(obj, before, ("data",)), *built_in_checks.secret(obj)]


class ConfigMaps(_Typed):
    def read(self, obj: dict[str, Any]) -> None:
        typed_forms.settle_texts(obj, "data")
        typed_forms.settle_texts(obj, "binaryData")
        super().read(obj)
        _settle_base64("ConfigMap", "binaryData", obj.get("binaryData") or {})

    def check(self, obj: dict[str, Any], before: dict[str, Any] | None) -> Sequence[StatusCause]:
        return [*super().check(obj, before), *_immutable(obj, before, ("data", "binaryData")), *built_in_checks.config_map(obj)]


class Leases(_Typed):
    """Of the metadata it has the plain rules only."""

    def read(self, obj: dict[str, Any]) -> None:
        super().read(obj)
        typed_forms.settle_lease(obj, self._known["spec"]["properties"])

    def check(self, obj: dict[str, Any], before: dict[str, Any] | None) -> Sequence[StatusCause]:  # noqa: ARG002 - a hook
        return [*built_in_checks.lease(obj)]


class Events(_Typed):
    """Go writes these fields always, and clients find them."""

    def prepare(self, obj: dict[str, Any], before: dict[str, Any] | None, *, now: float) -> None:
        super().prepare(obj, before, now=now)
        for field, unset in _UNSET_IN_EVENTS.items():
            if obj.get(field) is None:
                obj[field] = dict(unset) if isinstance(unset, dict) else unset

    def check(self, obj: dict[str, Any], before: dict[str, Any] | None) -> Sequence[StatusCause]:
        return [*super().check(obj, before), *built_in_checks.event(obj)]


def _settle_base64(kind: str, field: str, data: Any) -> None:
    """A map of bytes as it is kept, in place."""
    if not isinstance(data, dict):
        raise BadRequest(f"{kind} can not be read: {field} is a map")
    for name, value in data.items():
        try:
            # Lines may end anywhere in it, and bits that no byte needs may be set: Go writes neither.
            content = base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
        except (binascii.Error, ValueError, AttributeError):
            raise BadRequest(f"{kind} can not be read: {field}[{name!r:.100}] is not base64") from None
        data[name] = base64.b64encode(content).decode()


def _immutable(obj: dict[str, Any], before: dict[str, Any] | None, fields: Sequence[str]) -> Sequence[StatusCause]:
    """``immutable: true`` can be set and never be taken back, and holds the content."""
    if before is None or before.get("immutable") is not True:
        return ()
    changed = [field for field in fields if obj.get(field) != before.get(field)]
    if obj.get("immutable") is not True:
        changed.insert(0, "immutable")
    return [causes.forbidden(field, "field is immutable when `immutable` is set") for field in changed]


_RULES: dict[str, type[_Typed]] = {
    "namespaces": Namespaces,
    "nodes": Nodes,
    "secrets": Secrets,
    "configmaps": ConfigMaps,
    "events": Events,
    kinds.LEASE.resource: Leases,
}
_SELECTABLE = {
    "namespaces": ("status.phase",),
    "nodes": ("spec.unschedulable",),
    "secrets": ("type",),
    "events": (
        *(f"involvedObject.{part}" for part in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")),
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
}
#: Kinds whose PUT must name the version that it replaces.
_GUARDED = frozenset({kinds.LEASE.resource, kinds.CUSTOM_RESOURCE_DEFINITION.resource})


def built_in(definitions: Rules) -> list[Resource]:
    """The resources that are there from the start; ``definitions`` are the rules of CRDs."""
    found = [_resource(kind) for kind in kinds.BUILT_IN if kind is not kinds.CUSTOM_RESOURCE_DEFINITION]
    of_definitions = _resource(kinds.CUSTOM_RESOURCE_DEFINITION)
    return [*found, replace(of_definitions, rules=definitions, counts_generations=True, categories=("api-extensions",))]


def _resource(kind: Kind) -> Resource:
    return Resource(
        group=kind.group,
        version=kind.version,
        plural=kind.plural,
        singular=kind.singular,
        kind=kind.name,
        short_names=kind.short_names,
        namespaced=kind.namespaced,
        has_status=kind.has_status,
        made_by_update=kind in {kinds.LEASE, kinds.EVENT},
        may_overwrite=kind.resource not in _GUARDED,
        selectable=_SELECTABLE.get(kind.resource, ()),
        schema=BUILT_IN_SCHEMAS.get(kind.resource),
        rules=_RULES.get(kind.resource, _Typed)(kind),
    )
