"""A typed client of a Kubernetes API: get, list, watch, create, patch, change and delete over any ``Transport``.

Rules:

- What is read is partial (only the fields that we use), so whole objects are sent by ``create`` alone; every other write is a
  patch. There is no PUT.
- A refusal of the server is an ``ApiError`` of its reason; no answer at all is ``Unreachable``. ``kube.retry`` says what is
  sent again.
- Whoever keeps copies of objects (caches) hears of this client's own writes through ``written`` and ``deleted``, before the
  writer goes on.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from holdfast.api.errors import BadRequest, Expired, StatusDetails
from holdfast.api.kinds import Kind, kind_of, to_wire
from holdfast.api.merge_patch import diff_objects
from holdfast.api.meta import Object, ObjectMeta
from holdfast.api.struct import Wire, decode, encode
from holdfast.api.wire import Answer, Request, Stream, Transport, Unreachable
from holdfast.kube import watching
from holdfast.kube.keys import Key
from holdfast.kube.refusals import refusal, unreadable
from holdfast.kube.retry import PATIENT, Patience, wait_after_answer, wait_after_failure
from holdfast.kube.unreachable import NotSent
from holdfast.kube.watching import WatchEvent
from holdfast.process import Process

T = TypeVar("T", bound=Object)
V = TypeVar("V")

#: Told of every attempt: the method ("WATCH" for the opening of a watch), the HTTP status (0: no answer came), the seconds it took.
Observer = Callable[[str, int, float], None]

#: A merge patch, or the operations of a JSON patch.
Patch = dict[str, Any] | list[Any]

_JSON = "application/json"
_MERGE_PATCH = "application/merge-patch+json"
_JSON_PATCH = "application/json-patch+json"
#: A watch is asked to end by itself after this many seconds and up to as many more, so that all watches of a restarted server do
#: not end together for ever.
_WATCH_SECONDS = 300


class Listing(Struct, Generic[T], frozen=True, gc=False):
    """Objects as they were together at one revision; a watch goes on from there."""

    items: tuple[T, ...]
    resource_version: str


class _ListMeta(Wire):
    resource_version: str = ""
    continue_: str = ""


class _List(Wire, Generic[T]):
    metadata: _ListMeta = _ListMeta()
    items: tuple[T, ...] = ()


class _DeleteAnswer(Wire):
    """A Status with the uid of what was removed; or the object itself, with a deletionTimestamp while finalizers keep it."""

    metadata: ObjectMeta = ObjectMeta()
    details: StatusDetails = StatusDetails()


class Client:
    """What controllers and commands see of a Kubernetes API."""

    def __init__(
        self,
        transport: Transport,
        process: Process,
        *,
        user_agent: str = "holdfast",
        patience: Patience = PATIENT,
        observer: Observer | None = None,
    ) -> None:
        self.observer = observer
        self.written: list[Callable[[Object], None]] = []
        self.deleted: list[Callable[[type[Object], Key, str], None]] = []
        self._transport = transport
        self._process = process
        self._patience = patience
        self._headers = {"accept": _JSON, "user-agent": user_agent}

    async def get(self, type_: type[T], name: str, namespace: str = "") -> T:
        """The object now, as the server has it."""
        request = self._request("GET", _object_path(type_, name, namespace))
        return _decoded(request, await self.send(request), type_)

    async def list(self, type_: type[T], namespace: str = "", *, labels: str = "", fields: str = "", page: int = 500) -> Listing[T]:
        """All objects of the kind, in one namespace or in all.

        Read in pages. When the pages expire midway (the list took longer than the server remembers), the list is read again whole.
        """
        path = kind_of(type_).path(_encoded(namespace))
        selectors = _given(labelSelector=labels, fieldSelector=fields)
        items: list[T] = []
        continuation = ""
        while True:
            request = self._request("GET", path, (*selectors, *_given(limit=str(page), **{"continue": continuation})))
            try:
                part = _decoded(request, await self.send(request), _List[type_])  # type: ignore[valid-type]  # a type made at run time
            except Expired:
                if not continuation:
                    raise
                request = self._request("GET", path, selectors)
                part = _decoded(request, await self.send(request), _List[type_])  # type: ignore[valid-type]  # as above
                items.clear()
            items.extend(part.items)
            continuation = part.metadata.continue_
            if not continuation:
                return Listing(tuple(items), part.metadata.resource_version)

    def watch(
        self, type_: type[T], namespace: str = "", *, since: str, labels: str = "", fields: str = ""
    ) -> AsyncGenerator[WatchEvent[T], None]:
        """Every change after ``since``, over one connection, until the server ends it (as it does now and then).

        Raises ``Expired`` when the server no longer knows what happened since, ``Unreachable`` when the connection was cut. Nothing
        is tried again here: whoever keeps a cache knows better how. Close it (``contextlib.aclosing``) when leaving early.
        """
        seconds = int(self._process.randomness.jitter(_WATCH_SECONDS, 1.0))
        query = watching.query(since, labels, fields, seconds)
        request = self._request("GET", kind_of(type_).path(_encoded(namespace)), query)
        return watching.events(self._open, request, type_)

    async def create(self, obj: T, *, dry_run: bool = False) -> T:
        """The object as the server made it. Needs a name, or a generate_name."""
        kind, metadata = kind_of(type(obj)), obj.metadata
        _require_namespace(kind, metadata.namespace)
        path = kind.path(_encoded(metadata.namespace))
        request = self._request("POST", path, _dry_run(dry_run), content_type=_JSON, body=encode(to_wire(obj)))
        return self._told(_decoded(request, await self.send(request), type(obj)), dry_run)

    async def patch(
        self,
        type_: type[T],
        name: str,
        namespace: str,
        patch: Patch,
        *,
        subresource: str = "",
        dry_run: bool = False,
    ) -> T:
        """The object after a merge patch (a dict) or a JSON patch (a list)."""
        content_type = _MERGE_PATCH if isinstance(patch, dict) else _JSON_PATCH
        path = _object_path(type_, name, namespace, subresource)
        request = self._request("PATCH", path, _dry_run(dry_run), content_type=content_type, body=encode(patch))
        return self._told(_decoded(request, await self.send(request), type_), dry_run)

    async def change(self, before: T, after: T, *, guarded: bool = False, subresource: str = "") -> T:
        """Write the difference as a merge patch. Nothing is sent when there is none; ``guarded`` refuses when somebody was faster."""
        patch = diff_objects(before, after, guarded=guarded)
        if not patch:
            return before
        return await self.patch(type(before), before.metadata.name, before.metadata.namespace, patch, subresource=subresource)

    async def delete(
        self,
        type_: type[T],
        name: str,
        namespace: str = "",
        *,
        uid: str = "",
        resource_version: str = "",
        propagation: str = "Background",
    ) -> None:
        """Delete, if it is still the object of that uid and resourceVersion. Finalizers may keep it for a while."""
        preconditions = dict(_given(uid=uid, resourceVersion=resource_version))
        options: dict[str, Any] = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": propagation}
        options |= {"preconditions": preconditions} if preconditions else {}
        request = self._request("DELETE", _object_path(type_, name, namespace), content_type=_JSON, body=encode(options))
        answer, in_doubt = await self._exchange(request)
        if answer.status == 404 and in_doubt:
            # An attempt before this one broke after it had left: that one deleted.
            removed = uid
        elif answer.status >= 300:
            raise refusal(request, answer)
        else:
            left = _decoded(request, answer, _DeleteAnswer)
            if left.metadata.deletion_timestamp:
                self._told(_decoded(request, answer, type_), dry_run=False)
                return
            removed = uid or left.details.uid or left.metadata.uid
        for tell in self.deleted:
            tell(type_, Key(namespace, name), removed)

    async def send(self, request: Request) -> Answer:
        """Any request, with the retries of this client. Returns success answers; raises ``ApiError`` and ``Unreachable``."""
        if "user-agent" not in request.headers:
            request = replace(request, headers={**self._headers, **request.headers})
        answer, _in_doubt = await self._exchange(request)
        if answer.status >= 300:
            raise refusal(request, answer)
        return answer

    async def close(self) -> None:
        """Close the connections. Requests after this are ``Unreachable``."""
        await self._transport.close()

    async def _exchange(self, request: Request) -> tuple[Answer, bool]:
        """The answer that stands, and whether an earlier attempt broke in a way that leaves open what it did."""
        in_doubt = False
        attempt = 0
        while True:
            attempt += 1
            started = self._process.clock.monotonic()
            try:
                answer = await self._transport.send(request)
            except Unreachable as failure:
                self._observe(request.method, 0, started)
                wait = wait_after_failure(request, failure, attempt, self._patience, self._process.randomness)
                if wait is None or self._process.is_dead:
                    raise
                in_doubt = in_doubt or not isinstance(failure, NotSent)
            else:
                self._observe(request.method, answer.status, started)
                wait = wait_after_answer(answer, attempt, self._patience, self._process.randomness)
                if wait is None:
                    return answer, in_doubt
            await asyncio.sleep(wait)

    async def _open(self, request: Request) -> Stream:
        started = self._process.clock.monotonic()
        code = 0
        try:
            opened = await self._transport.open(request)
            code = opened.status if isinstance(opened, Answer) else 200
        finally:
            self._observe("WATCH", code, started)
        if isinstance(opened, Answer):
            raise refusal(request, opened)
        return opened

    def _request(
        self, method: str, path: str, query: tuple[tuple[str, str], ...] = (), *, content_type: str = "", body: bytes = b""
    ) -> Request:
        headers = self._headers | {"content-type": content_type} if content_type else self._headers
        return Request(method, path, query, headers, body)

    def _told(self, obj: T, dry_run: bool) -> T:
        if not dry_run:
            for tell in self.written:
                tell(obj)
        return obj

    def _observe(self, method: str, code: int, started: float) -> None:
        if self.observer is not None:
            self.observer(method, code, self._process.clock.monotonic() - started)


def _decoded(request: Request, answer: Answer, expected: type[V]) -> V:
    try:
        return decode(answer.body, expected)
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise unreadable(request, answer.body, problem) from None


def _object_path(type_: type[Object], name: str, namespace: str, subresource: str = "") -> str:
    """The path of one object. A name that would lead elsewhere (nowhere: the whole collection; dots: up) never gets into it."""
    kind = kind_of(type_)
    if name in ("", ".", ".."):
        raise BadRequest(f"{name!r} is not a name that a {kind.name} can have")
    _require_namespace(kind, namespace)
    return kind.path(_encoded(namespace), quote(name, safe=""), subresource)


def _require_namespace(kind: Kind, namespace: str) -> None:
    if kind.namespaced and not namespace:
        raise BadRequest(f"a {kind.name} lives in a namespace; none was given")


def _encoded(namespace: str) -> str:
    if namespace in (".", ".."):
        raise BadRequest(f"{namespace!r} is not a name that a namespace can have")
    return quote(namespace, safe="")


def _given(**parameters: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in parameters.items() if value)


def _dry_run(wanted: bool) -> tuple[tuple[str, str], ...]:
    return (("dryRun", "All"),) if wanted else ()
