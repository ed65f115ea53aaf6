"""A cache over Longhorn's objects, as Longhorn's own definitions serve them."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.raw_json import store
from tests.support.upstream import OF_LONGHORN, drawn, schema_in

from holdfast.kube.cache import Cache
from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.kube.metrics import Metrics
from holdfast.process import Process, Tasks

DRAWN = 20


@pytest.mark.parametrize("kind", OF_LONGHORN, ids=lambda kind: kind.plural)
async def test_a_cache_holds_what_the_server_has(longhorn: Client, place, kind, definitions):
    """Controllers decide on what their caches hold: no object of Longhorn's may be too strange for one."""
    schema = schema_in(definitions[kind.name])
    made = [await store(longhorn, kind.path(place), drawn(kind, schema, seed)) for seed in range(DRAWN)]
    async with Tasks() as tasks:
        caches = Caches(longhorn, Process("cache"), namespace=place, metrics=Metrics())
        cache = caches.of(kind.type)
        tasks.spawn(caches.run(), name="caches")
        await cache.wait_synced()
        made += [await store(longhorn, kind.path(place), drawn(kind, schema, seed)) for seed in range(DRAWN, 2 * DRAWN)]
        newest = {obj["metadata"]["name"]: obj["metadata"]["resourceVersion"] for obj in made}
        await until(cache, lambda: {obj.metadata.name: obj.metadata.resource_version for obj in cache.all()} == newest)
        listed = (await longhorn.list(kind.type, place)).items
        assert {obj.metadata.name: obj for obj in cache.all()} == {obj.metadata.name: obj for obj in listed}


async def until(cache: Cache[Any], holds: Callable[[], bool]) -> None:
    """Until something is true of a cache, looking at each change of it."""
    heard = asyncio.Event()
    end = cache.on_change(lambda _change: heard.set())
    async with asyncio.timeout(40):
        while not holds():
            heard.clear()
            await heard.wait()
    end()
