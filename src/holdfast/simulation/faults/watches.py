"""What a watch suffers: it is behind, it says things twice, it breaks in the middle of a line, or its past is forgotten."""

import asyncio
from typing import ClassVar

from holdfast.api.errors import Expired
from holdfast.api.struct import encode
from holdfast.api.wire import Unreachable
from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import Torn, WatchFault


class LateEvents(WatchFault):
    """What happened is heard a moment later, sometimes a long one."""

    name: ClassVar[str] = "late-events"
    rate: ClassVar[float] = 0.3

    async def deliver(self, piece: bytes, dice: Dice) -> bytes:
        await asyncio.sleep(dice.fraction() ** 4 * 15)
        return piece


class EventsTwice(WatchFault):
    """What was told is told again."""

    name: ClassVar[str] = "events-twice"
    rate: ClassVar[float] = 0.05

    async def deliver(self, piece: bytes, dice: Dice) -> bytes:
        return piece + piece


class CutWatch(WatchFault):
    """The connection breaks before this is heard."""

    name: ClassVar[str] = "cut-watch"
    rate: ClassVar[float] = 0.02

    async def deliver(self, piece: bytes, dice: Dice) -> bytes:
        raise Unreachable("the watch was cut")


class TornWatch(WatchFault):
    """The connection breaks in the middle of a line."""

    name: ClassVar[str] = "torn-watch"
    rate: ClassVar[float] = 0.02

    async def deliver(self, piece: bytes, dice: Dice) -> bytes:
        raise Torn(piece[: dice.below(len(piece))])


class ForgottenPast(WatchFault):
    """The server does not remember any more what comes next: 410."""

    name: ClassVar[str] = "gone"
    rate: ClassVar[float] = 0.02

    async def deliver(self, piece: bytes, dice: Dice) -> bytes:
        status = encode(Expired("too old resource version").status())
        raise Torn(b'{"type":"ERROR","object":' + status + b"}\n")
