"""CustomResourceDefinitions: how a definition becomes kinds that are served.

A definition is completed and judged when it is written; its names are accepted at once, or not at all when another definition of
its group has them. Kinds join the registry when the definition is committed, so they are there again after a restart, and they
leave it when the definition is gone. A definition that is being deleted keeps serving its objects until the last of them is gone
(finalizer ``customresourcecleanup.apiextensions.k8s.io``) and takes no new ones.
"""

from collections.abc import Sequence
from typing import Any, Final

from holdfast.api.errors import StatusCause
from holdfast.api.timestamps import timestamp
from holdfast.embedded.built_in_schemas import BUILT_IN_SCHEMAS
from holdfast.embedded.columns import of_definition
from holdfast.embedded.definition_checks import check_definition, warnings_of
from holdfast.embedded.resources import Registry, Resource
from holdfast.embedded.rules import Rules
from holdfast.embedded.schema import Schema

#: Holds a definition back until its objects are gone.
CLEANUP: Final = "customresourcecleanup.apiextensions.k8s.io"

_SCHEMA: Final = BUILT_IN_SCHEMAS["customresourcedefinitions.apiextensions.k8s.io"]


class Definitions(Rules):
    """The rules of the kind CustomResourceDefinition; they feed the registry."""

    follows_commits = True
    counts_its_end = False

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._accepted: dict[str, tuple[str, dict[str, Any]]] = {}

    def prepare(self, obj: dict[str, Any], before: dict[str, Any] | None, *, now: float) -> None:
        if _SCHEMA.validate(obj):
            return
        spec = obj["spec"]
        _fill_in(spec)
        metadata = obj["metadata"]
        status = dict(obj.get("status") or {}) if before is not None else {}
        stored = list(status.get("storedVersions") or [])
        storage = next((version.get("name") for version in spec.get("versions") or [] if version.get("storage")), None)
        if storage is not None and storage not in stored:
            stored.append(storage)
        status["storedVersions"] = stored
        self._accept(metadata.get("name") or "", spec, status, timestamp(now))
        obj["status"] = status

    def check(self, obj: dict[str, Any], before: dict[str, Any] | None) -> Sequence[StatusCause]:
        # where the shape is wrong the schema has said so
        return () if _SCHEMA.validate(obj) else check_definition(obj, before)

    def warnings(self, obj: dict[str, Any]) -> Sequence[str]:
        return warnings_of(obj)

    def prepare_end(self, obj: dict[str, Any]) -> None:
        metadata = obj["metadata"]
        finalizers = metadata.get("finalizers") or []
        metadata["finalizers"] = finalizers if CLEANUP in finalizers else [*finalizers, CLEANUP]
        status = obj["status"] = dict(obj.get("status") or {})
        ends = {"Terminating": ("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")}
        others = [condition for condition in status.get("conditions") or [] if condition.get("type") != "Terminating"]
        status["conditions"] = others + _with_conditions([], ends, metadata.get("deletionTimestamp", ""))

    def committed(self, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
        known = after or before
        if known is None:
            return
        name, spec = known["metadata"]["name"], known["spec"]
        if after is None:
            self._accepted.pop(name, None)
        else:
            self._accepted[name] = (spec["group"], (after.get("status") or {}).get("acceptedNames") or {})
        self._registry.replace(spec["group"], spec["names"]["plural"], resources_of(after) if after else ())

    def _accept(self, name: str, spec: dict[str, Any], status: dict[str, Any], now: str) -> None:
        """Accept the names that no other definition of the group has, and say so in the conditions."""
        others = [names for other, (group, names) in self._accepted.items() if other != name and group == spec.get("group")]
        words = {word for names in others for word in (names.get("plural"), names.get("singular"), *(names.get("shortNames") or []))}
        kinds = {word for names in others for word in (names.get("kind"), names.get("listKind"))}
        wanted, accepted = spec.get("names") or {}, dict(status.get("acceptedNames") or {})
        refusal: tuple[str, str] | None = None
        for key, taken in (("plural", words), ("singular", words), ("shortNames", words), ("kind", kinds), ("listKind", kinds)):
            asked = wanted.get(key)
            clash = [word for word in (asked if isinstance(asked, list) else [asked]) if word in taken]
            if clash:
                refusal = (f"{key[0].upper()}{key[1:]}Conflict", ", ".join(f'"{word}" is already in use' for word in clash))
            elif asked:
                accepted[key] = asked
            else:
                accepted.pop(key, None)
        accepted.pop("categories", None)
        if wanted.get("categories"):
            accepted["categories"] = wanted["categories"]
        status["acceptedNames"] = {"kind": "", "plural": "", **accepted}
        was_established = any(c["type"] == "Established" and c["status"] == "True" for c in status.get("conditions") or [])
        names_accepted = ("False", *refusal) if refusal else ("True", "NoConflicts", "no conflicts found")
        established = (
            ("False", "NotAccepted", "not all names are accepted")
            if refusal and not was_established
            else ("True", "InitialNamesAccepted", "the initial names have been accepted")
        )
        status["conditions"] = _with_conditions(
            status.get("conditions") or [], {"NamesAccepted": names_accepted, "Established": established}, now
        )


def _with_conditions(old: list[dict[str, Any]], new: dict[str, tuple[str, str, str]], now: str) -> list[dict[str, Any]]:
    found = []
    for type_, (status, reason, message) in new.items():
        known = next((condition for condition in old if condition.get("type") == type_), {})
        since = known["lastTransitionTime"] if known.get("status") == status and known.get("lastTransitionTime") else now
        found.append({"lastTransitionTime": since, "message": message, "reason": reason, "status": status, "type": type_})
    return found + [condition for condition in old if condition.get("type") not in new]


def _fill_in(spec: dict[str, Any]) -> None:
    """What a definition says without saying it."""
    names = spec.get("names")
    if isinstance(names, dict) and isinstance(names.get("kind"), str) and names["kind"]:
        names["singular"] = names.get("singular") or names["kind"].lower()
        names["listKind"] = names.get("listKind") or f"{names['kind']}List"
    spec["conversion"] = spec.get("conversion") or {"strategy": "None"}
    if spec.get("preserveUnknownFields") is False:
        del spec["preserveUnknownFields"]


def resources_of(definition: dict[str, Any]) -> tuple[Resource, ...]:
    """The kinds that a definition brings, one per served version; none until its names are accepted."""
    status, spec = definition.get("status") or {}, definition["spec"]
    if not any(condition["type"] == "Established" and condition["status"] == "True" for condition in status.get("conditions") or []):
        return ()
    names = status["acceptedNames"]
    storage = next(version["name"] for version in spec["versions"] if version.get("storage"))
    has_changed = definition["metadata"].get("generation", 1) > 1
    schemas = {version["name"]: Schema.of(version["schema"]["openAPIV3Schema"]) for version in spec["versions"] if version.get("served")}
    return tuple(
        Resource(
            group=spec["group"],
            version=version["name"],
            plural=names["plural"],
            singular=names.get("singular") or names["kind"].lower(),
            kind=names["kind"],
            list_kind=names.get("listKind") or "",
            short_names=tuple(names.get("shortNames") or ()),
            categories=tuple(names.get("categories") or ()),
            namespaced=spec["scope"] == "Namespaced",
            has_status="status" in (version.get("subresources") or {}),
            is_custom=True,
            counts_generations=True,
            is_ending=bool(definition["metadata"].get("deletionTimestamp")),
            stored_version=storage,
            selectable=tuple(field["jsonPath"].removeprefix(".") for field in version.get("selectableFields") or ()),
            completes_reads=has_changed and schemas[version["name"]].has_defaults,
            schema=schemas[version["name"]],
            columns=of_definition(version.get("additionalPrinterColumns") or []),
        )
        for version in spec["versions"]
        if version.get("served")
    )
