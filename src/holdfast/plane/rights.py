"""What a manager has to be allowed, asked of the API server before it begins.

A right that is missing would show hours later, as a disk that grants nothing. So each one is asked for (SelfSubjectAccessReview:
everybody may ask about himself), and all that are missing are told at once, with what they are for. Without some of them a manager
can do its work, and says what will be missed. A server that knows no such question, as the embedded one, is asked nothing.

``deploy/rbac.yaml`` grants exactly these; a test holds the two together.
"""

import asyncio
import logging
from collections.abc import Mapping

from msgspec import Struct

from holdfast.api.errors import ApiError, Forbidden, MethodNotAllowed, NotFound
from holdfast.api.kinds import LONGHORN_GROUP
from holdfast.api.struct import Wire, decode, encode
from holdfast.api.wire import Request, Unreachable
from holdfast.kube.client import Client
from holdfast.plane.failure import Failure
from holdfast.process import Tasks

_log = logging.getLogger(__name__)

APPLY_THEM = "Grant them with: kubectl apply -f deploy/rbac.yaml"

_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_WHO_AM_I = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


class Need(Struct, frozen=True, kw_only=True):
    """Verbs on a resource, and what they are for."""

    group: str = LONGHORN_GROUP
    resource: str
    verbs: tuple[str, ...]
    name: str = ""
    is_namespaced: bool = True
    is_vital: bool = True
    purpose: str


class Right(Struct, frozen=True):
    """One verb of a need."""

    verb: str
    need: Need

    def __str__(self) -> str:
        resource, slash, part = self.need.resource.partition("/")
        of_group = f"{resource}.{self.need.group}" if self.need.group else resource
        return f"{self.verb} {of_group}{slash}{part}{f' {self.need.name}' if self.need.name else ''}: {self.need.purpose}"


#: What a manager needs.
MANAGER = (
    Need(resource="nodes", verbs=("get", "list", "watch"), purpose="disks and their numbers are read from nodes"),
    Need(resource="nodes/status", verbs=("patch",), purpose="it speaks for nodes that fell silent"),
    Need(resource="diskschedules", verbs=("get", "list", "watch", "create", "patch", "delete"), purpose="it keeps the books of disks"),
    Need(resource="diskschedules/status", verbs=("patch",), purpose="grants are written there"),
    Need(resource="settings", verbs=("get", "list", "watch"), purpose="the limits of disks follow from settings"),
    Need(
        resource="settings",
        verbs=("create",),
        is_vital=False,
        purpose="settings that are missing are not made, so nobody sees their defaults",
    ),
    Need(resource="settings/status", verbs=("patch",), purpose="it says which settings are in force"),
    Need(resource="replicas", verbs=("get", "list", "watch"), purpose="asks are decided by the age of the object that they name"),
    Need(resource="backingimages", verbs=("get", "list", "watch"), purpose="asks are decided by the age of the object that they name"),
    Need(
        group="coordination.k8s.io",
        resource="leases",
        verbs=("get", "list", "watch", "create", "patch", "delete"),
        purpose="managers share their work by leases, and agents show by them that they live",
    ),
    Need(
        group="", resource="events", verbs=("get", "create", "patch"), is_vital=False, purpose="what happens to disks is not told in events"
    ),
    Need(
        group="",
        resource="namespaces",
        verbs=("get",),
        is_vital=False,
        purpose="a namespace that is missing is told by the first write that fails",
    ),
    Need(group="apps", resource="daemonsets", name="longhorn-manager", verbs=("get",), purpose="beside longhorn-manager it must not run"),
    Need(group="", resource="pods", verbs=("list",), purpose="beside longhorn-manager it must not run"),
    Need(
        group="apiextensions.k8s.io",
        resource="customresourcedefinitions",
        name="diskschedules.longhorn.io",
        verbs=("get",),
        is_namespaced=False,
        is_vital=False,
        purpose="a definition that drops fields of the ledger is not noticed",
    ),
)


class _Verdict(Wire):
    allowed: bool = False


class _Review(Wire):
    status: _Verdict = _Verdict()


class _User(Wire):
    username: str = ""


class _Identity(Wire):
    user_info: _User = _User()


class _Myself(Wire):
    status: _Identity = _Identity()


async def check(client: Client, namespace: str) -> None:
    """Raise ``Failure`` that names every right without which a manager can not work here."""
    lacking = await missing(client, namespace)
    for right in lacking:
        if not right.need.is_vital:
            _log.warning("may not %s. %s", right, APPLY_THEM)
    if vital := [right for right in lacking if right.need.is_vital]:
        rights = "\n".join(f"  {right}" for right in vital)
        raise Failure(f"{await _who(client)} may not do in namespace {namespace} what a manager has to:\n{rights}\n{APPLY_THEM}")


async def missing(client: Client, namespace: str) -> list[Right]:
    """The rights of a manager that this client has not."""
    rights = [Right(verb, need) for need in MANAGER for verb in need.verbs]
    try:
        answers = [await _may(client, rights[0], namespace)]
    except (NotFound, MethodNotAllowed, Forbidden):
        return []  # nobody can say; the first try will
    async with Tasks() as tasks:
        asked = [tasks.spawn(_answer(client, right, namespace), name=f"may it {right.verb}") for right in rights[1:]]
        for answer in await asyncio.gather(*asked):
            if isinstance(answer, Exception):
                raise answer
            answers.append(answer)
    return [right for right, may in zip(rights, answers, strict=True) if not may]


async def _answer(client: Client, right: Right, namespace: str) -> bool | Exception:
    """One of many asked at once: a failure is an answer, so that the first is told, and not all of them together."""
    try:
        return await _may(client, right, namespace)
    except (ApiError, Unreachable) as failure:
        return failure


async def _may(client: Client, right: Right, namespace: str) -> bool:
    need = right.need
    resource, _, subresource = need.resource.partition("/")
    deed = {"group": need.group, "resource": resource, "subresource": subresource, "verb": right.verb, "name": need.name}
    deed |= {"namespace": namespace} if need.is_namespaced else {}
    if need.resource == "namespaces":
        deed["name"] = namespace  # a namespace itself is in itself, so that a Role can allow it
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": deed}}
    return decode((await client.send(_post(_REVIEWS, body))).body, _Review).status.allowed


async def _who(client: Client) -> str:
    """The name by which the server knows us."""
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    try:
        name = decode((await client.send(_post(_WHO_AM_I, body))).body, _Myself).status.user_info.username
    except ApiError:
        name = ""
    return f"user {name}" if name else "this user"


def _post(path: str, body: Mapping[str, object]) -> Request:
    return Request("POST", path, headers={"content-type": "application/json"}, body=encode(body))
