"""What can go wrong, and how to add to it.

A fault is one short file in ``faults/``: a class of one of the two sorts below. It is found there by itself, drawn by its ``rate``
times the factor that the profile gives it, and can be switched off by its name, which is what shrinking does.

- A ``WireFault`` befalls one call of one program: before the server sees it, after it acted, or on the way of a watch.
- A ``Happening`` befalls the world at a moment that was drawn before the run. What it does is undone by ``world.lasts`` after a
  while, at the latest when the world is to be quiet.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from msgspec import Struct

from holdfast.api.wire import Answer, Request
from holdfast.simulation.dice import Dice

if TYPE_CHECKING:
    from holdfast.simulation.world import World

T = TypeVar("T")
Args = tuple[int, ...]


class Call(Struct, frozen=True):
    """One request of one program."""

    program: str
    request: Request

    @property
    def is_write(self) -> bool:
        return self.request.method != "GET"


class WireFault:
    """Befalls calls. One object serves all programs, so it keeps nothing of its own."""

    name: ClassVar[str]
    rate: ClassVar[float]
    """How likely it is, for each call that it ``concerns``."""

    def concerns(self, call: Call) -> bool:
        """Whether it can befall this call at all."""
        return True

    async def before(self, call: Call, dice: Dice) -> Answer | None:
        """Before the server sees the call. May wait, raise ``Unreachable``, or answer in its place."""

    async def after(self, call: Call, answer: Answer, dice: Dice) -> Answer:
        """When the server has acted, and before the program hears of it. May wait, raise ``Unreachable``, or change the answer."""
        return answer


class WatchFault:
    """Befalls what a watch tells."""

    name: ClassVar[str]
    rate: ClassVar[float]
    """How likely it is, for each piece that a watch delivers."""

    async def deliver(self, piece: bytes, dice: Dice) -> bytes:
        """The piece as the program gets it. May wait; raises ``Unreachable`` to cut the watch, ``Torn`` to deliver half of it first."""
        raise NotImplementedError


class Torn(Exception):
    """The connection broke in the middle of a piece: ``arrived`` is what came through."""

    def __init__(self, arrived: bytes) -> None:
        super().__init__("torn")
        self.arrived = arrived


class Happening:
    """Befalls the world."""

    name: ClassVar[str]
    rate: ClassVar[float]
    """How often a minute of virtual time."""
    needs: ClassVar[str] = ""
    """What the cast must have for this to make sense: ``nodes``, ``managers``, ...; empty for nothing."""

    def draw(self, dice: Dice) -> Args:
        """Numbers that say to whom it happens, and how long. They are taken modulo what there is, so that a smaller cast takes them too."""
        return (dice.below(1000), 1 + dice.below(30))

    async def happen(self, world: "World", *args: int) -> None:
        raise NotImplementedError


@cache
def wire_faults() -> tuple[WireFault, ...]:
    return tuple(found() for found in _classes(WireFault))


@cache
def watch_faults() -> tuple[WatchFault, ...]:
    return tuple(found() for found in _classes(WatchFault))


@cache
def names_on_the_wire() -> frozenset[str]:
    """The faults that can be switched off in a run; a happening is a step of it."""
    return frozenset(fault.name for fault in wire_faults()) | frozenset(fault.name for fault in watch_faults())


@cache
def happenings() -> dict[str, Happening]:
    return {found.name: found() for found in _classes(Happening)}


def _classes(sort: type[T]) -> Iterator[type[T]]:
    """All classes of a sort in ``faults/``, in the order of their files and names."""
    for module in _modules():
        for _, found in sorted(vars(module).items()):
            if isinstance(found, type) and issubclass(found, sort) and found.__module__ == module.__name__:
                yield found


@cache
def _modules() -> tuple[ModuleType, ...]:
    folder: Any = importlib.import_module("holdfast.simulation.faults")
    return tuple(
        importlib.import_module(f"{folder.__name__}.{name}")
        for name in sorted(found.name for found in pkgutil.iter_modules(folder.__path__))
    )
