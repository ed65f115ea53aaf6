"""One program of the area ``runtime``, in one life: a runtime with its controllers, a part in an election, and witnesses of both."""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from msgspec import Struct

from holdfast.api.core import ConfigMap, Lease, Node
from holdfast.api.errors import ApiError
from holdfast.api.longhorn import Setting
from holdfast.api.meta import Object
from holdfast.api.wire import Unreachable
from holdfast.kube.cache import Cache, Change
from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.kube.election import LeaderElection, Leadership, Terms
from holdfast.kube.keys import Key
from holdfast.kube.ownership import Ownership, SharedOwnership
from holdfast.kube.runtime import Runtime
from holdfast.process import Tasks
from holdfast.simulation.programs import Life
from holdfast.simulation.runtime_calls import TASKS, Calls, Counted
from holdfast.simulation.runtime_hands import Hands
from holdfast.simulation.runtime_history import History, Violates
from holdfast.simulation.runtime_jobs import COPY, TALLY, Clockwork, Copies, Derived, Job, group_of, words_of
from holdfast.simulation.runtime_leaders import Leaders
from holdfast.simulation.runtime_mirror import Mirror, ValuesOf
from holdfast.simulation.runtime_rounds import Rounds
from holdfast.simulation.runtime_told import Ears, Overheard
from holdfast.simulation.world import NAMESPACE

ELECTION: Final = "the-leader"
#: Short, so that much happens in a simulated minute; and with little between the second and the third, so that little may go wrong.
TERMS: Final = Terms(retry_period=1.0, renew_deadline=5.7, duration=6.0)
#: A leader looks around so often, in seconds.
_LOOK: Final = 0.5
#: What is known from the start; another one comes late.
KINDS: Final[tuple[type[Object], ...]] = (ConfigMap, Setting, Node)


class Bench(Struct):
    """What all programs of a world share: the witnesses, and who is here now."""

    history: History
    violates: Violates
    leaders: Leaders
    ears: Ears
    is_shared: bool
    """Keys are shared out among the programs."""
    elects: bool
    parts: dict[str, "Part"] = {}
    retired: set[str] = set()
    """Who comes back no more."""


