"""A program that watches, below all caches: it lists, watches from there, and goes on from where it was after every cut.

What it is told is held against the chronicle, line by line: each change of its selection once, in order, and as it was; a bookmark
never ahead of what was told; 410 only for what the server may have forgotten, and an end of the gap after it by a new list.
"""

import asyncio
from collections.abc import Iterable
from typing import Final

import msgspec

from holdfast.api.wire import Answer, Request, Stream, Transport, Unreachable
from holdfast.simulation import store_reads
from holdfast.simulation.dice import Dice
from holdfast.simulation.programs import Life
from holdfast.simulation.store_calls import Call, Desk
from holdfast.simulation.store_chronicle import SORTS, Changed, Document, Key, Selection, subject, version_of

ONCE: Final = "a watch tells every change once, in order"
BOOKMARK: Final = "a bookmark is not ahead of what was told"
GONE: Final = "a watch is ended with 410 only where something may be forgotten"
#: What a server that lost it, or a fault on the way, says: the fault says only this.
_OF_FAULT: Final = "too old resource version"
_TOO_LARGE: Final = "too large resource version"
_END_OF_LIST: Final = "k8s.io/initial-events-end"


class StoreWatcher:
    """Its place in the history outlives it, as if it were on its disk."""

    def __init__(self, name: str, desk: Desk, selection: Selection) -> None:
        self.name = name
        self.selection = selection
        self.place = 0
        """It has seen everything up to this revision; 0 when it has to begin anew."""
        self.begins_anew = 0
        """How often it did."""
        self.heard = 0
        """So many changes."""
        self._desk = desk
        self._initial: dict[Key, Document] | None = None
        """What a watch that begins with the list has told of it so far."""

    async def lives(self, life: Life) -> None:
        while True:
            try:
                if not self.place and life.dice.chance(0.6):
                    await self._lists(life.wire)
                else:
                    await self._watches(life.wire, life.dice)
            except Unreachable:
                pass  # goes on from where it is
            await asyncio.sleep(0.1 + life.dice.fraction() * 3)

    # ---- what it asks -------------------------------------------------------------------------------------------------------

    async def _lists(self, wire: Transport) -> None:
        selection = self.selection
        call = Call(who=self.name, verb="list", key=(selection.resource, selection.namespace, ""))
        status, answer = await self._desk.ask(wire, call, Request("GET", self._path(), self._labels()))
        if status == 200:
            self._finds(store_reads.listed(call, selection, answer, self._desk.chronicle))
            self._begins(int(answer["metadata"]["resourceVersion"]))

    async def _watches(self, wire: Transport, dice: Dice) -> None:
        query = [*self._labels(), ("watch", "1"), ("timeoutSeconds", str(3 + dice.below(40))), ("allowWatchBookmarks", "true")]
        if self.place:
            query.append(("resourceVersion", str(self.place)))
        else:
            query += [("sendInitialEvents", "true"), ("resourceVersionMatch", "NotOlderThan")]
        self._initial = None if self.place else {}
        opened = await wire.open(Request("GET", self._path(), tuple(query)))
        if isinstance(opened, Answer):
            return  # too busy
        try:
            await self._hears(opened)
        finally:
            await opened.close()

    async def _hears(self, stream: Stream) -> None:
        buffer = b""
        async for piece in stream:
            *lines, buffer = (buffer + piece).split(b"\n")
            for line in lines:
                if not self._takes(msgspec.json.decode(line)):
                    return

    def _path(self) -> str:
        return SORTS[self.selection.resource].path(self.selection.namespace)

    def _labels(self) -> tuple[tuple[str, str], ...]:
        return (("labelSelector", f"part={self.selection.part}"),) if self.selection.part else ()

    # ---- what it is told ----------------------------------------------------------------------------------------------------

    def _takes(self, event: Document) -> bool:
        """One line. False when there is nothing more to hear of this watch."""
        if event["type"] == "ERROR":
            self._ends_with(event["object"])
            return False
        if self._initial is not None:
            self._takes_initial(event)
        elif event["type"] == "BOOKMARK":
            self._takes_bookmark(event["object"])
        else:
            self._takes_change(event["type"], event["object"])
        return True

    def _begins(self, revision: int) -> None:
        self.place = revision
        self.begins_anew += 1

    def _takes_initial(self, event: Document) -> None:
        obj = event["object"]
        initial, metadata = self._initial or {}, obj["metadata"]
        if event["type"] == "ADDED":
            initial[self.selection.resource, metadata.get("namespace", ""), metadata["name"]] = obj
            self._initial = initial
            return
        revision = int(version_of(obj))
        expected = self._desk.chronicle.present(self.selection, revision)
        is_end = event["type"] == "BOOKMARK" and (metadata.get("annotations") or {}).get(_END_OF_LIST) == "true"
        if not is_end or initial != expected or revision > self._desk.chronicle.revision:
            found = ", ".join(f"{key[2]} {version_of(obj)}" for key, obj in initial.items()) or "nothing"
            wanted = ", ".join(f"{key[2]} {version_of(obj)}" for key, obj in expected.items()) or "nothing"
            self._finds([(ONCE, f"it began with {event['type']} at {revision} after {found}; stored is {wanted}")])
        self._initial = None
        self._begins(revision)

    def _takes_bookmark(self, obj: Document) -> None:
        revision = int(version_of(obj))
        if revision > self._desk.chronicle.revision:
            self._finds([(BOOKMARK, f"{revision}, and only {self._desk.chronicle.revision} is durable")])
        if revision < self.place:
            self._finds([(BOOKMARK, f"{revision}, and {self.place} was told before")])
        if missed := [change for change in self.missing() if change.revision <= revision]:
            self._finds(
                [(BOOKMARK, f"{revision}, and {missed[0].revision} ({subject(missed[0].key)}) was not told; it is at {self.place}")]
            )
        self.place = max(self.place, revision)

    def _takes_change(self, type_: str, obj: Document) -> None:
        revision = int(version_of(obj))
        change = self._desk.chronicle.change(revision)
        if revision <= self.place:
            self._finds([(ONCE, f"revision {revision} was told again, it has seen everything up to {self.place}")])
            return
        if missed := [each for each in self.missing() if each.revision < revision]:
            passed = f"{missed[0].revision} ({subject(missed[0].key)})"
            self._finds([(ONCE, f"revision {revision} was told, and {passed} was not; it was at {self.place}")])
        if change is None:
            self._finds([(ONCE, f"revision {revision} was told, which is not durable")])
        elif (expected := self.selection.told(change)) != (type_, obj):
            self._finds([(ONCE, f"revision {revision} was told as {type_} {obj}; it is {expected}")])
        self.heard += 1
        self.place = revision

    def _ends_with(self, status: Document) -> None:
        message, place = str(status.get("message", "")), self.place
        self.place = 0
        if message == _OF_FAULT:
            return
        if status.get("code") != 410 or message.startswith(_TOO_LARGE):
            self._finds([(GONE, f"at {place} it was told {status.get('code')}: {message}")])
        elif not self._desk.may_forget(self.selection.resource, place):
            self._finds([(GONE, f"{place} is too young to be forgotten: {message}")])

    # ---- at rest ------------------------------------------------------------------------------------------------------------

    def missing(self) -> list[Changed]:
        """What it has yet to be told."""
        later = self._desk.chronicle.after(self.place, self.selection.resource)
        return [change for change in later if self.selection.told(change) is not None]

    def at_rest(self) -> None:
        """The world has been quiet for long: there is nothing that it does not know."""
        if not self.place:
            self._finds([(ONCE, "it has never come to the end of a list")])
        elif missed := self.missing():
            self._finds([(ONCE, f"at rest it is at {self.place}, and was never told of {missed[0].revision} ({subject(missed[0].key)})")])

    def _finds(self, broken: Iterable[tuple[str, str]]) -> None:
        for promise, numbers in broken:
            self._desk.violates(promise, f"{self.name} on {self.selection}", numbers)
