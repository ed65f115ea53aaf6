"""What a plane stands on: its namespace and the definitions of its kinds.

Laid before anything starts, and laid again when somebody takes it away while the plane runs: what stood on it is gone then, but the
plane goes on. What is being deleted is left to end: it may hold grants, and those are waited for.
"""

import asyncio
import logging

from holdfast.api import kinds
from holdfast.api.core import CustomResourceDefinition, Namespace
from holdfast.api.errors import AlreadyExists, ApiError, NotFound
from holdfast.api.meta import ObjectMeta
from holdfast.api.wire import Unreachable
from holdfast.kube.client import Client
from holdfast.plane.definitions import apply_missing
from holdfast.plane.failure import Failure
from holdfast.process import Process

_log = logging.getLogger(__name__)

#: Between looks, in seconds.
INTERVAL = 3.0


async def lay(client: Client, namespace: str) -> tuple[str, ...]:
    """Make what is missing; the names of what was made or mended."""
    made = []
    if await _found(client, namespace) is None:
        try:
            await client.create(Namespace(metadata=ObjectMeta(name=namespace)))
            made.append(f"namespace {namespace}")
        except AlreadyExists:
            pass  # somebody was faster
    made += [f"definition {name}" for name in await apply_missing(client)]
    return tuple(made)


async def keep(client: Client, process: Process, namespace: str) -> None:
    """Look again and again, until cancelled."""
    while True:
        await asyncio.sleep(process.randomness.jitter(INTERVAL, 0.1))
        try:
            made = await lay(client, namespace)
        except (ApiError, Unreachable, Failure) as failure:
            _log.warning("what the plane stands on can not be looked after: %s", failure)
            continue
        if made:
            _log.warning("gone, and made anew: %s", ", ".join(made))


async def ending(client: Client, namespace: str) -> str:
    """What is being deleted from under the plane, in words; empty when nothing is."""
    found = await _found(client, namespace)
    if found is not None and found.metadata.deletion_timestamp:
        return f"namespace {namespace} is being deleted, and waits for what it holds"
    for kind in kinds.CUSTOM:
        try:
            definition = await client.get(CustomResourceDefinition, kind.resource)
        except NotFound:
            continue
        if definition.metadata.deletion_timestamp:
            return f"definition {kind.resource} is being deleted, and waits for the objects of its kind"
    return ""


async def _found(client: Client, namespace: str) -> Namespace | None:
    try:
        return await client.get(Namespace, namespace)
    except NotFound:
        return None
