"""Events: what happened to an object, for people who ask ``kubectl describe``.

Telling must never cost the teller anything: ``emit`` only puts the matter on a list, and what can not be written is counted and
dropped. What happens again is one event with a count. Its name is a function of what it tells, so any number of managers that
tell the same make one event. An object that has nothing new to tell but tells it all the time is cut short.
"""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from typing import Generic, NoReturn, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from holdfast.api.core import Event, EventSource, ObjectReference
from holdfast.api.errors import AlreadyExists, Conflict, NotFound
from holdfast.api.kinds import kind_of
from holdfast.api.meta import Object, ObjectMeta
from holdfast.api.timestamps import timestamp
from holdfast.kube.client import Client
from holdfast.kube.metrics import Metrics
from holdfast.kube.queue import WorkQueue
from holdfast.kube.stray_cancel import unless_asked
from holdfast.process import Process

log = logging.getLogger(__name__)

COMPONENT = "holdfast"

_MOST_WAITING = 1000
_MOST_REMEMBERED = 4096
_LONGEST_MESSAGE = 1024  # Kubernetes' own bound
_LONGEST_NAME = 253
_TRIES = 4
#: An object may tell this much at once, and one more every so many seconds: client-go's numbers.
_BURST = 25
_SECONDS_A_TOKEN = 300.0

K = TypeVar("K")
V = TypeVar("V")


class Matter(Struct, frozen=True, gc=False):
    """What an event is about. Equal matters are one event."""

    about: ObjectReference
    type: str
    reason: str
    message: str

    @property
    def name(self) -> str:
        about = self.about
        words = (about.api_version, about.kind, about.namespace, about.name, about.uid, self.type, self.reason, self.message, COMPONENT)
        digest = hashlib.blake2b("\0".join(words).encode(), digest_size=8).hexdigest()
        return f"{about.name[: _LONGEST_NAME - 17]}.{digest}"

    @property
    def namespace(self) -> str:
        return self.about.namespace or "default"


class _Waiting(Struct):
    """How often a matter came up since it was last written."""

    count: int
    first: float
    last: float


class _Tokens(Struct):
    left: float
    at: float


class _Recent(OrderedDict[K, V], Generic[K, V]):
    """Forgets what was not used for longest when there is too much."""

    def keep(self, key: K, value: V) -> None:
        self[key] = value
        self.move_to_end(key)
        if len(self) > _MOST_REMEMBERED:
            self.popitem(last=False)


class Events:
    """Writes the events of one process."""

    def __init__(self, client: Client, process: Process, metrics: Metrics) -> None:
        self._client = client
        self._process = process
        self._metrics = metrics
        self._queue: WorkQueue[Matter] = WorkQueue()
        self._waiting: dict[Matter, _Waiting] = {}
        self._written: _Recent[Matter, Event] = _Recent()
        self._tokens: _Recent[ObjectReference, _Tokens] = _Recent()

    def emit(self, obj: Object, type_: str, reason: str, message: str) -> None:
        """Tell that something happened to the object. ``type_`` is Normal or Warning. Returns at once and never fails."""
        matter = Matter(_reference(obj), type_, reason, message[:_LONGEST_MESSAGE])
        if not self._may_speak(matter.about):
            self._metrics.event("spam")
            return
        now = self._process.clock.now()
        waiting = self._waiting.get(matter)
        if waiting is not None:
            waiting.count += 1
            waiting.last = now
            return
        if len(self._waiting) >= _MOST_WAITING:
            self._metrics.event("dropped")
            return
        self._waiting[matter] = _Waiting(1, now, now)
        self._queue.add(matter)

    def _may_speak(self, about: ObjectReference) -> bool:
        now = self._process.clock.monotonic()
        tokens = self._tokens.get(about) or _Tokens(_BURST, now)
        left = min(_BURST, tokens.left + (now - tokens.at) / _SECONDS_A_TOKEN)
        may = left >= 1
        self._tokens.keep(about, _Tokens(left - 1 if may else left, now))
        return may

    async def run(self) -> NoReturn:
        """Write what was told, until cancelled."""
        while True:
            matter = await self._queue.get()
            try:
                await self._write(matter, self._waiting.pop(matter))
            except asyncio.CancelledError as cancelled:
                unless_asked(cancelled)
                self._metrics.event("failed")
            except Exception as failure:  # whatever goes wrong here, it is only commentary that is lost
                log.debug("event %s", matter.name, exc_info=failure)
                self._metrics.event("failed")
            else:
                self._metrics.event("written")
            finally:
                self._queue.done(matter)

    async def _write(self, matter: Matter, waiting: _Waiting) -> None:
        """One write; others may write the same event, so a count is added to what is there, never set blindly."""
        known = self._written.get(matter)
        for _ in range(_TRIES):
            try:
                written = await self._client.create(self._new(matter, waiting)) if known is None else await self._add(known, waiting)
            except (AlreadyExists, Conflict, NotFound):
                known = await self._current(matter)
            else:
                self._written.keep(matter, written)
                return
        raise Conflict(f"event {matter.namespace}/{matter.name} changes all the time")

    async def _current(self, matter: Matter) -> Event | None:
        try:
            return await self._client.get(Event, matter.name, matter.namespace)
        except NotFound:
            return None  # events expire

    async def _add(self, known: Event, waiting: _Waiting) -> Event:
        more = replace(known, count=known.count + waiting.count, last_timestamp=timestamp(waiting.last))
        return await self._client.change(known, more, guarded=True)

    def _new(self, matter: Matter, waiting: _Waiting) -> Event:
        return Event(
            metadata=ObjectMeta(name=matter.name, namespace=matter.namespace),
            involved_object=matter.about,
            type=matter.type,
            reason=matter.reason,
            message=matter.message,
            source=EventSource(component=COMPONENT),
            reporting_component=COMPONENT,
            reporting_instance=self._process.name,
            first_timestamp=timestamp(waiting.first),
            last_timestamp=timestamp(waiting.last),
            count=waiting.count,
        )


def _reference(obj: Object) -> ObjectReference:
    kind, metadata = kind_of(type(obj)), obj.metadata
    return ObjectReference(api_version=kind.api_version, kind=kind.name, namespace=metadata.namespace, name=metadata.name, uid=metadata.uid)
