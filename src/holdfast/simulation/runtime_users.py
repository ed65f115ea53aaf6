"""What befalls the area ``runtime`` by hand: people at the command line, and what they have programs do of themselves."""

import asyncio
from collections.abc import Iterator
from typing import Any, Final

from holdfast.api.core import ConfigMap, Lease, Node
from holdfast.api.errors import ApiError
from holdfast.api.longhorn import Setting
from holdfast.api.meta import Object, ObjectMeta
from holdfast.api.wire import Unreachable
from holdfast.kube.client import Client
from holdfast.kube.ownership import PREFIX
from holdfast.process import Process
from holdfast.simulation.clocks import DriftingClock
from holdfast.simulation.deeds import unless_refused
from holdfast.simulation.runtime_jobs import COPY, GROUPS, TALLY
from holdfast.simulation.runtime_program import ELECTION, Bench, Part, living
from holdfast.simulation.world import NAMESPACE, Deed, World

#: So many names for ConfigMaps: few enough that they come back.
_NAMES: Final = 4
_VALUES: Final = 5
_WORDS: Final = ("", "red", "red blue", "blue blue", "poison red")


class Users:
    """People at the command line, who mind no refusal; and what they have programs do of themselves."""

    def __init__(self, world: World, bench: Bench) -> None:
        self._world = world
        self._bench = bench
        process = Process("user", DriftingClock(), world.dice.of("user").randomness)
        self._client = Client(world.transport("user"), process)
        does = {
            "creates": self._creates,
            "patches": self._patches,
            "deletes": self._deletes,
            "replaces": self._replaces,
            "deletes-a-copy": self._deletes_a_copy,
            "holds-back": self._holds_back,
            "labels-a-node": self._labels_a_node,
            "meddles-with-leases": self._meddles_with_leases,
        }
        self.deeds: dict[str, Deed] = {name: unless_refused(deed) for name, deed in does.items()}
        self.deeds |= {
            "own-create": self._has_created,
            "own-patch": self._has_patched,
            "own-delete": self._has_deleted,
            "own-replace": self._has_replaced,
            "tells": self._has_told,
            "listens": self._has_listened,
            "asks-for-more": self._has_asked_for_more,
            "steps-down": self._has_stepped_down,
            "loses-the-leader": self._loses_the_leader,
            "retires": self._retires,
        }

    async def begins(self) -> None:
        for group in GROUPS:
            await self._client.create(Setting(metadata=ObjectMeta(name=TALLY + group, namespace=NAMESPACE), value="0"))
        await self._client.create(Node(metadata=ObjectMeta(name="n1")))
        for number in range(2):
            await self._client.create(_origin(number, number, number))

    # ---- people --------------------------------------------------------------------------------------------------------------

    async def _creates(self, one: int, two: int, three: int) -> None:
        await self._client.create(_origin(one, two, three))

    async def _patches(self, one: int, two: int, three: int) -> None:
        """Several times in a row, now and then."""
        for turn in range(1 + three % 3):
            await self._client.patch(ConfigMap, _name(one), NAMESPACE, _patch(two + turn, three))

    async def _deletes(self, one: int, _two: int, _three: int) -> None:
        await self._client.delete(ConfigMap, _name(one), NAMESPACE)

    async def _replaces(self, one: int, two: int, three: int) -> None:
        await self._client.delete(ConfigMap, _name(one), NAMESPACE)
        await self._client.create(_origin(one, two, three))

    async def _deletes_a_copy(self, one: int, _two: int, _three: int) -> None:
        await self._client.delete(Setting, COPY + _name(one), NAMESPACE)

    async def _holds_back(self, one: int, two: int, _three: int) -> None:
        """Keep it from going for a while, and let it go."""
        await self._client.patch(ConfigMap, _name(one), NAMESPACE, {"metadata": {"finalizers": ["example.com/held"]}})
        self._world.lasts(1 + two % 15, lambda: self._world.later(self._lets_go(one), name="lets go"))

    async def _lets_go(self, one: int) -> None:
        while True:
            try:
                await self._client.patch(ConfigMap, _name(one), NAMESPACE, {"metadata": {"finalizers": None}})
            except Unreachable:
                await asyncio.sleep(1.0)
            except ApiError as refusal:
                if refusal.actual_code < 500:
                    return
                await asyncio.sleep(1.0)
            else:
                return

    async def _labels_a_node(self, one: int, two: int, _three: int) -> None:
        await self._client.patch(Node, "n1", "", {"metadata": {"labels": {"rack": f"r{(one + two) % 5}"}}})

    async def _meddles_with_leases(self, one: int, two: int, _three: int) -> None:
        """Delete a program's sign of life, or put a label on the lease of the election."""
        if one % 2 and self._world.programs:
            name = sorted(self._world.programs)[two % len(self._world.programs)]
            await self._client.delete(Lease, PREFIX + name, NAMESPACE)
        else:
            await self._client.patch(Lease, ELECTION, NAMESPACE, {"metadata": {"labels": {"seen": f"by-{two}"}}})

    # ---- programs ------------------------------------------------------------------------------------------------------------

    def _parts(self, number: int) -> Iterator[Part]:
        """One of those that run, if any does."""
        parts = [part for part in living(self._bench) if part.client.written]
        if parts:
            yield parts[number % len(parts)]

    async def _has_created(self, _: World, one: int, two: int, three: int) -> None:
        for part in self._parts(two):
            part.does(part.hands.create(_origin(one, two, three)), "own create")

    async def _has_patched(self, _: World, one: int, two: int, three: int) -> None:
        for part in self._parts(two):
            part.does(part.hands.patch(ConfigMap, _name(one), _patch(three, two)), "own patch")

    async def _has_deleted(self, _: World, one: int, two: int, _three: int) -> None:
        for part in self._parts(two):
            held = part.runtime.caches.of(ConfigMap).get(_name(one))
            if held is not None:
                part.does(part.hands.delete(held), "own delete")

    async def _has_replaced(self, _: World, one: int, two: int, three: int) -> None:
        for part in self._parts(two):
            held = part.runtime.caches.of(ConfigMap).get(_name(one))
            if held is not None:
                part.does(_replaced(part, held, _origin(one, two, three)), "own replace")

    async def _has_told(self, _: World, one: int, two: int, three: int) -> None:
        for part in self._parts(two):
            for _turn in range(1 + three % 4):
                self._bench.ears.emit(part, part.runtime.events, (f"told-{one % 3}", f"message {three % 2}"))

    async def _has_listened(self, _: World, one: int, two: int, three: int) -> None:
        """A handler that comes late, and goes again."""
        for part in self._parts(two):
            type_: type[Object] = (ConfigMap, Setting)[one % 2]
            end = part.listens(type_, fails=two % 5 == 0)
            self._world.lasts(1 + three % 20, end)

    async def _has_asked_for_more(self, _: World, one: int, two: int, three: int) -> None:
        """A cache, or an index, that comes late."""
        for part in self._parts(two):
            if one % 2 and len(part.caches_of(ConfigMap)) == 1:
                part.mirrors(ConfigMap, "")
            else:
                part.files(ConfigMap, f"late-{one}-{three}", lambda origin: origin.data)

    async def _has_stepped_down(self, _: World, one: int, _two: int, _three: int) -> None:
        for part in self._parts(one):
            if part.election is not None:
                part.election.step_down()

    async def _loses_the_leader(self, world: World, one: int, _two: int, _three: int) -> None:
        """Whoever leads reaches nobody, for longer than that is good for."""
        for name in self._bench.leaders.holding:
            world.weather.cut_off(name)
            world.lasts(6 + one % 8, lambda name=name: world.weather.connect(name))  # type: ignore[misc]  # the loop's own name

    async def _retires(self, world: World, one: int, _two: int, _three: int) -> None:
        """It goes for good, without a word. One stays."""
        here = sorted(world.programs.keys() - self._bench.retired)
        if len(here) > 1:
            name = here[one % len(here)]
            self._bench.retired.add(name)
            await world.crashes(name)


async def _replaced(part: Part, held: Object, by: Object) -> None:
    await part.hands.delete(held)
    await part.hands.create(by)


def _name(number: int) -> str:
    return f"o{number % _NAMES + 1}"


def _origin(one: int, two: int, three: int) -> ConfigMap:
    patch = _patch(two, three)
    labels = {"group": patch["metadata"]["labels"]["group"] or "a"}
    data = {key: value for key, value in patch["data"].items() if value is not None}
    return ConfigMap(metadata=ObjectMeta(name=_name(one), namespace=NAMESPACE, labels=labels), data=data)


def _patch(one: int, two: int) -> dict[str, Any]:
    """What it may become: another value, another group or none, other words, another rhythm."""
    data: dict[str, str | None] = {
        "value": f"v{one % _VALUES}",
        "words": _WORDS[(one + two) % len(_WORDS)],
        "poison": "yes" if one % 13 == 0 else None,
        "every": str(3 + two % 15) if two % 3 else None,
        "fails": ("0", "30", "100")[two % 7] if two % 7 < 3 else None,
    }
    return {"metadata": {"labels": {"group": (*GROUPS, None)[(one // 3) % 4]}}, "data": data}
