"""The definitions of our kinds (CRDs) in a cluster: applied where they are ours to apply, checked where they are not.

- A definition that is missing is made. One with our label that differs is brought up to date. One without our label belongs to
  somebody else and is never changed.
- A server calls a definition established a little before it serves the kind, so both are waited for: who comes next must not be
  told that there is no such kind.
- A DiskSchedule whose definition does not know all our fields loses them without a word on every write, and with them the
  tokens that keep the ledger safe. So that is checked before anything is granted.
"""

import asyncio
from typing import Any

from holdfast.api import crds, kinds
from holdfast.api.core import CustomResourceDefinition
from holdfast.api.errors import AlreadyExists, Conflict, Forbidden, NotFound
from holdfast.api.kinds import CUSTOM_RESOURCE_DEFINITION, Kind
from holdfast.api.struct import decode, encode
from holdfast.api.wire import Request
from holdfast.kube.client import Client
from holdfast.plane.failure import Failure

Document = dict[str, Any]

APPLY_THEM = "Apply them with: holdfast crds | kubectl apply -f -"

#: Seconds between looks at what a server has made of a definition, and for how long to look.
_BETWEEN_LOOKS = 0.05
_PATIENCE = 30.0


async def apply_missing(client: Client) -> tuple[str, ...]:
    """Make every definition that is missing, mend those that are ours, and wait until all are served. The names of those written.

    Raises ``Failure`` when one of them is not served in time.
    """
    written = tuple([kind.resource for kind in kinds.CUSTOM if await _apply(client, kind)])
    for kind in kinds.CUSTOM:
        try:
            async with asyncio.timeout(_PATIENCE):
                while not await _is_served(client, kind):  # noqa: ASYNC110 - nobody tells of it
                    await asyncio.sleep(_BETWEEN_LOOKS)
        except TimeoutError:
            raise Failure(await _why_not_served(client, kind)) from None
    return written


async def _apply(client: Client, kind: Kind) -> bool:
    wanted = crds.crd_of(kind)
    while True:
        try:
            found = await _read(client, kind)
            if found is None:
                await _write(client, "POST", CUSTOM_RESOURCE_DEFINITION.path(), wanted)
                return True
            if _is_ours(found) and _differs(found, wanted):
                guard = {"resourceVersion": found["metadata"]["resourceVersion"]}
                await _write(
                    client, "PATCH", CUSTOM_RESOURCE_DEFINITION.path(name=kind.resource), {"metadata": guard, "spec": wanted["spec"]}
                )
                return True
        except (AlreadyExists, Conflict):
            continue  # somebody was faster: look again
        return False


async def _is_served(client: Client, kind: Kind) -> bool:
    definition = await client.get(CustomResourceDefinition, kind.resource)
    if not any(condition.type == "Established" and condition.status == "True" for condition in definition.status.conditions):
        return False
    try:
        await client.send(Request("GET", kind.path(), (("limit", "1"),)))
    except NotFound:
        return False
    return True


async def _why_not_served(client: Client, kind: Kind) -> str:
    conditions = (await client.get(CustomResourceDefinition, kind.resource)).status.conditions
    said = [f"{condition.type} is {condition.status}: {condition.message}" for condition in conditions if condition.status != "True"]
    why = "; ".join(said) or "the server calls it established, and knows no such kind"
    return f"the CRD {kind.resource} is not served after {_PATIENCE:g} s ({why}). Look at it with: kubectl describe crd {kind.resource}"


async def check_books(client: Client) -> None:
    """Refuse, in words, a definition of DiskSchedule that drops fields of ours. Who may not read definitions is not asked."""
    try:
        found = await _read(client, kinds.DISK_SCHEDULE)
    except Forbidden:
        return
    missing = _unknown_fields(_schema(crds.crd_of(kinds.DISK_SCHEDULE)), _schema(found or {}))
    if found is not None and missing:
        whose = "older than this version of Holdfast" if _is_ours(found) else "not Holdfast's"
        raise Failure(f"the CRD {kinds.DISK_SCHEDULE.resource} in the cluster is {whose} and would drop {', '.join(missing)}. {APPLY_THEM}")


def _unknown_fields(wanted: Document, found: Document, path: str = "") -> list[str]:
    """The fields of a closed schema that another would not keep."""
    if found.get("x-kubernetes-preserve-unknown-fields"):
        return []
    missing = []
    for name, schema in wanted.get("properties", {}).items():
        known = found.get("properties", {}).get(name)
        missing += [f"{path}.{name}"] if known is None else _unknown_fields(schema, known, f"{path}.{name}")
    for word in ("items", "additionalProperties"):
        if isinstance(wanted.get(word), dict) and isinstance(found.get(word), dict):
            missing += _unknown_fields(wanted[word], found[word], f"{path}[]")
    return missing


def _schema(crd: Document) -> Document:
    for version in crd.get("spec", {}).get("versions", []):
        if version.get("name") == kinds.DISK_SCHEDULE.version:
            schema: Document = version.get("schema", {}).get("openAPIV3Schema", {})
            return schema
    return {}


def _is_ours(crd: Document) -> bool:
    labels = crd["metadata"].get("labels") or {}
    return crds.LABELS.items() <= labels.items()


def _differs(found: Document, wanted: Document) -> bool:
    """By what we say; a server adds defaults beside it."""
    names = found["spec"]["names"]
    return bool(
        found["spec"]["versions"] != wanted["spec"]["versions"] or any(names.get(k) != v for k, v in wanted["spec"]["names"].items())
    )


async def _read(client: Client, kind: Kind) -> Document | None:
    try:
        answer = await client.send(Request("GET", CUSTOM_RESOURCE_DEFINITION.path(name=kind.resource)))
    except NotFound:
        return None
    return decode(answer.body, dict)


async def _write(client: Client, method: str, path: str, body: Document) -> None:
    content_type = "application/merge-patch+json" if method == "PATCH" else "application/json"
    await client.send(Request(method, path, headers={"content-type": content_type}, body=encode(body)))
