"""The store at rest: what is served, what the journal holds, and what a new server would serve are what the changes add up to.

And nothing is left behind: nobody waits for his end, and everybody who names owners has them.
"""

from collections.abc import Iterator

import msgspec

from holdfast.api.wire import Answer, Request, Transport
from holdfast.embedded.server import Server
from holdfast.process import Process
from holdfast.simulation import store_reads
from holdfast.simulation.clocks import DriftingClock
from holdfast.simulation.dice import Dice
from holdfast.simulation.journal import VirtualJournal
from holdfast.simulation.store_calls import Call
from holdfast.simulation.store_causes import Broken
from holdfast.simulation.store_chronicle import (
    NAMESPACES,
    SORTS,
    Chronicle,
    Document,
    Selection,
    finalizers_of,
    is_deleting,
    key_of,
    owner_key,
    owners_of,
    subject,
    version_of,
)

SAME = "the store is what its changes add up to"
LEFT = "nothing is left behind"


async def at_rest(chronicle: Chronicle, journal: VirtualJournal, now: Transport) -> Broken:
    """``now`` leads to the server that runs."""
    found = [(SAME, subject, numbers) for subject, numbers in chronicle.problems]
    found += [(SAME, subject(change.key), f"revision {change.revision} is stored, and was never told") for change in chronicle.untold()]
    found += _journal(chronicle, journal)
    found += [(SAME, "the server", numbers) for numbers in await _served(chronicle, now, "it")]
    copy = VirtualJournal(Dice(0), revision=journal.revision, objects=journal.objects.values())
    fresh = await Server.open(Process("fresh", DriftingClock(), Dice(0).randomness), copy)
    found += [(SAME, "a new server", numbers) for numbers in await _served(chronicle, fresh.transport(), "a new server")]
    found += _left(chronicle)
    return iter(found)


def _journal(chronicle: Chronicle, journal: VirtualJournal) -> Broken:
    kept = {key_of(text): msgspec.json.decode(entry.data) for text, entry in journal.objects.items()}
    expected = chronicle.everything(chronicle.revision)
    for key in sorted(kept.keys() | expected.keys()):
        if kept.get(key) != expected.get(key):
            yield SAME, subject(key), f"the journal has version {version_of(kept.get(key))}, it is {version_of(expected.get(key))}"


async def _served(chronicle: Chronicle, way: Transport, who: str) -> list[str]:
    found: list[str] = []
    for resource, sort in SORTS.items():
        answer = await way.send(Request("GET", sort.path()))
        found += _compared(Call(who=who, verb="list", key=(resource, "", "")), answer, chronicle)
    return found


def _compared(call: Call, answer: Answer, chronicle: Chronicle) -> Iterator[str]:
    if answer.status != 200:
        yield f"{call} was answered with {answer.status}"
        return
    document: Document = msgspec.json.decode(answer.body)
    if version_of(document) != str(chronicle.revision):
        yield f"{call} tells revision {version_of(document)}, the last one is {chronicle.revision}"
    for _, numbers in store_reads.shows(call, Selection(call.key[0]), document, chronicle.revision, chronicle):
        yield numbers


def _left(chronicle: Chronicle) -> Broken:
    present = chronicle.everything(chronicle.revision)
    for key, obj in present.items():
        if key[1] and (NAMESPACES.resource, "", key[1]) not in present:
            yield LEFT, subject(key), f"version {version_of(obj)} is in a namespace that is gone"
        if is_deleting(obj):
            yield LEFT, subject(key), f"version {version_of(obj)} still waits for its end, held by {sorted(finalizers_of(obj)) or 'nobody'}"
            continue
        for owner in owners_of(obj):
            found = present.get(owner_key(owner, key[1]))
            if found is None or found["metadata"]["uid"] != owner["uid"]:
                yield LEFT, subject(key), f"version {version_of(obj)} names {owner['kind']} {owner['name']} ({owner['uid']}), who is gone"
