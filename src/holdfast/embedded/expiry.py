"""Events are for now: an hour after they were last seen, they go."""

import asyncio
from typing import Any

from holdfast.api.errors import ApiError
from holdfast.api.kinds import EVENT
from holdfast.api.timestamps import seconds_of
from holdfast.embedded.deletion import delete
from holdfast.embedded.entries import Entry
from holdfast.embedded.options import DeleteOptions
from holdfast.embedded.resources import Registry
from holdfast.embedded.store import Store
from holdfast.embedded.writing import Writing

TIME_TO_LIVE = 3600.0
_BETWEEN_LOOKS = 60.0


class Expiry:
    """Forgets old events."""

    def __init__(self, store: Store, registry: Registry, writing: Writing) -> None:
        self._store = store
        self._registry = registry
        self._writing = writing

    async def run(self) -> None:
        while True:
            self.forget_old()
            await asyncio.sleep(_BETWEEN_LOOKS)

    def forget_old(self) -> None:
        """Queue the end of what is too old; what could not be stored is found again by the next look."""
        resource = self._registry.find(EVENT.group, EVENT.version, EVENT.plural)
        if resource is None:
            return
        oldest = self._writing.now - TIME_TO_LIVE
        for key in self._store.present(resource.id):
            entry = self._store.newest(key)
            if entry is not None and _is_older(entry, oldest):
                try:
                    delete(self._writing, resource, key, DeleteOptions())
                except ApiError:
                    continue


def _is_older(entry: Entry, oldest: float) -> bool:
    # Most events are young, and their creation alone says so.
    if (seconds_of(entry.facts.creation_timestamp or "") or 0.0) > oldest:
        return False
    obj = entry.object()
    series: Any = obj.get("series")
    times = [obj.get("lastTimestamp"), obj.get("eventTime"), series.get("lastObservedTime") if isinstance(series, dict) else None]
    return all((seconds_of(time) or 0.0) <= oldest for time in times if isinstance(time, str))
