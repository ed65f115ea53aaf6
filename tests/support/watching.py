"""Waiting for a state, without a clock: look, and look again at every change."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import TypeVar

from holdfast.api.meta import Object
from holdfast.kube.client import Client

T = TypeVar("T", bound=Object)

#: Far beyond what anything takes.
PATIENCE = 40


async def until(client: Client, type_: type[T], name: str, namespace: str, holds: Callable[[T], bool]) -> T:
    """The object, once it is as wished."""
    fields = f"metadata.name={name}"
    async with asyncio.timeout(PATIENCE):
        while True:
            listing = await client.list(type_, namespace, fields=fields)
            for obj in listing.items:
                if holds(obj):
                    return obj
            async with aclosing(client.watch(type_, namespace, since=listing.resource_version, fields=fields)) as events:
                async for event in events:
                    if event.type in {"ADDED", "MODIFIED"} and holds(event.object):
                        return event.object


async def until_gone(client: Client, type_: type[Object], name: str, namespace: str) -> None:
    """Until there is no such object any more."""
    fields = f"metadata.name={name}"
    async with asyncio.timeout(PATIENCE):
        while True:
            listing = await client.list(type_, namespace, fields=fields)
            if not listing.items:
                return
            async with aclosing(client.watch(type_, namespace, since=listing.resource_version, fields=fields)) as events:
                async for event in events:
                    if event.type == "DELETED":
                        break
