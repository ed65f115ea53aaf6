"""What a manager looks at before it decides anything: may it, can it, and is it alone with its kind.

Two programs that place replicas by different books promise the same byte twice. Where longhorn-manager runs, or where nobody may
look whether it does, a manager does not start.
"""

from holdfast.api import kinds
from holdfast.api.core import Namespace
from holdfast.api.errors import Forbidden, NotFound
from holdfast.api.struct import decode
from holdfast.api.wire import Request
from holdfast.kube.client import Client
from holdfast.plane import rights
from holdfast.plane.definitions import APPLY_THEM, check_books
from holdfast.plane.failure import Failure

_LONGHORN_MANAGER = "longhorn-manager"


async def check(client: Client, namespace: str) -> None:
    """Raise ``Failure`` with the reason why a manager must not run here."""
    await rights.check(client, namespace)
    await _kinds_are_served(client, namespace)
    await _namespace_exists(client, namespace)
    await check_books(client)
    await refuse_beside_longhorn(client, namespace)


async def _kinds_are_served(client: Client, namespace: str) -> None:
    missing = []
    for kind in kinds.CUSTOM:
        try:
            await client.send(Request("GET", kind.path(namespace), (("limit", "1"),)))
        except NotFound:
            missing.append(kind.resource)
    if missing:
        raise Failure(f"the cluster does not serve {', '.join(missing)}: the CRDs are missing. {APPLY_THEM}")


async def _namespace_exists(client: Client, namespace: str) -> None:
    try:
        await client.get(Namespace, namespace)
    except NotFound as missing:
        raise Failure(f"there is no namespace {namespace}. Make it with: kubectl create namespace {namespace}") from missing
    except Forbidden:
        return  # the first write will tell


async def refuse_beside_longhorn(client: Client, namespace: str) -> None:
    """Raise ``Failure`` where longhorn-manager runs in the namespace."""
    daemon_set = Request("GET", f"/apis/apps/v1/namespaces/{namespace}/daemonsets/{_LONGHORN_MANAGER}")
    pods = Request("GET", f"/api/v1/namespaces/{namespace}/pods", (("labelSelector", f"app={_LONGHORN_MANAGER}"), ("limit", "1")))
    if await _found(client, daemon_set) is not None:
        raise _beside(f"the DaemonSet {_LONGHORN_MANAGER}", namespace)
    if (await _found(client, pods) or {}).get("items"):
        raise _beside(f"a Pod of {_LONGHORN_MANAGER}", namespace)


def _beside(what: str, namespace: str) -> Failure:
    return Failure(
        f"{what} is in namespace {namespace}: Longhorn decides there. Two deciders would promise the same bytes twice, "
        "so this manager does not start. To look at that cluster without touching it: holdfast explain disk NAME"
    )


async def _found(client: Client, request: Request) -> dict[str, object] | None:
    try:
        return decode((await client.send(request)).body, dict)
    except NotFound:
        return None  # also where the cluster does not know such a kind
    except Forbidden as refusal:
        raise Failure(
            f"it can not be seen whether {_LONGHORN_MANAGER} runs here, and beside it this manager must not run: {refusal}. "
            f"{rights.APPLY_THEM}"
        ) from refusal
