"""The owner of the finalizer that clients put on objects: without it, what is being deleted would wait for ever."""

import asyncio

from holdfast.simulation.programs import Life
from holdfast.simulation.store_chronicle import CONFIG_MAPS, HOLD, LEASES, SETTINGS, finalizers_of, is_deleting
from holdfast.simulation.store_client import StoreClient


class Steward(StoreClient):
    """Whose finalizer it is: it looks now and then for what is being deleted, and lets it go."""

    async def lives(self, life: Life) -> None:
        while True:
            await asyncio.sleep(6 + 6 * life.dice.fraction())
            for resource in (CONFIG_MAPS.resource, LEASES.resource, SETTINGS.resource):
                for item in await self.list_whole(life.wire, resource):
                    if is_deleting(item) and HOLD in finalizers_of(item):
                        key = resource, item["metadata"].get("namespace", ""), item["metadata"]["name"]
                        await self.lets_go(life.wire, key, item, life.dice)
