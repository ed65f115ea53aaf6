"""The store: clients that collide over few names, watchers that are cut, owners that end, and a server that dies and forgets.

What is promised: an acknowledged write is there for good, once, on the version that it names; every read is the durable state of
one moment; a watch tells each change once; nothing is left of what has no owner, and nothing is taken that has one.
"""

import asyncio
from typing import ClassVar, Final

import msgspec

from holdfast.api.wire import Request
from holdfast.simulation.dice import Dice
from holdfast.simulation.script import Cast
from holdfast.simulation.store_calls import Desk
from holdfast.simulation.store_causes import causes
from holdfast.simulation.store_chronicle import CONFIG_MAPS, LEASES, NAMESPACES, SETTINGS, Chronicle, Key, Selection
from holdfast.simulation.store_client import StoreClient
from holdfast.simulation.store_objects import ANNEX, HOME, KEYS, PARTS
from holdfast.simulation.store_rest import at_rest
from holdfast.simulation.store_steward import Steward
from holdfast.simulation.store_watcher import StoreWatcher
from holdfast.simulation.world import Deed, World

_ANNEX: Final[Key] = (NAMESPACES.resource, "", ANNEX)
#: How long the disk may take for a commit, in seconds: what is queued meanwhile rides in the next one.
_LATENCIES: Final = (0.002, 0.05, 0.4)
#: So many changes of a kind the server remembers: with few, those who were away must begin anew.
_HISTORIES: Final = (8, 8, 24, 1000)
_SELECTIONS: Final = (
    Selection(CONFIG_MAPS.resource),
    Selection(CONFIG_MAPS.resource, HOME),
    Selection(CONFIG_MAPS.resource, "", PARTS[0]),
    Selection(CONFIG_MAPS.resource, HOME, PARTS[1]),
    Selection(LEASES.resource),
    Selection(LEASES.resource, HOME, PARTS[0]),
    Selection(SETTINGS.resource, HOME, PARTS[0]),
    Selection(NAMESPACES.resource),
)


class StoreCast(Cast, frozen=True):
    clients: int
    watchers: int
    latency: int
    """Which of the disks."""
    history: int
    """Which of the bounds."""


class StoreArea:
    """See above."""

    name: ClassVar[str] = "store"
    seconds: ClassVar[float] = 40.0
    stirs: ClassVar[bool] = False
    deeds: ClassVar[dict[str, float]] = {
        **StoreClient.verbs,
        "clears": 0.2,
        "makes-namespace": 0.6,
        "ends-namespace": 0.3,
        "crowds": 3,
        "pulls-plug": 1,
        "fills-disk": 1,
    }

    def cast(self, dice: Dice) -> StoreCast:
        return StoreCast(clients=1 + dice.below(4), watchers=1 + dice.below(3), latency=dice.below(1000), history=dice.below(1000))

    def count(self, dice: Dice) -> int:
        return 25 + dice.below(50)

    async def play(self, world: World) -> None:
        cast = world.script.cast
        if not isinstance(cast, StoreCast):
            raise TypeError(f"a cast of another area: {cast}")
        world.weather.never("events-twice")  # no connection does that, and here every change is counted
        history, journal = _HISTORIES[cast.history % len(_HISTORIES)], world.api.journal
        journal.latency = _LATENCIES[cast.latency % len(_LATENCIES)]
        await self._begins(world, history)

        chronicle = Chronicle(journal.revision, journal.objects.values())
        journal.followers.append(chronicle.take)
        world.followers.append(chronicle.tell)
        desk = Desk(chronicle, journal, world.violates, history=history)
        users = _Users(world, desk, cast.clients)
        await users.begin()
        watchers = [StoreWatcher(f"w{number}", desk, _selection(world, number)) for number in range(1, cast.watchers + 1)]
        for watcher in watchers:
            await world.starts(watcher.name, watcher.lives)

        await world.plays(users.deeds)
        await world.quiet()
        users.at_rest()
        for watcher in watchers:
            watcher.at_rest()
        for promise, subject, numbers in await at_rest(chronicle, journal, world.transport("looks")):
            world.violates(promise, subject, numbers)
        for promise, subject, numbers in causes(desk.calls, chronicle):
            world.violates(promise, subject, numbers)

    @staticmethod
    async def _begins(world: World, history: int) -> None:
        """Before anything can go wrong. Each start reads all definitions of kinds: those that nobody uses here are left out."""
        objects = world.api.journal.objects
        world.api.journal.objects = {text: kept for text, kept in objects.items() if "definitions" not in text or SETTINGS.resource in text}
        world.api.history_events = history  # the server that runs was opened with another bound
        await world.api.crash()
        await world.api.start()
        body = msgspec.json.encode({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ANNEX}})
        await world.transport("user").send(Request("POST", NAMESPACES.path(), (), {"content-type": "application/json"}, body))


