"""A program's way to the API, on which things go wrong.

Each fault draws from a stream of its own for each life of each program: one that is switched off leaves the draws of all others as
they were. After the death of the program nothing leaves through its wire any more.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import NoReturn

import msgspec
from msgspec import Struct

from holdfast.api.errors import Status
from holdfast.api.wire import Answer, Request, Stream, Unreachable
from holdfast.kube.unreachable import Silenced
from holdfast.simulation.api import Api
from holdfast.simulation.dice import Dice
from holdfast.simulation.fault import Call, Torn, WatchFault, WireFault, watch_faults, wire_faults
from holdfast.simulation.trace import Trace
from holdfast.simulation.weather import Weather


class Doom(Struct):
    """The end of a life, so many requests from now: before the server has the last one, or after it acted and before anybody heard."""

    after: int
    acts: bool


class Wire:
    """An ``api.wire.Transport`` for one life of one program."""

    def __init__(self, program: str, api: Api, weather: Weather, dice: Dice, trace: Trace) -> None:
        self.program = program
        self._api = api
        self._weather = weather
        self._trace = trace
        self._faults: tuple[tuple[WireFault, float, Dice], ...] = tuple(
            (fault, weather.rate(fault), dice.of(fault.name)) for fault in wire_faults() if weather.rate(fault)
        )
        self._watch_faults = tuple((fault, weather.rate(fault), dice.of(fault.name)) for fault in watch_faults() if weather.rate(fault))
        self.is_dead = False
        #: When set, the request after so many others is this life's last one; ``on_doom`` is told.
        self.doom: Doom | None = None
        self.on_doom: Callable[[], None] = lambda: None

    async def send(self, request: Request) -> Answer:
        call = Call(self.program, request)
        struck = self._strikes(call)
        try:
            return await self._sent(call, struck)
        except Unreachable as failure:
            if self._trace.keeps and not self.is_dead:
                self._trace.say(self.program, f"{told(request)} -> no answer: {failure}")
            raise

    async def _sent(self, call: Call, struck: list[tuple[WireFault, Dice]]) -> Answer:
        is_last = self._is_last()
        if is_last and not is_last.acts:
            await self._end()
        for fault, dice in struck:
            answered = await fault.before(call, dice)
            self._check()
            if answered is not None:
                return self._heard(call, answered, fault.name)
        answer = await self._api.send(call.request)
        self._check()
        if is_last:
            await self._end()
        for fault, dice in struck:
            answer = await fault.after(call, answer, dice)
            self._check()
        return self._heard(call, answer)

    async def open(self, request: Request) -> Answer | Stream:
        try:
            found = await self._opened(Call(self.program, request))
        except Unreachable as failure:
            if self._trace.keeps and not self.is_dead:
                self._trace.say(self.program, f"{told(request)} -> no answer: {failure}")
            raise
        if not isinstance(found, Answer) and self._trace.keeps:
            self._trace.say(self.program, f"{told(request)} -> watches")
        return found

    async def _opened(self, call: Call) -> Answer | Stream:
        for fault, dice in self._strikes(call):
            answer = await fault.before(call, dice)
            self._check()
            if answer is not None:
                return self._heard(call, answer, fault.name)
        found = await self._api.open(call.request)
        self._check()
        if isinstance(found, Answer):
            return self._heard(call, found)
        return _Piecemeal(self, found, call.request.path.rstrip("/").rpartition("/")[2])

    async def close(self) -> None:
        self.kill()

    def kill(self) -> None:
        self.is_dead = True

    def _is_last(self) -> "Doom | None":
        if self.doom is None:
            return None
        self.doom.after -= 1
        return self.doom if self.doom.after < 0 else None

    async def _end(self) -> NoReturn:
        """This life ends here: nobody goes on from this line."""
        self.on_doom()
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    def _strikes(self, call: Call) -> list[tuple[WireFault, Dice]]:
        self._check()
        if self._weather.is_cut_off(self.program):
            raise Unreachable("no route to the server")
        if self._weather.is_calm:
            return []
        return [(fault, dice) for fault, rate, dice in self._faults if fault.concerns(call) and dice.chance(rate)]

    def watch_strikes(self) -> list[tuple[WatchFault, Dice]]:
        self._check()
        if self._weather.is_cut_off(self.program):
            raise Unreachable("no route to the server")
        if self._weather.is_calm:
            return []
        return [(fault, dice) for fault, rate, dice in self._watch_faults if dice.chance(rate)]

    async def heard(self, plural: str) -> None:
        """When this program hears what its watch of a kind was told now."""
        await self._weather.heard(self.program, plural)

    def _check(self) -> None:
        if self.is_dead:
            raise Silenced("this program is dead")

    def _heard(self, call: Call, answer: Answer, because: str = "") -> Answer:
        if self._trace.keeps and not (self._weather.is_calm and _is_pulse(call.request, answer)):
            why = f" ({because})" if because else ""
            self._trace.say(self.program, f"{told(call.request)} -> {outcome(answer)}{why}")
        return answer


class _Piecemeal:
    """A watch, as this program hears it."""

    def __init__(self, wire: Wire, stream: Stream, plural: str) -> None:
        self._wire = wire
        self._plural = plural
        self._stream = stream
        self._pieces = aiter(stream)
        self._is_torn = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._is_torn:
            raise Unreachable("the watch was cut")
        piece = await anext(self._pieces)
        for fault, dice in self._wire.watch_strikes():
            try:
                piece = await fault.deliver(piece, dice)
            except Torn as torn:
                self._is_torn = True
                return torn.arrived
        await self._wire.heard(self._plural)
        return piece

    async def close(self) -> None:
        await self._stream.close()


def _is_pulse(request: Request, answer: Answer) -> bool:
    """What goes on for ever when nothing happens: to read, and to renew a Lease."""
    return answer.status < 400 and (request.method == "GET" or "/leases/" in request.path)


def told(request: Request) -> str:
    """A request in a few words: what is done to what, and on which version."""
    asked = dict(request.query)
    verb = "WATCH" if "watch" in asked else request.method
    words = f"{verb} {_short(request.path)}"
    if asked.get("resourceVersion"):
        words += f" since {asked['resourceVersion']}"
    if not request.body:
        return words
    try:
        body = msgspec.json.decode(request.body)
    except msgspec.MsgspecError:
        return f"{words} with {len(request.body)} bytes"
    if isinstance(body, dict):
        version = (body.get("metadata") or {}).get("resourceVersion") or (body.get("preconditions") or {}).get("resourceVersion")
        if version:
            words += f" on version {version}"
    return words


def outcome(answer: Answer) -> str:
    """An answer in a few words: the version that came of it, or why it was refused."""
    try:
        if answer.status >= 400:
            refusal = msgspec.json.decode(answer.body, type=Status)
            return f"{answer.status} {refusal.reason}: {refusal.message}"
        body = msgspec.json.decode(answer.body)
        return f"{answer.status} version {body['metadata']['resourceVersion']}"
    except (msgspec.MsgspecError, KeyError, TypeError):
        return str(answer.status)


def _short(path: str) -> str:
    """The resource and the name, without what all paths share."""
    parts = path.strip("/").split("/")
    parts = parts[parts.index("namespaces") + 2 :] if "namespaces" in parts[:-2] else parts[2 if parts[0] == "api" else 3 :]
    return "/".join(parts)
