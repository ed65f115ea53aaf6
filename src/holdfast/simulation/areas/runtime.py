"""The client runtime: caches, queues, elections, shares of work and events of some programs, under all that may go wrong.

Whatever happens, a cache never goes back, a program reads what it wrote, no change is forgotten, nobody leads beside another; and
when the world is quiet, every cache is the store and everything that is derived is right.
"""

import asyncio
from typing import Any, ClassVar, Final

from holdfast.api.core import ConfigMap
from holdfast.api.longhorn import Setting
from holdfast.kube.keys import Key
from holdfast.simulation.dice import Dice
from holdfast.simulation.programs import Life
from holdfast.simulation.record import Revision
from holdfast.simulation.runtime_calls import TASKS
from holdfast.simulation.runtime_history import History
from holdfast.simulation.runtime_jobs import COPY, GROUPS, TALLY, group_of, is_poisoned
from holdfast.simulation.runtime_leaders import Leaders
from holdfast.simulation.runtime_program import ELECTION, Bench, Part, living
from holdfast.simulation.runtime_told import Ears
from holdfast.simulation.runtime_users import Users
from holdfast.simulation.script import Cast
from holdfast.simulation.world import NAMESPACE, World, forever

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
    stirs: ClassVar[bool] = False
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
        for part in living(bench):
            bench.ears.emit(part, part.runtime.events, ("quiet", "nothing happens"))
        await asyncio.sleep(_SOON)
    for part in living(bench):
        bench.ears.hears_losses(part, part.metrics)


def _judges_rest(world: World, bench: Bench) -> None:
    bench.ears.at_rest()
    parts = living(bench)
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
