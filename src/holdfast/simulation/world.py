"""One simulated world: an API, the programs around it, what goes wrong, and somebody who looks at every revision."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, NoReturn

import msgspec

from holdfast.api.wire import Transport
from holdfast.embedded.journal import Loaded
from holdfast.process import Process, Tasks
from holdfast.simulation.api import Api
from holdfast.simulation.checker import Checker, Violation
from holdfast.simulation.clocks import DriftingClock
from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import Happening, happenings
from holdfast.simulation.in_words import in_words
from holdfast.simulation.journal import VirtualJournal
from holdfast.simulation.programs import Body, Life, Program
from holdfast.simulation.record import Revision
from holdfast.simulation.script import Script, Step
from holdfast.simulation.trace import Trace
from holdfast.simulation.weather import Weather
from holdfast.simulation.wire import Doom, Wire

if TYPE_CHECKING:
    from holdfast.agent.simulated import SimulatedDriver

NAMESPACE: Final = "longhorn-system"
#: What is written all the time, by everybody who lives.
_PULSE: Final = "coordination.k8s.io/v1/Lease"
#: Nothing written for so long is rest, in seconds: longer than the longest pause before somebody tries again.
CALM: Final = 75.0
#: So many changes of one object within a second are a quarrel. What a few people do to it in a simulated minute is far less.
_HOT: Final = 40
#: How long a world may take to come to rest.
_PATIENCE: Final = 1800.0

Deed = Callable[["World", int, int, int], Awaitable[None]]
Undo = Callable[[], None]


class World:
    """What an area plays in."""

    def __init__(self, script: Script, factors: dict[str, float], kept: Loaded, trace: Trace, tasks: Tasks) -> None:
        self.script = script
        self.dice = Dice(script.seed)
        self.trace = trace
        self.checker = Checker()
        self.violations: list[Violation] = []
        self.programs: dict[str, Program] = {}
        #: The simulated nodes with their disks, by name, where an area has any.
        self.machines: dict[str, SimulatedDriver] = {}
        self.weather = Weather(factors, script.without)
        journal = VirtualJournal(self.dice.of("journal"), revision=kept.revision, objects=kept.objects)
        server = Process("api", DriftingClock(), self.dice.of("api").randomness)
        self.api = Api(server, journal, tasks, self._committed)
        #: Told of every revision, after the checker.
        self.followers: list[Callable[[Revision], None]] = []
        self.revision = kept.revision
        self._tasks = tasks
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._lasting: dict[int, tuple[asyncio.TimerHandle, Undo]] = {}
        self._recent: dict[str, deque[float]] = {}
        self._writes: list[tuple[float, str]] = [(_now(), "nothing yet")]
        for entry in sorted(kept.objects, key=lambda entry: entry.revision):
            obj = msgspec.json.decode(entry.data)
            self.checker.see(Revision(revision=entry.revision, type="ADDED", object=obj))

    @property
    def seconds(self) -> float:
        """How long it has been going on, by its own time."""
        return self._loop.time() - self._began

    # ---- who takes part ---------------------------------------------------------------------------------------------------

    async def starts(self, name: str, body: Body) -> Program:
        """A new program, on a machine whose clock is a little off."""
        dice = self.dice.of("clock", name)
        program = Program(name, body, DriftingClock(offset=dice.between(-5, 5), rate=dice.between(0.995, 1.005)))
        self.programs[name] = program
        self.runs(program)
        return program

    def runs(self, program: Program) -> None:
        """Start it, if it does not run."""
        if program.is_running:
            return
        program.lives += 1
        dice = self.dice.of("program", program.name, program.lives)
        wire = Wire(program.name, self.api, self.weather, dice.of("wire"), self.trace)
        process = Process(program.name, program.clock, dice.of("process").randomness)
        process.at_death(wire.kill)
        wire.on_doom = lambda: self.later(self.crashes(program.name), name=f"end of {program.name}")
        life = Life(process, wire, dice)
        self.trace.say(program.name, "starts")
        program.begin(life, self._tasks.spawn(self._live(program, life), name=program.name))

    async def _live(self, program: Program, life: Life) -> None:
        try:
            await program.body(life)
        except Exception as failure:  # noqa: BLE001 - whatever it is, a program of ours must not end by it
            if not life.process.is_dead:
                self.violates("a program goes on", program.name, f"it ended with {failure!r}")

    async def crashes(self, name: str) -> None:
        program = self.programs[name]
        if program.is_running:
            self.trace.say(name, "dies")
            await program.die()
            if self.weather.is_calm:
                self.runs(program)  # its end was on its way when all that was wrong ended

    def dooms(self, name: str, doom: Doom) -> None:
        """Let it die within the next of its requests."""
        life = self.programs[name].life
        if life is not None:
            life.wire.doom = doom

    def transport(self, name: str) -> Transport:
        """A way to the API on which nothing goes wrong, for those who only look."""
        return Wire(name, self.api, Weather({"*": 0.0}), self.dice.of("looks", name), Trace(keeps=False))

    # ---- what happens -----------------------------------------------------------------------------------------------------

    def later(self, work: Any, *, name: str) -> None:
        """Something that goes on beside what happens next."""
        self._tasks.spawn(work, name=name)

    def lasts(self, seconds: float, undo: Undo) -> None:
        """What was just done is undone after a while, at the latest when the world is to be quiet."""
        number = len(self._lasting) + 1 + max(self._lasting, default=0)

        def end() -> None:
            if self._lasting.pop(number, None):
                undo()

        self._lasting[number] = asyncio.get_running_loop().call_later(seconds, end), undo

    async def plays(self, deeds: dict[str, Deed]) -> None:
        """Everything in the script, each at its time."""
        began = _now()
        for step in self.script.steps:
            if step.at > self.script.seconds:
                break
            await asyncio.sleep(max(0.0, began + step.at - _now()))
            self._happens(step, deeds)
        await asyncio.sleep(max(0.0, began + self.script.seconds - _now()))  # what came last has its effect, too

    def _happens(self, step: Step, deeds: dict[str, Deed]) -> None:
        happening = happenings().get(step.what)
        self.trace.say("script", f"{step.what} {' '.join(map(str, step.args))}")
        if happening is not None:
            self.later(self._befalls(happening, step), name=step.what)
        else:
            self.later(self._does(deeds[step.what], step), name=step.what)

    async def _befalls(self, happening: Happening, step: Step) -> None:
        if not self.weather.is_calm:
            await happening.happen(self, *step.args)

    async def _does(self, deed: Deed, step: Step) -> None:
        await deed(self, *step.args)

    async def is_stirred(self, deeds: dict[str, Deed]) -> None:
        """What comes late comes into a world at rest, one thing at a time."""
        for step in self.script.steps:
            if step.at > self.script.seconds and step.what in deeds:
                self.trace.say("script", f"{step.what} {' '.join(map(str, step.args))}")
                await self._does(deeds[step.what], step)
                await self.quiet()

    async def quiet(self, calm: float = CALM) -> None:
        """End all that is wrong, bring everybody back, and wait until nothing is written for so long."""
        self.trace.say("script", "all that was wrong ends")
        self.weather.clear()
        self.api.journal.failure_rate = 0.0
        for timer, undo in tuple(self._lasting.values()):
            timer.cancel()
            undo()
        self._lasting.clear()
        await self.api.start()
        for program in self.programs.values():
            if program.life is not None:
                program.life.wire.doom = None
            self.runs(program)
        began = _now()
        while (rest := self._writes[-1][0] + calm - _now()) > 0 or _now() < began + calm:
            if _now() - began > _PATIENCE:
                last = ", ".join(sorted({what for when, what in self._writes if when > _now() - calm}))
                self.violates("comes to rest", "the world", f"after {_PATIENCE:.0f} s with nothing wrong there are still writes: {last}")
                return
            await asyncio.sleep(max(rest, 1.0))
        for violation in self.checker.at_rest():
            self._found(violation)

    # ---- what is seen -----------------------------------------------------------------------------------------------------

    def _committed(self, told: dict[str, Any]) -> None:
        revision = msgspec.convert(told, Revision)
        self.revision = revision.revision
        if revision.kind != _PULSE:
            self._notes_write(f"{revision.key[0].rpartition('/')[2]} {revision.key[2]}")
        if self.trace.keeps and not (self.weather.is_calm and revision.kind == _PULSE):
            self.trace.say("api", in_words(revision))
        for violation in self.checker.see(revision):
            self._found(violation)
        for follower in self.followers:
            follower(revision)

    def _notes_write(self, what: str) -> None:
        now = _now()
        self._writes.append((now, what))
        recent = self._recent.setdefault(what, deque(maxlen=_HOT))
        if len(recent) == _HOT and now - recent[0] < 1.0:
            self.violates("nobody writes in a circle", what, f"{_HOT} changes within {now - recent[0]:.3f} s")
            recent.clear()
        recent.append(now)

    def violates(self, promise: str, subject: str, numbers: str) -> None:
        self._found(Violation(promise, self.revision, subject, numbers))

    def _found(self, violation: Violation) -> None:
        self.trace.say("BROKEN", str(violation))
        self.violations.append(violation)


async def forever() -> NoReturn:
    await asyncio.get_running_loop().create_future()
    raise AssertionError


def _now() -> float:
    return asyncio.get_running_loop().time()
