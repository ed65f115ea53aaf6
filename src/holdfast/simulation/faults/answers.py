"""What becomes of a request on its way: it comes late, it never arrives, it is done and nobody hears of it, or it is refused for now."""

import asyncio
from typing import ClassVar

from holdfast.api.errors import Conflict, ServiceUnavailable
from holdfast.api.struct import encode
from holdfast.api.wire import Answer, Unreachable
from holdfast.kube.unreachable import NotSent
from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import Call, WireFault

_JSON = {"content-type": "application/json"}


class LateRequest(WireFault):
    """The request is under way for a while: the world that its sender saw is an old one when it arrives."""

    name: ClassVar[str] = "late-request"
    rate: ClassVar[float] = 0.2

    def concerns(self, call: Call) -> bool:
        return call.is_write

    async def before(self, call: Call, dice: Dice) -> Answer | None:
        await asyncio.sleep(dice.fraction() ** 4 * 20)
        return None


class LateAnswer(WireFault):
    """The server has acted, and the sender does not know for a while."""

    name: ClassVar[str] = "late-answer"
    rate: ClassVar[float] = 0.1

    async def after(self, call: Call, answer: Answer, dice: Dice) -> Answer:
        await asyncio.sleep(dice.fraction() ** 4 * 20)
        return answer


class LostRequest(WireFault):
    """No connection comes about."""

    name: ClassVar[str] = "lost-request"
    rate: ClassVar[float] = 0.02

    async def before(self, call: Call, dice: Dice) -> Answer | None:
        raise NotSent("connection refused")


class LostAnswer(WireFault):
    """The server has acted, and the connection breaks before anybody hears of it."""

    name: ClassVar[str] = "lost-answer"
    rate: ClassVar[float] = 0.04

    def concerns(self, call: Call) -> bool:
        return call.is_write

    async def after(self, call: Call, answer: Answer, dice: Dice) -> Answer:
        raise Unreachable("the connection broke before the answer came")


class Refused(WireFault):
    """A conflict that nobody made: a server may say so at any time, and nothing was done."""

    name: ClassVar[str] = "conflict"
    rate: ClassVar[float] = 0.03

    def concerns(self, call: Call) -> bool:
        return call.request.method in {"PUT", "PATCH"}

    async def before(self, call: Call, dice: Dice) -> Answer | None:
        return Answer(409, _JSON, encode(Conflict("Operation cannot be fulfilled: the object has been modified").status()))


class Busy(WireFault):
    """The server has too much to do."""

    name: ClassVar[str] = "busy"
    rate: ClassVar[float] = 0.02

    async def before(self, call: Call, dice: Dice) -> Answer | None:
        return Answer(503, _JSON, encode(ServiceUnavailable("the server is currently unable to handle the request").status()))
