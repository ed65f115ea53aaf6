"""A disk that is full costs the writes that did not fit, and nothing else."""

import asyncio

from tests.support.raw_api import CONFIG_MAPS, serving

from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.process import Tasks


async def test_a_write_that_can_not_be_stored_is_refused_and_leaves_nothing():
    """The writer must know; readers and watchers must never have seen it."""
    journal = MemoryJournal()
    async with serving(journal) as api:
        await api.has("before", data={"k": "1"})
        watch = await api.watch(CONFIG_MAPS, resourceVersion=api.server.store.revision)
        journal.failure = "database or disk is full"

        created = await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}})
        patched = await api.patch(f"{CONFIG_MAPS}/before", {"data": {"k": "2"}})
        deleted = await api.delete(f"{CONFIG_MAPS}/before")

        assert [reply.code for reply in (created, patched, deleted)] == [503, 503, 503]
        assert created.reason == "ServiceUnavailable"
        assert "disk is full" in created.words
        assert (await api.get(CONFIG_MAPS)).names == ["before"]
        assert (await api.get(f"{CONFIG_MAPS}/before")).body["data"] == {"k": "1"}

        journal.failure = ""
        await api.has("after")
        assert await watch.told() == ("ADDED", "after"), "nothing of the failed writes was told"
        await watch.close()


async def test_what_rests_on_a_failed_write_is_refused_with_it():
    """An answer decided on a change that never came to be would be a lie, also "nothing to do" and "already there"."""
    journal = MemoryJournal()
    async with serving(journal) as api:
        await api.has("a", data={"k": "1"})
        journal.failure = "no space"

        replies = await asyncio.gather(
            api.patch(f"{CONFIG_MAPS}/a", {"data": {"k": "2"}}),
            api.patch(f"{CONFIG_MAPS}/a", {"data": {"k": "2"}}),
            api.post(CONFIG_MAPS, {"metadata": {"name": "b"}}),
            api.post(CONFIG_MAPS, {"metadata": {"name": "b"}}),
        )

        assert [reply.code for reply in replies] == [503] * 4


async def test_a_writer_that_hangs_up_does_not_undo_its_write():
    """A cut connection leaves the outcome unknown, never half of it."""
    async with serving() as api:
        async with Tasks() as tasks:
            writer = tasks.spawn(api.post(CONFIG_MAPS, {"metadata": {"name": "a"}}), name="writer")
            await asyncio.sleep(0)
            writer.cancel()
        await api.server.store.drained()

        assert (await api.get(f"{CONFIG_MAPS}/a")).code == 200
        await api.has("b")
