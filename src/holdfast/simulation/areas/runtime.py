"""The client runtime: caches, queues, elections, shares of work and events of some programs, under all that may go wrong.

Whatever happens, a cache never goes back, a program reads what it wrote, no change is forgotten, nobody leads beside another; and
when the world is quiet, every cache is the store and everything that is derived is right.
"""

import asyncio
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from holdfast.api.core import ConfigMap, Lease, Node
from holdfast.api.errors import ApiError
from holdfast.api.longhorn import Setting
from holdfast.api.meta import Object, ObjectMeta
from holdfast.api.wire import Unreachable
from holdfast.kube.client import Client
from holdfast.kube.keys import Key
from holdfast.kube.ownership import PREFIX
from holdfast.process import Process
from holdfast.simulation.clocks import DriftingClock
from holdfast.simulation.dice import Dice
from holdfast.simulation.programs import Life
from holdfast.simulation.record import Revision
from holdfast.simulation.runtime_calls import TASKS
from holdfast.simulation.runtime_history import History
from holdfast.simulation.runtime_jobs import COPY, GROUPS, TALLY, group_of, is_poisoned
from holdfast.simulation.runtime_leaders import Leaders
from holdfast.simulation.runtime_program import ELECTION, Bench, Part
from holdfast.simulation.runtime_told import Ears
from holdfast.simulation.script import Cast
from holdfast.simulation.world import NAMESPACE, Deed, World, forever

#: So many names for ConfigMaps: few enough that they come back.
_NAMES: Final = 4
_VALUES: Final = 5
_WORDS: Final = ("", "red", "red blue", "blue blue", "poison red")
#: Delays add up while all goes wrong, so the longest pause that is under way then is no longer than that was.
_CALM: Final = 50.0
#: Nothing waits longer than this for what was told at rest to be written, in seconds.
_SOON: Final = 10.0


class RuntimeCast(Cast, frozen=True):
    programs: int
    shared: int
    """1 when keys are shared out among the programs."""
    elects: int
    """1 when one of them is to lead."""


class RuntimeArea:
    """See above."""

    name: ClassVar[str] = "runtime"
    seconds: ClassVar[float] = 45.0
    deeds: ClassVar[dict[str, float]] = {
        "creates": 8,
        "patches": 8,
        "deletes": 4,
        "replaces": 2,
        "deletes-a-copy": 1,
        "holds-back": 1,
        "labels-a-node": 1,
        "own-create": 4,
        "own-patch": 6,
        "own-delete": 3,
        "own-replace": 3,
        "tells": 3,
        "listens": 1,
        "asks-for-more": 1,
        "steps-down": 1,
        "loses-the-leader": 2,
        "retires": 0.5,
        "meddles-with-leases": 0.5,
    }

    def cast(self, dice: Dice) -> RuntimeCast:
        return RuntimeCast(programs=1 + dice.below(3), shared=dice.below(2), elects=int(dice.chance(0.6)))

    def count(self, dice: Dice) -> int:
        return 10 + dice.below(30)

    async def play(self, world: World) -> None:
        asyncio.get_running_loop().set_task_factory(_marked)
        cast = world.script.cast
        if not isinstance(cast, RuntimeCast):
            raise TypeError(f"this is no cast of {self.name}: {cast}")
        history = History()
        leaders = Leaders(world.violates)
        bench = Bench(history, world.violates, leaders, Ears(history, world.violates), bool(cast.shared), bool(cast.elects))

        def follows(revision: Revision) -> None:
            history.see(revision)
            leaders.look()

        world.followers.append(follows)
        users = Users(world, bench)
        await users.begins()
        for number in range(1, cast.programs + 1):
            await world.starts(f"p{number}", lambda life: _lives(bench, life))
        await world.plays(users.deeds)
        await world.quiet(_CALM)
        await _tells_at_rest(bench)
        _judges_rest(world, bench)


AREA: Final = RuntimeArea()


async def _lives(bench: Bench, life: Life) -> None:
    if life.process.name in bench.retired:
        await forever()
    await Part(bench, life).run()


def _marked(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
    """A task that the program knows of in which it was started."""
    task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **options)
    if (tasks := TASKS.get()) is not None:
        tasks.append(task)
    return task


async def _tells_at_rest(bench: Bench) -> None:
    """Now nothing is in the way: what several tell at once must all be counted."""
    for _ in range(3):
        for part in _living(bench):
            bench.ears.emit(part, part.runtime.events, ("quiet", "nothing happens"))
        await asyncio.sleep(_SOON)
    for part in _living(bench):
        bench.ears.hears_losses(part, part.metrics)


def _judges_rest(world: World, bench: Bench) -> None:
    bench.ears.at_rest()
    parts = _living(bench)
    for part in parts:
        part.at_rest()
    _judges_what_derives(world, bench.history)
    if bench.is_shared:
        _judges_shares(world, parts)
    if bench.elects and parts and len(bench.leaders.holding) != 1:
        world.violates("somebody leads at rest", ELECTION, f"{', '.join(bench.leaders.holding) or 'nobody'}")


def _judges_what_derives(world: World, history: History) -> None:
    origins, settings = history.all(ConfigMap), history.all(Setting)
    wanted = {TALLY + group: str(sum(group in group_of(origin) for origin in origins.values())) for group in GROUPS}
    free = set()
    for (_, name), origin in origins.items():
        if is_poisoned(origin):
            free.add(COPY + name)  # nobody can say what it should be
        else:
            wanted[COPY + name] = origin.data.get("value", "")
    found = {name: setting.value for (_, name), setting in settings.items() if name not in free}
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            world.violates("what derives is right at rest", name, f"{found.get(name)} instead of {wanted.get(name)}")


def _judges_shares(world: World, parts: list[Part]) -> None:
    names = {part.name for part in parts}
    for part in parts:
        live: Any = getattr(part.ownership, "live", None)
        if live != names:
            world.violates("who is here is known at rest", part.name, f"knows {sorted(live or ())}, here are {sorted(names)}")
    for number in range(20):
        owners = [part.name for part in parts if part.ownership.owns(Key(NAMESPACE, f"key-{number}"))]
        if len(owners) != 1 and parts:
            world.violates("a key has one owner at rest", f"key-{number}", f"{owners or 'nobody'}")


def _living(bench: Bench) -> list[Part]:
    return [part for _, part in sorted(bench.parts.items())]


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
        self.deeds: dict[str, Deed] = {name: _unless_refused(deed) for name, deed in does.items()}
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
        parts = [part for part in _living(self._bench) if part.client.written]
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


def _unless_refused(deed: Any) -> Deed:
    async def does(_: World, one: int, two: int, three: int) -> None:
        try:
            await deed(one, two, three)
        except (ApiError, Unreachable):
            return  # a person shrugs

    return does


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
