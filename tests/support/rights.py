"""Rights as a Kubernetes API server grants them, from the manifests that are deployed: who asks for more is refused and noted."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from holdfast.api.errors import Forbidden
from holdfast.api.struct import encode
from holdfast.api.wire import Answer, Request, Stream, Transport

MANIFEST = Path(__file__).parents[2] / "deploy" / "rbac.yaml"

_PATH = re.compile(
    r"/(?:api/v1|apis/(?P<group>[^/]+)/[^/]+)(?:/namespaces/(?P<namespace>[^/]+)(?=/))?/(?P<resource>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>[^/]+))?"
)
_ABOUT_ONESELF = re.compile(r"/apis/auth[a-z]+.k8s.io/v1/selfsubject[a-z]+")
_VERBS = {"POST": "create", "PATCH": "patch", "PUT": "update", "DELETE": "delete"}


class Deed(Struct, frozen=True, order=True):
    """What a request does, in the words of RBAC."""

    verb: str
    group: str
    resource: str
    namespace: str = ""
    name: str = ""

    @classmethod
    def of(cls, request: Request) -> "Deed":
        found = _PATH.fullmatch(request.path)
        assert found, request.path
        is_watch = any(name == "watch" and value not in {"", "0", "false"} for name, value in request.query)
        reading = "watch" if is_watch else "get" if found["name"] else "list"
        return cls(
            verb=_VERBS.get(request.method, reading),
            group=found["group"] or "",
            resource=found["resource"] + (f"/{found['sub']}" if found["sub"] else ""),
            # A namespace itself is looked up in itself, so that a Role can allow it.
            namespace=found["namespace"] or (found["name"] if found["resource"] == "namespaces" else "") or "",
            name=found["name"] or "",
        )

    def is_allowed_by(self, rule: dict[str, Any]) -> bool:
        names = rule.get("resourceNames")
        is_named = not names or (self.name in names and self.verb != "create")
        return self.group in rule["apiGroups"] and self.resource in rule["resources"] and self.verb in rule["verbs"] and is_named


class Rights:
    """What a service account may do. It is used up to see what it was needed for."""

    def __init__(self, account: str) -> None:
        documents = [document for document in yaml.safe_load_all(MANIFEST.read_text()) if document]
        roles = {(document["kind"], document["metadata"]["name"]): document for document in documents}
        self.rules: list[tuple[str, dict[str, Any]]] = []
        for binding in documents:
            if binding["kind"].endswith("Binding") and any(subject["name"] == account for subject in binding["subjects"]):
                role = roles[binding["roleRef"]["kind"], binding["roleRef"]["name"]]
                self.rules += [(binding["metadata"].get("namespace", ""), rule) for rule in role["rules"]]
        self.done: set[Deed] = set()
        self.refused: set[Deed] = set()

    def allow(self, deed: Deed) -> bool:
        allowed = any(namespace in {"", deed.namespace} and deed.is_allowed_by(rule) for namespace, rule in self.rules)
        (self.done if allowed else self.refused).add(deed)
        return allowed

    def unused(self) -> set[tuple[str, str]]:
        """Verbs on resources that were granted and never needed."""
        granted = {(verb, resource) for _, rule in self.rules for resource in rule["resources"] for verb in rule["verbs"]}
        return granted - {(deed.verb, deed.resource) for deed in self.done}


class Restricted:
    """A transport that goes through an API server's check of rights."""

    def __init__(self, inner: Transport, rights: Rights) -> None:
        self._inner = inner
        self._rights = rights

    async def send(self, request: Request) -> Answer:
        return self._refusal(request) or await self._inner.send(request)

    async def open(self, request: Request) -> Answer | Stream:
        return self._refusal(request) or await self._inner.open(request)

    def _refusal(self, request: Request) -> Answer | None:
        if _ABOUT_ONESELF.fullmatch(request.path):
            return None  # whoever is known to the server may ask what he may
        deed = Deed.of(request)
        if self._rights.allow(deed):
            return None
        return Answer(403, {"content-type": "application/json"}, encode(Forbidden(f"may not {deed.verb} {deed.resource}").status()))

    async def close(self) -> None:
        await self._inner.close()

    def kill(self) -> None:
        self._inner.kill()


def words(deeds: Iterable[Deed]) -> list[str]:
    return sorted(f"{deed.verb} {deed.resource}" for deed in deeds)
