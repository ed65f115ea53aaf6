"""Our kinds at a real API server, as every client will find them."""

import asyncio
from collections.abc import Awaitable, Callable

from holdfast.api.errors import NotFound
from holdfast.api.kinds import CUSTOM, LONGHORN_GROUP
from holdfast.api.struct import decode
from holdfast.api.wire import Request
from holdfast.kube.client import Client
from holdfast.plane.definitions import apply_missing

_PATIENCE = 30
_DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


async def serve_kinds(admin: Client) -> None:
    """Apply the definitions, and wait until the kinds are served, can be discovered and are described.

    The server calls a definition established a little before: each of these is done by a controller of its own.
    """
    await apply_missing(admin)
    for holds in (_are_served, _are_discovered, _are_described):
        await _until(holds, admin)


async def _until(holds: Callable[[Client], Awaitable[bool]], admin: Client) -> None:
    async with asyncio.timeout(_PATIENCE):
        while not await holds(admin):  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.02)


async def _are_served(admin: Client) -> bool:
    try:
        for kind in CUSTOM:
            await admin.list(kind.type, "default")
    except NotFound:
        return False
    return True


async def _are_discovered(admin: Client) -> bool:
    found = decode((await admin.send(Request("GET", "/apis", headers={"accept": _DISCOVERY}))).body, dict)
    versions = [version for group in found["items"] if group["metadata"]["name"] == LONGHORN_GROUP for version in group["versions"]]
    return {kind.plural for kind in CUSTOM} <= {resource["resource"] for version in versions for resource in version["resources"]}


async def _are_described(admin: Client) -> bool:
    for kind in CUSTOM:
        try:
            described = decode((await admin.send(Request("GET", f"/openapi/v3/apis/{kind.api_version}"))).body, dict)
        except NotFound:
            return False
        if kind.path("{namespace}") not in described["paths"]:
            return False
    return True
