"""What a client learns before its first call: versions, groups and kinds, and whether the server is well.

Everything is derived from the registry at the moment of the question, so a kind is found as soon as its definition is committed.
"""

import base64
import hashlib
from collections.abc import Sequence
from typing import Any, Final

from holdfast.api.errors import NotFound
from holdfast.api.struct import encode
from holdfast.api.wire import Answer, Request
from holdfast.embedded.api_versions import preference
from holdfast.embedded.openapi import OpenApi
from holdfast.embedded.resources import Registry, Resource

#: The Kubernetes whose API this server speaks a part of.
VERSION: Final = {
    "major": "1", "minor": "36", "gitVersion": "v1.36.0+holdfast", "gitCommit": "", "gitTreeState": "archive",
    "buildDate": "1970-01-01T00:00:00Z", "goVersion": "none", "compiler": "none", "platform": "any/any",
}  # fmt: skip
HEALTH_PATHS: Final = frozenset({"/healthz", "/livez", "/readyz"})
#: What may be asked without a token.
OPEN_PATHS: Final = HEALTH_PATHS | {"/version"}
_VERBS: Final = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
_STATUS_VERBS: Final = ["get", "patch", "update"]
_AGGREGATED: Final = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
_JSON: Final = "application/json"


class Discovery:
    """Answers for the paths that lead to no object."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._openapi = OpenApi(registry)

    def answer(self, request: Request) -> Answer | None:
        """None for a path that is none of these; ``NotFound`` for a group or version that is not served."""
        path = request.path.rstrip("/") or "/"
        if path in HEALTH_PATHS:
            return _health(path, request)
        if not path.startswith(("/api", "/apis", "/openapi", "/version")) and path != "/":
            return None
        if request.method not in {"GET", "HEAD"}:
            return None
        match path.split("/")[1:]:
            case [""]:
                return _json({"paths": self._paths()})
            case ["version"]:
                return _json(VERSION)
            case ["api"]:
                return self._aggregated(request, is_core=True) or _json(self._core_versions())
            case ["apis"]:
                return self._aggregated(request, is_core=False) or _json(self._groups())
            case ["api", version]:
                return self._resources("", version)
            case ["apis", group]:
                return self._group(group)
            case ["apis", group, version]:
                return self._resources(group, version)
            case ["openapi", *rest]:
                return self._openapi.answer(rest, request)
        return None

    def _versions(self) -> dict[str, list[str]]:
        """Groups, the core group first, then by name; versions by preference."""
        groups: dict[str, set[str]] = {}
        for resource in self._registry:
            groups.setdefault(resource.group, set()).add(resource.version)
        return {group: sorted(groups[group], key=preference) for group in sorted(groups)}

    def _paths(self) -> list[str]:
        versions = self._versions()
        groups = [group for group in versions if group]
        below = [f"/apis/{group}/{version}" for group in groups for version in versions[group]]
        core = [f"/api/{version}" for version in versions.get("", [])]
        fixed = ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"]
        return sorted([*fixed, *core, *(f"/apis/{group}" for group in groups), *below])

    def _core_versions(self) -> dict[str, Any]:
        return {"kind": "APIVersions", "versions": self._versions().get("", []), "serverAddressByClientCIDRs": []}

    def _groups(self) -> dict[str, Any]:
        groups = [_group_of(group, versions) for group, versions in self._versions().items() if group]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}

    def _group(self, group: str) -> Answer:
        versions = self._versions().get(group)
        if not group or not versions:
            raise _unknown()
        return _json({"kind": "APIGroup", "apiVersion": "v1", **_group_of(group, versions)})

    def _served(self, group: str, version: str) -> list[Resource]:
        return sorted((r for r in self._registry if (r.group, r.version) == (group, version)), key=lambda resource: resource.plural)

    def _resources(self, group: str, version: str) -> Answer:
        served = self._served(group, version)
        if not served:
            raise _unknown()
        listed = [entry for resource in served for entry in _resource_entries(resource)]
        return _json({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": served[0].api_version, "resources": listed})

    def _aggregated(self, request: Request, *, is_core: bool) -> Answer | None:
        """All of it in one answer, for clients that take it; the core group under /api, the others under /apis."""
        version = _aggregated_version(request.headers.get("accept", ""))
        if version is None:
            return None
        items = [
            {
                "metadata": {"name": group} if group else {},
                "versions": [
                    {
                        "version": name,
                        "freshness": "Current",
                        "resources": [_discovered(resource) for resource in self._served(group, name)],
                    }
                    for name in versions
                ],
            }
            for group, versions in self._versions().items()
            if bool(group) is not is_core
        ]
        body = {"kind": "APIGroupDiscoveryList", "apiVersion": f"apidiscovery.k8s.io/{version}", "metadata": {}, "items": items}
        return _json(body, _AGGREGATED.format(version))


def _aggregated_version(accept: str) -> str | None:
    """The first form of the aggregated answer that a client takes before plain JSON."""
    for clause in accept.split(","):
        kind, *parameters = (part.strip() for part in clause.split(";"))
        given = dict(parameter.partition("=")[::2] for parameter in parameters)
        if kind != _JSON:
            continue
        if "as" not in given:
            return None
        wanted = (given["as"], given.get("g"), given.get("v"))
        if wanted in {("APIGroupDiscoveryList", "apidiscovery.k8s.io", version) for version in ("v2", "v2beta1")}:
            return given["v"]
    return None


def _group_of(group: str, versions: Sequence[str]) -> dict[str, Any]:
    listed = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    return {"name": group, "versions": listed, "preferredVersion": listed[0]}


def _verbs(resource: Resource) -> list[str]:
    verbs = _VERBS if resource.is_custom else sorted(_VERBS)  # as Kubernetes tells them
    return [verb for verb in verbs if not (verb == "deletecollection" and resource.id == "namespaces")]


def _subresources(resource: Resource) -> list[tuple[str, list[str]]]:
    found = [("status", _STATUS_VERBS)] if resource.has_status else []
    return [("finalize", ["update"]), *found] if resource.id == "namespaces" else found


def _resource_entries(resource: Resource) -> list[dict[str, Any]]:
    entry: dict[str, Any] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": _verbs(resource),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    below = [
        {"name": f"{resource.plural}/{name}", "singularName": "", "namespaced": resource.namespaced, "kind": resource.kind, "verbs": verbs}
        for name, verbs in _subresources(resource)
    ]
    entry["storageVersionHash"] = _hash_of_storage(resource)
    return [entry, *below]


def _hash_of_storage(resource: Resource) -> str:
    """Which changes when objects come to be kept in another version; who migrates them looks at it."""
    # Kubernetes keeps definitions in the form that they had first.
    version = "v1beta1" if resource.kind == "CustomResourceDefinition" else resource.stored_version or resource.version
    kept = f"{resource.group}/{version}/{resource.kind}"
    return base64.b64encode(hashlib.sha256(kept.encode()).digest()[:8]).decode()


def _discovered(resource: Resource) -> dict[str, Any]:
    kind = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    entry: dict[str, Any] = {
        "resource": resource.plural,
        "responseKind": kind,
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": _verbs(resource),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    below = [{"subresource": name, "responseKind": kind, "verbs": verbs} for name, verbs in _subresources(resource)]
    return entry | ({"subresources": below} if below else {})


def _health(path: str, request: Request) -> Answer:
    is_verbose = any(name == "verbose" for name, _ in request.query)
    text = f"[+]ping ok\n{path[1:]} check passed\n" if is_verbose else "ok"
    return Answer(200, {"content-type": "text/plain; charset=utf-8"}, text.encode())


def _json(value: Any, content_type: str = _JSON) -> Answer:
    return Answer(200, {"content-type": content_type}, encode(value))


def _unknown() -> NotFound:
    return NotFound("the server could not find the requested resource")