class Part:
    """One life. ``caches`` are those that are watched, each with its mirror, in the order of their making."""

    def __init__(self, bench: Bench, life: Life) -> None:
        self.name = life.process.name
        self.bench = bench
        self.life = life
        way = Counted(life.wire, Calls(self.name, bench.violates), is_small=life.dice.of("small").chance(0.5))
        self.client = Client(way, life.process)
        self.metrics = Overheard()
        self.runtime = Runtime(
            self.client,
            life.process,
            namespace=NAMESPACE,
            metrics=self.metrics,
            ownership=self._ownership if bench.is_shared else None,
            after_sync=self._works,
        )
        self.hands = Hands(self.name, self.client, self.caches_of, bench.history, bench.violates)
        self.caches: list[tuple[type[Object], Cache[Any], Mirror]] = []
        self.jobs: list[Job] = []
        self.election: LeaderElection | None = None
        self.tasks: Tasks | None = None
        self._begin()

    @property
    def ownership(self) -> Ownership:
        return self.runtime.ownership

    # ---- before it runs ------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        kinds: tuple[type[Object], ...] = (*KINDS, Lease) if self.bench.is_shared else KINDS
        for type_ in kinds:
            self.mirrors(type_, NAMESPACE)
        self.files(ConfigMap, "group", group_of)
        self.files(ConfigMap, "words", words_of)
        for job, is_prompt in ((Copies, False), (Derived, False), (Clockwork, True)):
            rounds = Rounds(f"{self.name} {job.__name__}", self.bench.violates, is_prompt=is_prompt)
            self.jobs.append(job(self.runtime, self.hands, rounds, self.life.dice.of(job.__name__)))
        self.runtime.caches.on_change(ConfigMap, self._origin_changed)
        self.runtime.caches.on_change(Setting, self._setting_changed)
        self.ownership.on_change(self._shared_anew)

    def _ownership(self, caches: Caches) -> Ownership:
        return SharedOwnership(self.client, self.life.process, caches, namespace=NAMESPACE)

    def caches_of(self, type_: type[Object]) -> Sequence[Cache[Any]]:
        return [cache for kind, cache, _ in self.caches if kind is type_]

    def mirrors(self, type_: type[Object], scope: str) -> None:
        """Ask for a cache, and have it watched."""
        cache = self.runtime.caches.of(type_, scope)
        mirror = Mirror(f"{self.name} {scope or 'everywhere'}", cache, self.bench.history, self.bench.violates)
        for known, _, other in self.caches:
            if known is type_ and other.indexes and not scope:
                for name in other.indexes:
                    cache.index(name, other.indexes[name])
                    mirror.indexes[name] = other.indexes[name]
        cache.on_change(mirror.hears)
        self.caches.append((type_, cache, mirror))

    def listens(self, type_: type[Object], *, fails: bool) -> Callable[[], None]:
        """A handler that comes late: it hears first of all that exists. The result ends it. One that fails must hurt nobody else."""
        cache = self.runtime.caches.of(type_)
        mirror = Mirror(f"{self.name} late", cache, self.bench.history, self.bench.violates)
        return self.runtime.caches.on_change(type_, _fails if fails else mirror.hears)

    def files(self, type_: type[Object], name: str, values_of: ValuesOf) -> None:
        """Have the cache of the namespace keep another index."""
        self.runtime.caches.index(type_, name, values_of)
        next(mirror for kind, _, mirror in self.caches if kind is type_).indexes[name] = values_of

    # ---- what wakes the jobs, once more --------------------------------------------------------------------------------------

    def _origin_changed(self, change: Change[ConfigMap]) -> None:
        copies, derived, clockwork = (job.rounds for job in self.jobs)
        name = change.object.metadata.name
        copies.woken(name)
        clockwork.woken(name)
        groups = dict.fromkeys(group for obj in (change.old, change.new) if obj is not None for group in group_of(obj))
        derived.woken(COPY + name, *(TALLY + group for group in groups))

    def _setting_changed(self, change: Change[Setting]) -> None:
        copies, derived, _ = (job.rounds for job in self.jobs)
        name = change.object.metadata.name
        derived.woken(name)
        if name.startswith(COPY):
            copies.woken(name.removeprefix(COPY))

    def _works(self) -> None:
        for job in self.jobs:
            job.rounds.works()

    def _shared_anew(self) -> None:
        for job in self.jobs:
            job.rounds.shared_anew(obj.metadata.name for obj in self.runtime.caches.of(job.kind).all())

    # ---- while it runs -------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        bench, started = self.bench, list[Any]()
        TASKS.set(started)
        bench.parts[self.name] = self
        try:
            async with Tasks() as tasks:
                self.tasks = tasks
                if bench.elects:
                    tasks.spawn(self._takes_part(), name="election")
                await self.runtime.run(self.jobs)
        finally:
            bench.ears.hears_losses(self, self.metrics)
            bench.ears.ends(self)
            del bench.parts[self.name]
            left = sorted(task.get_name() for task in started if not task.done())
            if left:
                bench.violates("the end of a program is the end of its tasks", self.name, ", ".join(left))
            if self.client.written or self.client.deleted:
                bench.violates("the end of a program is the end of its tasks", self.name, "its caches still listen")

    def does(self, work: Any, name: str) -> None:
        """Something that this program does of itself, as long as it lives."""
        if self.tasks is None:
            work.close()
        else:
            self.tasks.spawn(_unless_refused(work), name=name)

    async def _takes_part(self) -> None:
        while True:
            self.election = LeaderElection(self.client, self.life.process, namespace=NAMESPACE, name=ELECTION, terms=TERMS)
            await self.election.run(self._leads)
            await asyncio.sleep(1.0)

    async def _leads(self, leadership: Leadership) -> None:
        leaders = self.bench.leaders
        leaders.begins(self.name, leadership)
        try:
            while True:
                await asyncio.sleep(_LOOK)
                leaders.look()
        finally:
            leaders.ends(self.name)

    # ---- what must have come of it -------------------------------------------------------------------------------------------

    def at_rest(self) -> None:
        for type_, cache, mirror in self.caches:
            if not cache.synced:
                self.bench.violates("at rest a cache is the store", f"{self.name}: {type_.__name__}", "it was never full")
            mirror.at_rest(type_)
        for job in self.jobs:
            job.rounds.at_rest(lambda name, job=job: self._sees_to(job, name))  # type: ignore[misc]  # the loop's own job

    def _sees_to(self, job: Job, name: Hashable) -> bool:
        """Of what is gone, nobody knows after keys were shared out anew."""
        key = Key(NAMESPACE, str(name))
        exists = self.runtime.caches.of(job.kind).get(key.name) is not None
        return self.ownership.owns(key) and (exists or not self.bench.is_shared)


def _fails(_: Change[Any]) -> None:
    raise RuntimeError("a mistake of a handler")


async def _unless_refused(work: Any) -> None:
    try:
        await work
    except (ApiError, Unreachable):
        return  # it shrugs


def living(bench: Bench) -> list[Part]:
    """Who is here, in the order of the names."""
    return [part for _, part in sorted(bench.parts.items())]
