"""A small Kubernetes API in memory that does on command what real ones do at the worst moment.

It keeps a history, answers 410 for what it has forgotten, sends bookmarks, ends and cuts watches, holds events and answers back,
fails requests. Tests write to it as "somebody else" with ``has`` and ``loses``.
"""

import asyncio
import json
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import unquote

from holdfast.api import json_patch, merge_patch
from holdfast.api.errors import AlreadyExists, ApiError, Conflict, Expired, Invalid, MethodNotAllowed, NotFound
from holdfast.api.kinds import ALL, Kind, kind_of, to_wire
from holdfast.api.meta import Object
from holdfast.api.selectors import LabelSelector
from holdfast.api.struct import from_builtins
from holdfast.api.wire import Answer, Request, Stream, Unreachable

T = TypeVar("T", bound=Object)
Document = dict[str, Any]
Place = tuple[str, str, str]  # resource, namespace, name


class ScriptedApi:
    """The server. ``transport()`` is one process's way to it."""

    def __init__(self) -> None:
        self.revision = 100
        self.documents: dict[Place, Document] = {}
        self.requests: list[Request] = []
        self.watches: list[Watch] = []
        self.opened: Counter[str] = Counter()
        self.listed: Counter[str] = Counter()
        self.history: list[tuple[int, str, Document]] = []
        self.forgotten = 0  # a watch from before this revision is answered with 410
        self.before: Callable[[Request], Awaitable[None]] | None = None
        self.after: Callable[[Request], Awaitable[None]] | None = None
        self.failures: deque[Exception] = deque()
        self.watch_failures: deque[Exception] = deque()
        self._held = False
        self._uids = 0
        self._pages: dict[str, tuple[list[Document], int]] = {}

    def transport(self) -> "ScriptedTransport":
        return ScriptedTransport(self)

    # What somebody else does.

    def has(self, *objects: T) -> T:
        """Make or replace them; the last one as it is now."""
        for obj in objects:
            kind = kind_of(type(obj))
            place = (kind.resource, obj.metadata.namespace, obj.metadata.name)
            document = to_wire(obj)
            held = self.documents.get(place)
            if held is not None:
                document["metadata"]["uid"] = held["metadata"]["uid"]
            stored = self._commit("ADDED" if held is None else "MODIFIED", place, document)
        return from_builtins(stored, type(objects[-1]))

    def loses(self, type_: type[Object], name: str, namespace: str = "") -> None:
        place = (kind_of(type_).resource, namespace, name)
        self._commit("DELETED", place, self.documents[place])

    def of(self, type_: type[T]) -> list[T]:
        resource = kind_of(type_).resource
        return [from_builtins(document, type_) for place, document in self.documents.items() if place[0] == resource]

    # What a server does.

    def forgets(self) -> None:
        """Compact the history: a watch from an older revision is answered with 410."""
        self.forgotten = self.revision
        self.history.clear()

    def bookmarks(self) -> None:
        for watch in self.watches:
            watch.put({"type": "BOOKMARK", "object": {**watch.kind_words, "metadata": {"resourceVersion": str(self.revision)}}})

    def tells(self, event: Document) -> None:
        """Put any event into every watch."""
        for watch in self.watches:
            watch.put(event)

    def ends_watches(self) -> None:
        for watch in tuple(self.watches):
            watch.end(None)

    def cuts_watches(self) -> None:
        for watch in tuple(self.watches):
            watch.end(Unreachable("the connection was reset"))

    def holds_events(self) -> None:
        """Watches fall behind, until ``releases_events``."""
        self._held = True
        for watch in self.watches:
            watch.hold()

    def releases_events(self) -> None:
        self._held = False
        for watch in self.watches:
            watch.release()

    # The verbs.

    def answer(self, request: Request) -> Answer:
        try:
            code, body = self._do(request)
        except ApiError as refusal:
            code, body = refusal.actual_code, refusal.status()
        return Answer(code, {"content-type": "application/json"}, json.dumps(body).encode())

    def _do(self, request: Request) -> tuple[int, Document]:
        kind, namespace, name = _parsed(request.path)
        place = (kind.resource, namespace, name)
        body = json.loads(request.body or b"{}")
        if request.method == "POST":
            return 201, self._create(kind, namespace, body)
        if request.method == "GET" and not name:
            return 200, self._list(kind, namespace, dict(request.query))
        if place not in self.documents:
            raise NotFound(f"{kind.resource} {name!r} not found")
        if request.method == "GET":
            return 200, self.documents[place]
        if request.method == "PATCH":
            return 200, self._patch(place, body, request.headers["content-type"])
        if request.method == "DELETE":
            return 200, self._delete(place, body.get("preconditions") or {})
        raise MethodNotAllowed(request.method)

    def _create(self, kind: Kind, namespace: str, document: Document) -> Document:
        place = (kind.resource, namespace, document["metadata"]["name"])
        if place in self.documents:
            raise AlreadyExists(f"{kind.resource} {place[2]!r} already exists")
        return self._commit("ADDED", place, document)

    def _list(self, kind: Kind, namespace: str, query: dict[str, str]) -> Document:
        self.listed[kind.resource] += 1
        if query.get("continue"):
            items, revision = self._pages[query["continue"]]
        else:
            selector = LabelSelector.parse(query.get("labelSelector", ""))
            items = [
                document
                for (resource, space, _), document in sorted(self.documents.items())
                if resource == kind.resource and namespace in ("", space) and selector.matches(document["metadata"].get("labels") or {})
            ]
            revision = self.revision
        limit = int(query.get("limit", "0")) or len(items)
        metadata = {"resourceVersion": str(revision)}
        if len(items) > limit:
            metadata["continue"] = f"page-{len(self._pages)}"
            self._pages[metadata["continue"]] = (items[limit:], revision)
        return {"metadata": metadata, "items": items[:limit]}

    def _patch(self, place: Place, patch: Any, content_type: str) -> Document:
        before = self.documents[place]
        if content_type == "application/json-patch+json":
            try:
                after = json_patch.apply(patch, before)
            except json_patch.PatchFailed as failure:
                raise Invalid(str(failure)) from None
        else:
            guard = (patch.get("metadata") or {}).get("resourceVersion")
            if guard not in (None, before["metadata"]["resourceVersion"]):
                raise Conflict(f"{place[2]} has changed")
            after = merge_patch.apply(patch, before)
        after["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"]
        return before if after == before else self._commit("MODIFIED", place, after)

    def _delete(self, place: Place, preconditions: dict[str, str]) -> Document:
        document = self.documents[place]
        for field, value in preconditions.items():
            if document["metadata"][field] != value:
                raise Conflict(f"{place[2]} is not the object of that {field}")
        if document["metadata"].get("finalizers"):
            metadata = document["metadata"] | {"deletionTimestamp": "2027-01-15T08:00:00Z"}
            return self._commit("MODIFIED", place, document | {"metadata": metadata})
        self._commit("DELETED", place, document)
        return {"kind": "Status", "status": "Success", "details": {"name": place[2], "uid": document["metadata"]["uid"]}}

    def _commit(self, type_: str, place: Place, document: Document) -> Document:
        self.revision += 1
        if type_ == "ADDED":
            self._uids += 1
        metadata = {"uid": f"uid-{self._uids}", **document["metadata"], "resourceVersion": str(self.revision)}
        document = document | {"metadata": metadata}
        if type_ == "DELETED":
            del self.documents[place]
        else:
            self.documents[place] = document
        event = {"type": type_, "object": document}
        self.history.append((self.revision, place[0], event))
        for watch in self.watches:
            watch.offer(place[0], event)
        return document

    def open(self, request: Request) -> "Answer | Watch":
        kind, namespace, _ = _parsed(request.path)
        self.opened[kind.resource] += 1
        if self.watch_failures:
            failure = self.watch_failures.popleft()
            if isinstance(failure, ApiError):
                return Answer(failure.actual_code, {}, json.dumps(failure.status()).encode())
            raise failure
        since = int(dict(request.query)["resourceVersion"])
        watch = Watch(self, kind, namespace)
        if self._held:
            watch.hold()
        self.watches.append(watch)
        if since < self.forgotten:
            # As kube-apiserver does for a watch that it has accepted: an ERROR event, then the end.
            watch.put({"type": "ERROR", "object": Expired("too old resource version").status()})
            watch.end(None)
            return watch
        for revision, resource, event in self.history:
            if revision > since:
                watch.offer(resource, event)
        return watch


