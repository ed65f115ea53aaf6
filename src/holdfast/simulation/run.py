"""Runs a script, or all that one seed says, and tells what came of it."""

import asyncio
import importlib
import logging
import pkgutil
from functools import cache
from typing import ClassVar, Protocol

from msgspec import Struct

from holdfast.api.core import Namespace
from holdfast.api.meta import ObjectMeta
from holdfast.embedded.journal import Loaded
from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.kube.client import Client
from holdfast.plane.definitions import apply_missing
from holdfast.process import Process, Tasks
from holdfast.simulation.checker import Violation
from holdfast.simulation.clocks import DriftingClock
from holdfast.simulation.dice import Dice
from holdfast.simulation.loop import Deadlock, Livelock, VirtualLoop
from holdfast.simulation.profiles import factors_of
from holdfast.simulation.script import Cast, Script, draw_steps
from holdfast.simulation.trace import Trace
from holdfast.simulation.world import NAMESPACE, World

#: Of a profile, by seed.
_INTENSITIES = (0.0, 0.3, 1.0, 1.0)


class Area(Protocol):
    """What is simulated. A module in ``areas/`` has one, called ``AREA``."""

    name: ClassVar[str]
    deeds: ClassVar[dict[str, float]]
    """What users do, by weight; each names a method that is given the world and three numbers."""
    seconds: ClassVar[float]
    stirs: ClassVar[bool]
    """Whether users may do one thing more when all is at rest."""

    def cast(self, dice: Dice) -> Cast: ...

    def count(self, dice: Dice) -> int:
        """How many deeds."""
        ...

    async def play(self, world: World) -> None:
        """Bring everybody on, play the script, wait for quiet, and check what only this area knows."""
        ...


class Outcome(Struct, frozen=True):
    """What came of a run."""

    script: Script
    violations: tuple[Violation, ...]
    requests: int
    revisions: int
    seconds: float
    """Of the world's own time."""
    lines: tuple[str, ...]

    @property
    def is_good(self) -> bool:
        return not self.violations


@cache
def areas() -> dict[str, Area]:
    folder = importlib.import_module("holdfast.simulation.areas")
    names = sorted(found.name for found in pkgutil.iter_modules(folder.__path__))
    found: list[Area] = [importlib.import_module(f"{folder.__name__}.{name}").AREA for name in names]
    return {area.name: area for area in found}


def script_of(area: str, seed: int, profile: str = "usual") -> Script:
    """The run that a seed stands for."""
    found, dice = areas()[area], Dice(seed, area, profile)
    cast, intensity = found.cast(dice.of("cast")), dice.of("intensity").pick(_INTENSITIES)
    steps = draw_steps(
        dice.of("steps"),
        found.deeds,
        cast,
        factors_of(profile, intensity),
        count=found.count(dice.of("count")),
        seconds=found.seconds,
        late=found.stirs and dice.of("late").chance(0.5),
    )
    return Script(area=area, seed=seed, profile=profile, cast=cast, steps=steps, seconds=found.seconds, intensity=intensity)


def run(script: Script, *, keeps: bool = False) -> Outcome:
    """Play a script from beginning to end; ``keeps`` keeps the trace."""
    trace, kept = Trace(keeps=keeps), foundation()
    found: list[Violation] = []
    worlds: list[World] = []
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # what goes wrong here is told by the trace
    try:
        with asyncio.Runner(loop_factory=lambda: VirtualLoop(Dice(script.seed, "order"))) as runner:
            runner.run(_play(script, kept, trace, worlds))
    except (Deadlock, Livelock) as stuck:
        found.append(Violation("a world that goes on", 0, type(stuck).__name__, str(stuck)))
    except Exception as failure:  # noqa: BLE001 - whatever ends a world early is what was looked for
        found.append(Violation("a world that goes on", 0, "the world", f"it ended with {failure!r}"))
    finally:
        logging.disable(level)
    if not worlds:
        raise RuntimeError(f"seed {script.seed} of {script.area} made no world: {found}")
    world = worlds[-1]
    return Outcome(
        script=script,
        violations=(*world.violations, *found),
        requests=world.api.served,
        revisions=world.revision - kept.revision,
        seconds=world.seconds,
        lines=tuple(trace.lines),
    )


async def _play(script: Script, kept: Loaded, trace: Trace, worlds: list[World]) -> None:
    async with Tasks() as tasks:
        world = World(script, factors_of(script.profile, script.intensity), kept, trace, tasks)
        worlds.append(world)
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: world.violates("no failure is lost", context["message"], repr(context.get("exception")))
        )
        await world.api.start()
        await areas()[script.area].play(world)


@cache
def foundation() -> Loaded:
    """What every world begins with: the namespace and the definitions of our kinds."""

    async def lay() -> Loaded:
        journal = MemoryJournal()
        process = Process("foundation", DriftingClock(), Dice(0).randomness)
        server = await Server.open(process, journal)
        async with Tasks() as tasks:
            tasks.spawn(server.run(), name="api")
            client = Client(server.transport(), process)
            await client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
            await apply_missing(client)
        await server.close()
        return await journal.load()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(lay())
