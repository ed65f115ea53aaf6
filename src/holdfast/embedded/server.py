"""The embedded API server: one entry for every request, whatever it came through.

``handle`` answers each request with an answer or a stream, never with an exception: what can not be served is refused with a
Status that says why. ``run`` does what Kubernetes' own controllers do beside it: it collects what lost its owners, ends
namespaces and kinds, and forgets old events. A server works without ``run``; these then wait.
"""

from collections.abc import Callable, Sequence
from typing import Any, Self

from holdfast.api.errors import AlreadyExists, ApiError, InternalError
from holdfast.api.wire import Answer, Request, Stream, Transport
from holdfast.embedded import read_verbs, refusals
from holdfast.embedded.background import Background
from holdfast.embedded.built_in import PERMANENT_NAMESPACES, built_in
from holdfast.embedded.definitions import Definitions
from holdfast.embedded.discovery import Discovery
from holdfast.embedded.entries import encode
from holdfast.embedded.history import Event
from holdfast.embedded.journal import Journal
from holdfast.embedded.options import ListOptions, Query
from holdfast.embedded.presentation import Presentation, answer
from holdfast.embedded.resources import Registry
from holdfast.embedded.routes import Route, route_of
from holdfast.embedded.store import HISTORY_EVENTS, Store
from holdfast.embedded.transport import InProcess
from holdfast.embedded.watch_verb import watch
from holdfast.embedded.write_verbs import WriteVerbs
from holdfast.embedded.writing import NAMESPACES, Writing
from holdfast.process import Process

Observer = Callable[[dict[str, Any]], None]


class Server:
    """A Kubernetes API over a journal."""

    def __init__(self, process: Process, journal: Journal, store: Store) -> None:
        self.store = store
        self.registry = Registry()
        self._process = process
        self._journal = journal
        self._discovery = Discovery(self.registry)
        self._observers: list[Observer] = []
        self._writing = Writing(store, process)
        self._verbs = WriteVerbs(self._writing)
        for resource in built_in(Definitions(self.registry)):
            self.registry.replace(resource.group, resource.plural, [resource])
        self._discovery = Discovery(self.registry)
        self._follow_what_is_there()
        self.registry.listeners.append(self._end_watches_of_what_left)
        store.followers.append(self._follow)
        self._background = Background(store, self.registry, self._writing)

    @classmethod
    async def open(cls, process: Process, journal: Journal, *, history_events: int = HISTORY_EVENTS) -> Self:
        """Load what the journal has and make what every cluster has. Raises ``DataFolderError``."""
        loaded = await journal.load()
        server = cls(process, journal, Store(journal, loaded, history_events=history_events))
        try:
            await server._make_permanent_namespaces()
        except BaseException:
            await server.close()
            raise
        return server

    async def run(self) -> None:
        """Work in the background until cancelled."""
        await self._background.run()

    async def close(self) -> None:
        """End all watches, wait for what is on its way, and let go of the journal."""
        for collection in self.store.collections():
            for open_watch in collection.watches:
                open_watch.finish()
        self.store.refuse_writes("the server is stopping")
        await self.store.drained()
        await self._journal.close()

    def transport(self) -> Transport:
        """A way in without sockets."""
        return InProcess(self)

    def record(self, observer: Observer) -> None:
        """Call ``observer`` with every revision from now on, in order, once it is durable."""
        self._observers.append(observer)

    async def handle(self, request: Request) -> Answer | Stream:
        """Answer one request. Never raises but for a cancel."""
        try:
            return await self._answer(request)
        except ApiError as refusal:
            return _refused(refusal)
        except Exception as failure:  # noqa: BLE001 - a mistake of ours must cost one request, not the server
            return _refused(InternalError(f"the server failed on this request: {type(failure).__name__}: {failure}"))

    async def _answer(self, request: Request) -> Answer | Stream:
        route = route_of(request.path, self.registry)
        if route is None:
            return self._about_itself(request)
        query = Query(request)
        presentation = Presentation.of(route.resource, request.headers.get("accept", ""), query, self._process.clock)
        match request.method, bool(route.name):
            case "GET", False:
                return self._list_or_watch(route, presentation, query)
            case "GET", True:
                return read_verbs.get(self.store, route, presentation, query.revision("resourceVersion"))
            case "POST", False if route.namespace or not route.resource.namespaced:
                return await self._verbs.create(route, presentation, request, query)
            case "DELETE", False if route.namespace or not (route.resource.namespaced or route.resource.id == NAMESPACES):
                return await self._verbs.delete_collection(route, presentation, request, query)
            case "PUT", True:
                return await self._verbs.update(route, presentation, request, query)
            case "PATCH", True if route.subresource != "finalize":
                return await self._verbs.patch(route, presentation, request, query)
            case "DELETE", True if not route.subresource:
                return await self._verbs.delete(route, presentation, request, query)
        raise refusals.no_such_verb(request.method)

    def _list_or_watch(self, route: Route, presentation: Presentation, query: Query) -> Answer | Stream:
        options = ListOptions.of(query)
        if options.watch:
            return watch(self.store, self._process, route, presentation, options)
        return read_verbs.list_(self.store, route, presentation, options)

    def _about_itself(self, request: Request) -> Answer:
        found = self._discovery.answer(request)
        if found is None:
            raise refusals.unknown_path()
        return found

    def _follow_what_is_there(self) -> None:
        for resource in self.registry.kept():
            if resource.rules.follows_commits:
                for entry in tuple(self.store.collection(resource.id).entries.values()):
                    resource.rules.committed(None, entry.object())

    def _follow(self, events: Sequence[Event]) -> None:
        followers = {resource.id: resource.rules for resource in self.registry if resource.rules.follows_commits}
        for event in events:
            if event.key.resource in followers:
                before = event.before.object() if event.before else None
                followers[event.key.resource].committed(before, None if event.type == "DELETED" else event.entry.object())
            if self._observers:
                told = {"revision": event.revision, "type": event.type, "object": event.entry.object()}
                for observer in self._observers:
                    observer(told)

    def _end_watches_of_what_left(self) -> None:
        served = {resource.id for resource in self.registry}
        for resource, collection in self.store.by_resource():
            if resource not in served:
                for open_watch in collection.watches:
                    open_watch.finish()

    async def _make_permanent_namespaces(self) -> None:
        namespaces = self.registry.find("", "v1", "namespaces")
        if namespaces is None:
            return
        for name in PERMANENT_NAMESPACES:
            try:
                outcome = self._writing.create(namespaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            except AlreadyExists:
                continue
            await self._writing.durable(outcome)


def _refused(refusal: ApiError) -> Answer:
    refused = answer(refusal.actual_code, encode(refusal.status()), refusal.warnings)
    if not refusal.details.retry_after_seconds:
        return refused
    return Answer(refused.status, {**refused.headers, "retry-after": str(refusal.details.retry_after_seconds)}, refused.body)
