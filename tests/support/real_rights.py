"""deploy/rbac.yaml at a real API server, in the namespace of one test."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from tests.support.kubectl import Kubectl

from holdfast.api.struct import decode, encode
from holdfast.api.wire import Request
from holdfast.kube.client import Client

MANIFEST = Path(__file__).parents[2] / "deploy" / "rbac.yaml"
_NAMESPACE = "longhorn-system"
_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
_PATIENCE = 30

Deed = dict[str, str]


def rights_in(namespace: str) -> list[dict[str, Any]]:
    """The same rights, for the same accounts of another namespace."""
    documents = [document for document in yaml.safe_load_all(MANIFEST.read_text().replace(_NAMESPACE, namespace)) if document]
    for document in documents:
        if document["kind"] == "ClusterRoleBinding":
            document["metadata"]["name"] += f"-{namespace}"  # one for each test: they are in no namespace
    return documents


async def grant_in(namespace: str, kubectl: Kubectl, admin: Client) -> None:
    """As an operator does; then wait until the server goes by it."""
    documents = rights_in(namespace)
    # A test that failed may have left a role with fewer rules, written by another hand.
    await kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", given=documents)
    for user, deed in _granted(documents):
        await until_allowed(admin, user, deed)


async def until_allowed(admin: Client, user: str, deed: Deed, *groups: str) -> None:
    """Rights are in force a moment after they were written: the authorizer reads them by a watch."""
    await _until(admin, user, deed, groups, is_allowed=True)


async def until_denied(admin: Client, user: str, deed: Deed) -> None:
    """As they are gone a moment after they were taken away."""
    await _until(admin, user, deed, (), is_allowed=False)


async def _until(admin: Client, user: str, deed: Deed, groups: tuple[str, ...], *, is_allowed: bool) -> None:
    spec = {"user": user, "groups": groups, "resourceAttributes": deed}
    asked = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    request = Request("POST", _REVIEWS, headers={"content-type": "application/json"}, body=encode(asked))
    async with asyncio.timeout(_PATIENCE):
        while decode((await admin.send(request)).body, dict)["status"]["allowed"] is not is_allowed:  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.02)


def _granted(documents: list[dict[str, Any]]) -> Iterator[tuple[str, Deed]]:
    """One deed of every rule, with who may do it."""
    roles = {(document["kind"], document["metadata"]["name"]): document for document in documents}
    for binding in documents:
        if binding["kind"] not in {"RoleBinding", "ClusterRoleBinding"}:
            continue
        namespace = binding["metadata"].get("namespace", "")
        for rule in roles[binding["roleRef"]["kind"], binding["roleRef"]["name"]]["rules"]:
            for subject in binding["subjects"]:
                yield user_of(subject["namespace"], subject["name"]), a_deed_of(rule, namespace)


def user_of(namespace: str, account: str) -> str:
    """The name by which a server knows a service account."""
    return f"system:serviceaccount:{namespace}:{account}"


def a_deed_of(rule: dict[str, Any], namespace: str) -> Deed:
    """Something that a rule allows."""
    resource, _, subresource = rule["resources"][0].partition("/")
    deed = {"namespace": namespace, "verb": rule["verbs"][0], "group": rule["apiGroups"][0]}
    return deed | {"resource": resource, "subresource": subresource, "name": rule.get("resourceNames", [""])[0]}


class Role:
    """The rules of an account, to be taken away one at a time."""

    def __init__(self, admin: Client, namespace: str, account: str, kind: str = "Role") -> None:
        self._admin = admin
        self.user = user_of(namespace, account)
        self.namespace = namespace if kind == "Role" else ""
        of_namespace = f"namespaces/{namespace}/" if self.namespace else ""
        self._path = f"/apis/rbac.authorization.k8s.io/v1/{of_namespace}{kind.lower()}s/{account}"
        (self.rules,) = [
            document["rules"] for document in rights_in(namespace) if (document["kind"], document["metadata"]["name"]) == (kind, account)
        ]

    async def loses(self, rule: dict[str, Any]) -> None:
        """All rules but one are in force."""
        await self._is([each for each in self.rules if each is not rule])
        await until_denied(self._admin, self.user, a_deed_of(rule, self.namespace))

    async def has_all(self) -> None:
        await self._is(self.rules)
        for rule in self.rules:
            await until_allowed(self._admin, self.user, a_deed_of(rule, self.namespace))

    async def _is(self, rules: list[dict[str, Any]]) -> None:
        headers = {"content-type": "application/merge-patch+json"}
        await self._admin.send(Request("PATCH", self._path, headers=headers, body=encode({"rules": rules})))
