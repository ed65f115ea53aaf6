"""A client of the store: it does one thing after the other, over few names, so that clients collide; and judges each answer.

It goes by what it has seen, which may be old: that is how conflicts come about. Nothing is ever tried again, so a call takes place
once or not at all.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, ClassVar, Final

from holdfast.api.wire import Request, Transport
from holdfast.process import Tasks
from holdfast.simulation import store_reads, store_writes
from holdfast.simulation.dice import Dice
from holdfast.simulation.programs import Life
from holdfast.simulation.store_calls import NOT_SENT, UNKNOWN, Call, Desk
from holdfast.simulation.store_chronicle import (
    HOLD,
    MARK,
    SORTS,
    Document,
    Key,
    Selection,
    finalizers_of,
    mark_of,
    subject,
    version_of,
)
from holdfast.simulation.store_objects import KEYS, PARTS, content_of, encoded, path_of, query_of, selection_over

_JSON: Final = {"content-type": "application/json"}
_MERGE_PATCH: Final = {"content-type": "application/merge-patch+json"}
_JSON_PATCH: Final = {"content-type": "application/json-patch+json"}
_POLICIES: Final = ("", "", "Background", "Foreground", "Foreground", "Orphan")
_NOBODY: Final = "11111111-1111-4111-8111-111111111111"

Job = Callable[[Transport], Awaitable[None]]


class StoreClient:
    """One program. ``do`` gives it something to do, which survives its death as the wish of its user."""

    verbs: ClassVar[dict[str, float]] = {
        "creates": 3,
        "updates": 3,
        "patches": 3,
        "tests": 2,
        "deletes": 2,
        "gets": 3,
        "lists": 1.5,
        "pages": 1,
    }

    def __init__(self, name: str, desk: Desk) -> None:
        self.name = name
        self.waiting = 0
        self._desk = desk
        self._jobs: asyncio.Queue[Job] = asyncio.Queue()
        self._seen: dict[Key, Document] = {}
        self._calls = 0

    def do(self, verb: str, key: Key, dice: Dice) -> None:
        method = getattr(self, f"_{verb}")
        self.waiting += 1
        self._jobs.put_nowait(lambda wire: method(wire, key, dice))

    async def lives(self, life: Life) -> None:
        self._seen = {}
        async with Tasks() as tasks:
            tasks.spawn(self._works(life.wire), name=f"{self.name}, left hand")
            tasks.spawn(self._works(life.wire), name=f"{self.name}, right hand")
            await asyncio.get_running_loop().create_future()

    async def _works(self, wire: Transport) -> None:
        while True:
            job = await self._jobs.get()
            self.waiting -= 1
            await job(wire)

    # ---- writes -------------------------------------------------------------------------------------------------------------

    async def _creates(self, wire: Transport, key: Key, dice: Dice) -> None:
        resource, namespace, name = key
        call = self._call("create", key)
        metadata: Document = {"name": name, "labels": {"part": dice.pick(PARTS)}, "annotations": {MARK: call.mark}}
        if namespace:
            metadata["namespace"] = namespace
            metadata["ownerReferences"] = await self._owners(wire, namespace, dice) if dice.chance(0.6) else []
            metadata["finalizers"] = [HOLD] if dice.chance(0.2) else []
            if dice.chance(0.1):
                call.key = resource, namespace, ""
                metadata["generateName"] = f"{metadata.pop('name')}-"
        sort = SORTS[resource]
        call.sent = {"apiVersion": sort.api_version, "kind": sort.kind, "metadata": metadata, **content_of(resource, dice)}
        await self._writes(wire, call, Request("POST", sort.path(namespace), _dry(call, dice), _JSON, encoded(call.sent)))

    async def _updates(self, wire: Transport, key: Key, dice: Dice) -> None:
        seen = await self._known(wire, key)
        if seen is None:
            await self._creates(wire, key, dice)
            return
        call = self._call("update", key)
        metadata = {**seen["metadata"], "labels": {"part": dice.pick(PARTS)}, "annotations": {MARK: call.mark}}
        if dice.chance(0.3):
            metadata["finalizers"] = [name for name in seen["metadata"].get("finalizers", ()) if name != HOLD] + [HOLD] * dice.below(2)
        if dice.chance(0.25):
            metadata["ownerReferences"] = await self._owners(wire, key[1], dice)
        if dice.chance(0.25):
            del metadata["resourceVersion"]
        call.version, call.uid = metadata.get("resourceVersion", ""), metadata["uid"]
        call.sent = {**seen, "metadata": metadata, **content_of(key[0], dice)}
        await self._writes(wire, call, Request("PUT", path_of(key), _dry(call, dice), _JSON, encoded(call.sent)))

    async def _patches(self, wire: Transport, key: Key, dice: Dice) -> None:
        call = self._call("patch", key)
        metadata: Document = {"annotations": {MARK: call.mark}}
        changes: list[tuple[tuple[str, ...], Any]] = [(("metadata", "annotations", MARK), call.mark)]
        if dice.chance(0.5):
            metadata["labels"] = {"part": dice.pick(PARTS)}
            changes.append((("metadata", "labels", "part"), metadata["labels"]["part"]))
        if dice.chance(0.25):
            metadata["ownerReferences"] = await self._owners(wire, key[1], dice) or None
            changes.append((("metadata", "ownerReferences"), metadata["ownerReferences"]))
        if dice.chance(0.4) and (seen := await self._known(wire, key)) is not None:
            call.version = metadata["resourceVersion"] = version_of(seen)
        call.changes = tuple(changes)
        await self._writes(wire, call, Request("PATCH", path_of(key), _dry(call, dice), _MERGE_PATCH, encoded({"metadata": metadata})))

    async def _tests(self, wire: Transport, key: Key, dice: Dice) -> None:
        seen = await self._known(wire, key)
        if seen is None:
            await self._creates(wire, key, dice)
        else:
            finalizers = (sorted({*finalizers_of(seen), HOLD}),) if dice.chance(0.2) else ()
            await self._by_operations(wire, key, seen, dice, *finalizers)

    async def lets_go(self, wire: Transport, key: Key, seen: Document, dice: Dice) -> None:
        """What the owner of the finalizer does with an object that is being deleted."""
        await self._by_operations(wire, key, seen, dice, sorted(finalizers_of(seen) - {HOLD}))

    async def _by_operations(self, wire: Transport, key: Key, seen: Document, dice: Dice, *finalizers: list[str]) -> None:
        call = self._call("test", key)
        if finalizers or dice.chance(0.5):
            call.version = version_of(seen)
            operations = [{"op": "test", "path": "/metadata/resourceVersion", "value": call.version}]
        else:
            call.tested = mark_of(seen)
            operations = [{"op": "test", "path": f"/metadata/annotations/{MARK}", "value": call.tested}]
        operations.append({"op": "replace", "path": f"/metadata/annotations/{MARK}", "value": call.mark})
        changes: list[tuple[tuple[str, ...], Any]] = [(("metadata", "annotations", MARK), call.mark)]
        for names in finalizers:
            operations.append({"op": "add", "path": "/metadata/finalizers", "value": names})  # type: ignore[dict-item]  # a list of texts
            changes.append((("metadata", "finalizers"), names or None))
        call.changes = tuple(changes)
        await self._writes(wire, call, Request("PATCH", path_of(key), (), _JSON_PATCH, encoded(operations)))

    async def _deletes(self, wire: Transport, key: Key, dice: Dice) -> None:
        call = self._call("delete", key)
        options: Document = {}
        if policy := dice.pick(_POLICIES):
            options["propagationPolicy"] = policy
        seen = self._seen.get(key)
        if seen is not None and dice.chance(0.5):
            if dice.chance(0.5):
                call.version = version_of(seen)
                options["preconditions"] = {"resourceVersion": call.version}
            else:
                call.uid = seen["metadata"]["uid"]
                options["preconditions"] = {"uid": call.uid}
        answer = await self._ask(wire, call, Request("DELETE", path_of(key), (), _JSON, encoded(options) if options else b""))
        if answer is not None:
            self._seen.pop(key, None)
            self._finds(call, store_writes.deleted(call, answer, self._desk.chronicle))

    async def _clears(self, wire: Transport, key: Key, dice: Dice) -> None:
        resource, namespace, _ = key
        call = self._call("clear", (resource, namespace, ""))
        query = (("labelSelector", f"part={dice.pick(PARTS)}"),) if dice.chance(0.5) else ()
        answer = await self._ask(wire, call, Request("DELETE", SORTS[resource].path(namespace), query))
        if answer is not None:
            self._finds(call, store_writes.cleared(call, answer, self._desk.chronicle))

    # ---- reads --------------------------------------------------------------------------------------------------------------

    async def _gets(self, wire: Transport, key: Key, _: Dice) -> None:
        await self._get(wire, key)

    async def _get(self, wire: Transport, key: Key) -> Document | None:
        call = self._call("get", key)
        answer = await self._ask(wire, call, Request("GET", path_of(key)))
        if answer is None:
            self._seen.pop(key, None)
            return None
        self._seen[key] = answer
        self._finds(call, store_reads.got(call, answer, self._desk.chronicle))
        return answer

    async def _lists(self, wire: Transport, key: Key, dice: Dice) -> None:
        """The newest state, or that of an older revision."""
        selection = selection_over(key, dice)
        chronicle = self._desk.chronicle
        exact = chronicle.told - dice.below(12) if dice.chance(0.3) else 0
        query = (("resourceVersion", str(exact)), ("resourceVersionMatch", "Exact")) if exact else ()
        call = self._call("list", (selection.resource, selection.namespace, ""))
        answer = await self._ask(
            wire, call, Request("GET", SORTS[selection.resource].path(selection.namespace), (*query_of(selection), *query))
        )
        if call.status == 410:
            self._judges_forgetting(call, exact)
        elif answer is not None and exact:
            self._finds(call, store_reads.shows(call, selection, answer, exact, chronicle))
        elif answer is not None:
            self._finds(call, store_reads.listed(call, selection, answer, chronicle))

    async def list_whole(self, wire: Transport, resource: str) -> list[Document]:
        """All objects of a kind, in all namespaces; none when they can not be had."""
        call = self._call("list", (resource, "", ""))
        answer = await self._ask(wire, call, Request("GET", SORTS[resource].path()))
        if answer is None:
            return []
        self._finds(call, store_reads.listed(call, Selection(resource), answer, self._desk.chronicle))
        items: list[Document] = answer["items"]
        return items

    async def _pages(self, wire: Transport, key: Key, dice: Dice) -> None:
        """A list in small pieces, while others write."""
        selection, limit = selection_over(key, dice), 1 + dice.below(2)
        start, revision, token = 0, 0, ""
        while True:
            call = self._call("list", (selection.resource, selection.namespace, ""))
            query = (*query_of(selection), ("limit", str(limit)), *((("continue", token),) if token else ()))
            answer = await self._ask(wire, call, Request("GET", SORTS[selection.resource].path(selection.namespace), query))
            if call.status == 410:
                self._judges_forgetting(call, revision)
            if answer is None:
                return
            now = int(answer["metadata"]["resourceVersion"])
            if token and now != revision:
                self._finds(call, [(store_reads.PAGES, f"{call} goes on at revision {now}, and began at {revision}")])
            if not token and not call.floor <= now <= self._desk.chronicle.revision:
                self._finds(call, [(store_reads.MOMENT, f"{call} began at revision {now}, and {call.floor} was told before")])
            self._finds(call, store_reads.page(call, selection, answer, start, limit, self._desk.chronicle))
            start, revision, token = start + limit, now, answer["metadata"].get("continue", "")
            if not token:
                return
            await asyncio.sleep(dice.fraction() * 2)

    # ---- asking -------------------------------------------------------------------------------------------------------------

    def _call(self, verb: str, key: Key) -> Call:
        self._calls += 1
        return Call(who=self.name, verb=verb, key=key, mark=f"{self.name}-{self._calls}")

    async def _writes(self, wire: Transport, call: Call, request: Request) -> None:
        answer = await self._ask(wire, call, request)
        if answer is None or call.is_dry:
            return
        self._seen[call.key] = answer
        self._finds(call, store_writes.acknowledged(call, answer, self._desk.chronicle))

    async def _ask(self, wire: Transport, call: Call, request: Request) -> Document | None:
        """The answer, when it is what was asked for; a refusal is judged here."""
        status, answer = await self._desk.ask(wire, call, request)
        if status in {UNKNOWN, NOT_SENT}:
            return None
        if status < 300:
            return answer
        if status >= 400 and status != 410:
            self._seen.pop(call.key, None)
            chronicle = self._desk.chronicle
            missing = call.verb == "get" and status == 404
            self._finds(call, store_reads.got_nothing(call, chronicle) if missing else store_writes.refused(call, answer, chronicle))
        return None

    def _judges_forgetting(self, call: Call, revision: int) -> None:
        if not self._desk.may_forget(call.key[0], revision):
            self._finds(call, [(store_reads.MOMENT, f"{call}: revision {revision} is forgotten, and it is too young for that")])

    def _finds(self, call: Call, broken: Iterable[tuple[str, str]]) -> None:
        for promise, numbers in broken:
            self._desk.violates(promise, subject(call.key), numbers)

    async def _known(self, wire: Transport, key: Key) -> Document | None:
        """What was seen last, however old; else what is there."""
        seen = self._seen.get(key)
        return seen if seen is not None else await self._get(wire, key)

    async def _owners(self, wire: Transport, namespace: str, dice: Dice) -> list[Document]:
        """One or two owners: such as live, such as lived, such as live elsewhere, and nobody."""
        found: dict[str, Document] = {}
        for _ in range(1 + dice.chance(0.3)):
            key = dice.pick([each for each in KEYS if each[1] == namespace or dice.chance(0.1)])
            obj = await self._known(wire, key)
            uid = _NOBODY if obj is None or dice.chance(0.05) else obj["metadata"]["uid"]
            sort = SORTS[key[0]]
            owner = {"apiVersion": sort.api_version, "kind": sort.kind, "name": key[2], "uid": uid}
            found[uid] = owner | ({"blockOwnerDeletion": True} if dice.chance(0.6) else {})
        return list(found.values())


def _dry(call: Call, dice: Dice) -> tuple[tuple[str, str], ...]:
    call.is_dry = dice.chance(0.05)
    return (("dryRun", "All"),) if call.is_dry else ()