class Watch(Stream):
    """One open watch."""

    def __init__(self, api: ScriptedApi, kind: Kind, namespace: str) -> None:
        self._api = api
        self._resource = kind.resource
        self._namespace = namespace
        self._lines: asyncio.Queue[bytes | BaseException | None] = asyncio.Queue()
        self._held_back: list[bytes] | None = None
        self.kind_words = {"apiVersion": kind.api_version, "kind": kind.name}

    def offer(self, resource: str, event: Document) -> None:
        if resource == self._resource and self._namespace in ("", event["object"]["metadata"].get("namespace", "")):
            self.put(event)

    def put(self, event: Document) -> None:
        line = json.dumps(event).encode() + b"\n"
        if self._held_back is None:
            self._lines.put_nowait(line)
        else:
            self._held_back.append(line)

    def hold(self) -> None:
        if self._held_back is None:
            self._held_back = []

    def release(self) -> None:
        for line in self._held_back or ():
            self._lines.put_nowait(line)
        self._held_back = None

    def end(self, failure: BaseException | None) -> None:
        self._lines.put_nowait(failure)
        if self in self._api.watches:
            self._api.watches.remove(self)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (line := await self._lines.get()) is not None:
            if isinstance(line, BaseException):
                raise line
            yield line

    async def close(self) -> None:
        if self in self._api.watches:
            self._api.watches.remove(self)


