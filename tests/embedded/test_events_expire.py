"""Events are told and forgotten: an hour after they were last seen."""

import asyncio

from tests.support.raw_api import Api
from tests.support.virtual_loop import virtual, virtual_process

from holdfast.api.timestamps import timestamp
from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.process import Tasks

EVENTS = "/api/v1/namespaces/default/events"


@virtual
async def test_an_event_lives_for_an_hour_after_it_was_last_seen():
    """A data folder must not grow for ever by what nobody reads any more."""
    process = virtual_process("api")
    api = Api(await Server.open(process, MemoryJournal()))
    about = {"involvedObject": {"kind": "ConfigMap", "name": "x", "namespace": "default"}}
    async with Tasks() as tasks:
        tasks.spawn(api.server.run(), name="background")
        await api.has("once", path=EVENTS, **about)
        await api.has("again", path=EVENTS, **about)
        await asyncio.sleep(3000)
        await api.patch(f"{EVENTS}/again", {"lastTimestamp": timestamp(process.clock.now())})
        assert (await api.get(EVENTS)).names == ["again", "once"]

        await asyncio.sleep(700)
        assert (await api.get(EVENTS)).names == ["again"]
        await asyncio.sleep(3600)
        assert (await api.get(EVENTS)).names == []
    await api.server.close()
