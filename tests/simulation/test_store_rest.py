"""At rest all that there is agrees, and nothing is left behind; what does not agree is found."""

import asyncio
from typing import Any

import msgspec
import pytest
from tests.support.store_story import DYING, config_map, owned_by

from holdfast.embedded.journal import Change
from holdfast.embedded.server import Server
from holdfast.process import Process
from holdfast.simulation.clocks import DriftingClock
from holdfast.simulation.dice import Dice
from holdfast.simulation.journal import VirtualJournal
from holdfast.simulation.loop import VirtualLoop
from holdfast.simulation.run import foundation
from holdfast.simulation.store_chronicle import Chronicle, at_revision
from holdfast.simulation.store_rest import LEFT, SAME, at_rest


async def found(journal: VirtualJournal, chronicle: Chronicle) -> set[str]:
    server = await Server.open(Process("api", DriftingClock(), Dice(0).randomness), journal)
    return {promise for promise, _, _ in await at_rest(chronicle, journal, server.transport())}


def a_journal() -> VirtualJournal:
    kept = foundation()
    return VirtualJournal(Dice(0), revision=kept.revision, objects=kept.objects)


def writes(chronicle: Chronicle, journal: VirtualJournal | None, obj: dict[str, Any]) -> None:
    """One object more, which the server tells of; without a journal it is nowhere."""
    revision = chronicle.revision + 1
    shown = at_revision(obj, revision)
    change = Change(f"configmaps/{obj['metadata']['namespace']}/a", revision, msgspec.json.encode(shown))
    if journal is not None:
        journal._write(change)
    chronicle.take(change, None)
    chronicle._untold.clear()


def in_virtual_time(obj: dict[str, Any], *, is_stored: bool) -> set[str]:
    journal = a_journal()

    async def look() -> set[str]:
        chronicle = Chronicle(journal.revision, journal.objects.values())
        writes(chronicle, journal if is_stored else None, obj)
        return await found(journal, chronicle)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(look())


@pytest.mark.parametrize(
    "obj, promises",
    [
        (config_map(), set()),
        (config_map(finalizers=["example.com/hold"], **DYING), {LEFT}),
        (config_map(ownerReferences=owned_by("b")), {LEFT}),
        (config_map(namespace="gone"), {LEFT}),
    ],
)
def test_nobody_waits_for_his_end_and_all_owners_and_namespaces_live(obj: dict[str, Any], promises: set[str]):
    """What is left behind stays for ever, and nobody looks at it."""
    assert in_virtual_time(obj, is_stored=True) == promises


def test_a_journal_that_has_lost_something_is_found():
    """And so is a server that does not serve it."""
    assert in_virtual_time(config_map(), is_stored=False) == {SAME}
