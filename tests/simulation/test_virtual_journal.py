"""The journal of the simulation promises what a disk promises, and no more."""

import asyncio

import pytest
from tests.support.virtual_loop import virtual

from holdfast.embedded.journal import Change, JournalFailed, Kept
from holdfast.simulation.dice import Dice
from holdfast.simulation.journal import VirtualJournal


def change(name: str, revision: int, data: bytes | None = b"{}") -> Change:
    return Change(f"configmaps//{name}", revision, data)


@virtual
async def test_what_was_reported_is_there_after_a_crash():
    """That is what acknowledged means."""
    journal = VirtualJournal(Dice(1))
    await journal.commit([change("a", 1), change("b", 2)])
    await journal.commit([change("a", 3, None)])
    journal.crash()

    loaded = await journal.load()

    assert (loaded.revision, list(loaded.objects)) == (3, [Kept("configmaps//b", 2, b"{}")])


@virtual
async def test_what_was_under_way_is_there_whole_or_not_at_all():
    """Both happen, and the crash alone knows which; whoever waited is never told."""
    found = set()
    for seed in range(30):
        journal = VirtualJournal(Dice(seed))
        told: list[int] = []
        journal.on_silent_commit = lambda made, _, told=told: told.append(made.revision)  # type: ignore[misc]
        reported = journal.commit([change("a", 1), change("b", 2)])
        journal.crash()
        await asyncio.sleep(1)
        found.add((len((await journal.load()).objects), reported.done(), tuple(told)))

    assert found == {(0, False, ()), (2, False, (1, 2))}


@virtual
async def test_a_full_disk_keeps_nothing_of_a_batch():
    """A refusal of the disk is a refusal of the whole batch."""
    journal = VirtualJournal(Dice(1))
    journal.failure_rate = 1.0

    with pytest.raises(JournalFailed):
        await journal.commit([change("a", 1)])

    assert (await journal.load()).objects == ()


@virtual
async def test_a_commit_takes_its_time():
    """Where a write is durable at once, no crash ever comes between."""
    loop = asyncio.get_running_loop()
    journal, began = VirtualJournal(Dice(1)), loop.time()
    await journal.commit([change("a", 1)])

    assert loop.time() > began