AREA: Final = StoreArea()


class _Users:
    """Those who sit before the clients."""

    def __init__(self, world: World, desk: Desk, clients: int) -> None:
        self._world = world
        self._clients = [StoreClient(f"c{number}", desk) for number in range(1, clients + 1)]
        self._steward = Steward("steward", desk)
        self.deeds: dict[str, Deed] = {
            **{verb: self._deed(verb) for verb in (*StoreClient.verbs, "clears")},
            "makes-namespace": self._makes_namespace,
            "ends-namespace": self._ends_namespace,
            "crowds": self._crowds,
            "pulls-plug": self._pulls_plug,
            "fills-disk": self._fills_disk,
        }

    async def begin(self) -> None:
        for client in (*self._clients, self._steward):
            await self._world.starts(client.name, client.lives)

    def at_rest(self) -> None:
        for client in self._clients:
            if client.waiting:
                self._world.violates("everybody gets to everything", client.name, f"{client.waiting} deeds were never begun")

    def _client(self, number: int) -> StoreClient:
        return self._clients[number % len(self._clients)]

    def _dice(self, *numbers: int) -> Dice:
        return self._world.dice.of("deed", *numbers)

    def _deed(self, verb: str) -> Deed:
        async def does(_: World, one: int, two: int, three: int) -> None:
            self._client(one).do(verb, KEYS[two % len(KEYS)], self._dice(one, two, three))

        return does

    async def _makes_namespace(self, _: World, one: int, two: int, three: int) -> None:
        self._client(one).do("creates", _ANNEX, self._dice(one, two, three))

    async def _ends_namespace(self, _: World, one: int, two: int, three: int) -> None:
        self._client(one).do("deletes", _ANNEX, self._dice(one, two, three))

    async def _crowds(self, _: World, one: int, two: int, three: int) -> None:
        """Everybody does something to the same object, or to those that may own it."""
        dice = self._dice(one, two, three)
        verbs = tuple(StoreClient.verbs.items())
        for client in self._clients:
            client.do(dice.weighted(verbs), KEYS[two % len(KEYS)] if dice.chance(0.7) else dice.pick(KEYS), dice.of(client.name))

    async def _pulls_plug(self, world: World, one: int, two: int, three: int) -> None:
        """The server dies while everybody writes."""
        await self._crowds(world, one, two, three)
        await asyncio.sleep(world.api.journal.latency * (three % 100) / 100)
        world.trace.say("api", "dies")
        await world.api.crash()
        world.lasts(1 + one % 5, lambda: world.later(world.api.start(), name="start of the api"))

    async def _fills_disk(self, world: World, one: int, two: int, three: int) -> None:
        """Most commits fail while everybody writes, and goes on writing."""
        journal = world.api.journal
        journal.failure_rate = 0.7
        world.lasts(3, lambda: setattr(journal, "failure_rate", 0.0))
        for number in range(3):
            await self._crowds(world, one + number, two, three)
            await asyncio.sleep(journal.latency * (three % 50) / 50)


def _selection(world: World, number: int) -> Selection:
    return world.dice.of("watcher", number).pick(_SELECTIONS)
