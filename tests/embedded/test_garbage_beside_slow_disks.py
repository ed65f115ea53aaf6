"""The collector decides on what is on its way to the disk, too: what arrives counts, and what does not arrive does not."""

import asyncio
from collections.abc import Awaitable, Sequence

from tests.support.raw_api import CONFIG_MAPS, serving

from holdfast.embedded import chores
from holdfast.embedded.journal import Change, JournalFailed
from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.process import Tasks


class SlowJournal(MemoryJournal):
    """Writes when it is told to, once it ``is_slow``."""

    def __init__(self) -> None:
        super().__init__()
        self.is_slow = False
        self.asked = asyncio.Event()
        self._waiting: list[tuple[Sequence[Change], asyncio.Future[None]]] = []

    def commit(self, changes: Sequence[Change]) -> asyncio.Future[None]:
        if not self.is_slow:
            return super().commit(changes)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((changes, done))
        self.asked.set()
        return done

    def writes(self) -> None:
        """The commit at hand, if there is one, succeeds."""
        for changes, done in self._taken():
            super().commit(changes)
            done.set_result(None)

    def fails(self) -> None:
        """The commit at hand fails."""
        for _, done in self._taken():
            done.set_exception(JournalFailed("no space"))

    def _taken(self) -> list[tuple[Sequence[Change], asyncio.Future[None]]]:
        waiting, self._waiting = self._waiting, []
        return waiting


async def turns() -> None:
    """Let everybody do what he can do now."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_in_the_foreground_an_owner_waits_also_for_a_dependent_that_is_on_its_way():
    """Who sees the owner go believes that nothing of it is left."""
    journal = SlowJournal()
    async with serving(journal, background=True) as api, Tasks() as tasks:
        (root,) = await api.has("root")
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "root", "uid": root["metadata"]["uid"], "blockOwnerDeletion": True}
        watch = await api.watch(CONFIG_MAPS, resourceVersion=api.server.store.revision)
        journal.is_slow = True

        def sends(request: Awaitable[object], name: str) -> None:
            async def send() -> None:
                await request

            tasks.spawn(send(), name=name)

        sends(api.delete(f"{CONFIG_MAPS}/root", propagationPolicy="Foreground"), "delete")
        await journal.asked.wait()
        sends(api.has("child", metadata={"ownerReferences": [owner]}), "create")
        await turns()
        journal.writes()  # the deletion began; the dependent is on its way while the collector looks
        await turns()
        journal.writes()
        journal.is_slow = False
        await turns()
        journal.writes()

        told = [await watch.told()]
        while told[-1] != ("DELETED", "root"):
            told.append(await watch.told())
        await watch.close()
        assert ("DELETED", "child") in told


async def test_what_was_left_alone_because_of_a_failed_write_is_looked_at_again(monkeypatch):
    """Nothing else would ever bring the collector back to it."""
    monkeypatch.setattr(chores, "_PAUSE_AFTER_FAILURE", 0.0)
    journal = SlowJournal()
    async with serving(journal, background=True) as api, Tasks() as tasks:
        (root,) = await api.has("root")
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "root", "uid": root["metadata"]["uid"]}
        await api.has("child", metadata={"ownerReferences": [owner]})
        journal.is_slow = True

        deleted = tasks.spawn(api.delete(f"{CONFIG_MAPS}/root"), name="delete")
        await journal.asked.wait()
        freed = tasks.spawn(api.patch(f"{CONFIG_MAPS}/child", {"metadata": {"ownerReferences": None}}), name="patch")
        await turns()
        journal.writes()
        await turns()  # the collector finds a child that is about to have no owner
        journal.fails()
        journal.is_slow = False

        assert (await deleted).code == 200
        assert (await freed).code == 503
        await api.gone(f"{CONFIG_MAPS}/child")