class ScriptedTransport:
    """One process's way to the server; can be killed, or cut off while the others go on."""

    def __init__(self, api: ScriptedApi) -> None:
        self._api = api
        self.is_cut_off = False
        self._streams: list[Watch] = []

    async def send(self, request: Request) -> Answer:
        self._api.requests.append(request)
        if self._api.before is not None:
            await self._api.before(request)
        self._check()
        if self._api.failures:
            raise self._api.failures.popleft()
        answer = self._api.answer(request)
        if self._api.after is not None:
            await self._api.after(request)
        self._check()
        return answer

    async def open(self, request: Request) -> Answer | Stream:
        self._api.requests.append(request)
        self._check()
        opened = self._api.open(request)
        if isinstance(opened, Watch):
            self._streams.append(opened)
        return opened

    async def close(self) -> None:
        self.kill()

    def kill(self) -> None:
        self.is_cut_off = True
        for stream in self._streams:
            stream.end(Unreachable("the process is dead"))

    def _check(self) -> None:
        if self.is_cut_off:
            raise Unreachable("no route to the server")


def _parsed(path: str) -> tuple[Kind, str, str]:
    """Kind, namespace and name; a subresource is taken for the object."""
    for kind in ALL:
        root = kind.path().removesuffix(kind.plural)
        if not path.startswith(root):
            continue
        parts = [unquote(part) for part in path.removeprefix(root).split("/")]
        namespace = ""
        if parts[0] == "namespaces" and len(parts) > 2:
            namespace, parts = parts[1], parts[2:]
        if parts[0] == kind.plural:
            return kind, namespace, parts[1] if len(parts) > 1 else ""
    raise NotFound(f"the server does not serve {path}")
