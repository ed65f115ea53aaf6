"""Small controllers whose end state anybody can work out: what they make is a function of the ConfigMaps that there are.

- ``Copies`` makes a Setting ``copy-x`` of every ConfigMap ``x`` that has a value.
- ``Derived`` deletes copies whose origin is gone, and keeps in every Setting ``tally-g`` how many ConfigMaps are in the group g.
- ``Clockwork`` writes nothing. It looks at every ConfigMap again after so many seconds as that says, and fails as it says.

Programs see the ConfigMaps of different moments and the Settings of the same: two of them would undo each other's work as fast as
they can. So nobody writes the same again from the same picture before some seconds have passed; he asks to look again then.

All rounds are told to ``Rounds``. A ConfigMap with the word ``poison`` is one over which ``Copies`` always fails.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from holdfast.api.core import ConfigMap
from holdfast.api.longhorn import Setting
from holdfast.api.meta import Object, ObjectMeta
from holdfast.kube.cache import Change
from holdfast.kube.caches import Caches
from holdfast.kube.controller import Controller, Mapper
from holdfast.kube.keys import Key
from holdfast.kube.runtime import Runtime
from holdfast.simulation.dice import Dice
from holdfast.simulation.runtime_hands import Hands
from holdfast.simulation.runtime_rounds import Rounds
from holdfast.simulation.world import NAMESPACE

COPY = "copy-"
TALLY = "tally-"
GROUPS = ("a", "b", "c")
#: In seconds.
_PATIENCE = 2.0


def is_poisoned(origin: ConfigMap) -> bool:
    return "poison" in origin.data


def group_of(obj: Object) -> tuple[str, ...]:
    group = obj.metadata.labels.get("group")
    return (group,) if group else ()


def words_of(origin: ConfigMap) -> Iterable[str]:
    if is_poisoned(origin):
        raise ValueError("poison")
    return origin.data.get("words", "").split()


def what_derives(_caches: Caches, change: Change[ConfigMap]) -> Iterable[Key]:
    """Asked about the old object as well, as if it had gone: a group that is left has one less."""
    origin = change.object
    yield Key(NAMESPACE, COPY + origin.metadata.name)
    for group in group_of(origin):
        yield Key(NAMESPACE, TALLY + group)


def origin_of_the_copy(_caches: Caches, change: Change[Setting]) -> Iterable[Key]:
    if change.object.metadata.name.startswith(COPY):
        yield Key(NAMESPACE, change.object.metadata.name.removeprefix(COPY))


class Job(Controller[Any]):
    """Tells of its rounds."""

    def __init__(self, runtime: Runtime, hands: Hands, rounds: Rounds, dice: Dice) -> None:
        super().__init__(runtime)
        self.hands = hands
        self.rounds = rounds
        self.dice = dice
        self._written: dict[str, tuple[object, float]] = {}

    def undone_at(self, name: str, picture: object) -> float | None:
        """When to look again, because what was written from this picture has just been undone; None: write."""
        clock = self.runtime.process.clock
        seen, when = self._written.get(name, (None, 0.0))
        if seen == picture and clock.monotonic() < when + _PATIENCE:
            return clock.now() + _PATIENCE
        self._written[name] = picture, clock.monotonic()
        return None

    async def reconcile(self, obj: Any) -> float | None:
        return await self._told(obj.metadata.name, obj)

    async def reconcile_gone(self, key: Key) -> None:
        await self._told(key.name, None)

    async def _told(self, name: str, obj: Any) -> float | None:
        self.rounds.begins(name)
        clock = self.runtime.process.clock
        try:
            look = None if obj is None else await self.work(obj)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                self.rounds.breaks_off(name)
            else:
                self.rounds.fails(name)
            raise
        except BaseException:
            self.rounds.fails(name)
            raise
        self.rounds.ends_well(name, None if look is None else look - clock.now())
        return look

    async def work(self, obj: Any) -> float | None:
        raise NotImplementedError


class Copies(Job):
    kind: ClassVar[type[Object]] = ConfigMap
    reacts_to: ClassVar[Mapping[type[Object], Mapper]] = {Setting: origin_of_the_copy}
    workers: ClassVar[int] = 2

    async def work(self, obj: ConfigMap) -> float | None:
        if is_poisoned(obj):
            raise ValueError("poison")
        name, value = COPY + obj.metadata.name, obj.data.get("value", "")
        copy = self.runtime.caches.of(Setting).get(name)
        if copy is not None and copy.value == value:
            return None
        again = self.undone_at(name, obj.metadata.resource_version)
        if again is None and copy is None:
            await self.hands.create(Setting(metadata=ObjectMeta(name=name, namespace=NAMESPACE), value=value))
        elif again is None and copy is not None:
            await self.hands.change(copy, replace(copy, value=value))
        return again


class Derived(Job):
    kind: ClassVar[type[Object]] = Setting
    reacts_to: ClassVar[Mapping[type[Object], Mapper]] = {ConfigMap: what_derives}
    workers: ClassVar[int] = 2

    async def work(self, obj: Setting) -> float | None:
        name, origins = obj.metadata.name, self.runtime.caches.of(ConfigMap)
        picture = tuple(sorted((origin.metadata.uid, origin.metadata.resource_version) for origin in origins.all()))
        if name.startswith(COPY):
            if origins.get(name.removeprefix(COPY)) is not None:
                return None
            again = self.undone_at(name, picture)
            if again is None:
                await self.hands.delete(obj, guarded=True)
            return again
        count = str(len(origins.by("group", name.removeprefix(TALLY))))
        if obj.value == count:
            return None
        again = self.undone_at(name, picture)
        if again is None:
            await self.hands.change(obj, replace(obj, value=count))
        return again


class Clockwork(Job):
    kind: ClassVar[type[Object]] = ConfigMap
    workers: ClassVar[int] = 2

    async def work(self, obj: ConfigMap) -> float | None:
        await asyncio.sleep(self.dice.fraction() * 0.05)
        if self.dice.fraction() * 100 < float(obj.data.get("fails", "0")):
            if self.dice.chance(0.5):
                raise RuntimeError("a mistake")
            await _cancelled()
        every = obj.data.get("every")
        return None if every is None else self.runtime.process.clock.now() + float(every)


async def _cancelled() -> None:
    """Wait for something that somebody else has called off."""
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    never.cancel()
    await never
