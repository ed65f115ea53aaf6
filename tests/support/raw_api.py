"""The embedded server as a client without types sees it: paths and JSON in, status codes and JSON out."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from holdfast.api.wire import Answer, Request, Stream
from holdfast.embedded.journal import Journal
from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.process import Process, Tasks

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
NAMESPACES = "/api/v1/namespaces"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON = "application/json"
METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"


class Reply(NamedTuple):
    code: int
    body: Any
    headers: dict[str, str]

    @property
    def reason(self) -> str:
        return str(self.body.get("reason", ""))

    @property
    def words(self) -> str:
        return str(self.body.get("message", ""))

    @property
    def version(self) -> str:
        """The resourceVersion."""
        return str(self.body["metadata"]["resourceVersion"])

    @property
    def names(self) -> list[str]:
        return [item["metadata"]["name"] for item in self.body["items"]]


def named(path: str, body: Any) -> Any:
    """A widget has to say what it is."""
    match path.split("/"):
        case ["", "apis", "example.com", version, *_] if isinstance(body, dict):
            return {"apiVersion": f"example.com/{version}", "kind": "Widget", **body}
    return body


class Api:
    """Requests to one server."""

    def __init__(self, server: Server) -> None:
        self.server = server

    async def send(self, method: str, path: str, body: Any = None, kind: str = JSON, accept: str = JSON, **query: Any) -> Reply:
        """``body`` is sent as JSON, or as it is when it is bytes; query names may end in an underscore."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        pairs = tuple((name.rstrip("_"), str(value)) for name, value in query.items())
        found = await self.server.transport().send(Request(method, path, pairs, {"content-type": kind, "accept": accept}, data))
        return Reply(found.status, json.loads(found.body) if found.body else {}, dict(found.headers))

    async def get(self, path: str, **query: Any) -> Reply:
        return await self.send("GET", path, **query)

    async def post(self, path: str, body: Any, **query: Any) -> Reply:
        return await self.send("POST", path, named(path, body), **query)

    async def put(self, path: str, body: Any, **query: Any) -> Reply:
        return await self.send("PUT", path, named(path, body), **query)

    async def patch(self, path: str, body: Any, kind: str = MERGE, **query: Any) -> Reply:
        return await self.send("PATCH", path, body, kind=kind, **query)

    async def delete(self, path: str, body: Any = None, **query: Any) -> Reply:
        return await self.send("DELETE", path, body, **query)

    async def has(self, *names: str, path: str = CONFIG_MAPS, **fields: Any) -> list[dict[str, Any]]:
        """Objects of these names, made now."""
        made = []
        for name in names:
            reply = await self.post(path, {"metadata": {"name": name, **fields.get("metadata", {})}, **without(fields, "metadata")})
            assert reply.code == 201, reply
            made.append(reply.body)
        return made

    async def until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        """Wait until something is true of the server."""
        async with asyncio.timeout(10):
            while not await holds():
                await self.server.store.drained()
                await asyncio.sleep(0)

    async def gone(self, *paths: str) -> None:
        """Wait until these are not there any more."""
        for path in paths:

            async def is_gone(path: str = path) -> bool:
                return (await self.get(path)).code == 404

            await self.until(is_gone)

    async def watch(self, path: str, accept: str = JSON, **query: Any) -> "Lines":
        pairs = tuple((name, str(value)) for name, value in {"watch": "true", **query}.items())
        found = await self.server.transport().open(Request("GET", path, pairs, {"accept": accept}))
        assert not isinstance(found, Answer), found
        return Lines(found)


class Lines:
    """The events of a watch, one by one."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self._pieces = aiter(stream)
        self._events: list[Any] = []

    async def next(self) -> Any:
        """The next event; StopAsyncIteration when the watch has ended."""
        while not self._events:
            piece = await anext(self._pieces)
            self._events = [json.loads(line) for line in piece.split(b"\n") if line]
        return self._events.pop(0)

    async def told(self) -> tuple[str, str]:
        """Type of the next event and the name of its object."""
        event = await self.next()
        return event["type"], event["object"]["metadata"]["name"]

    async def rest(self) -> list[Any]:
        """All events until the watch ends."""
        found = self._events
        async for piece in self.stream:
            found += [json.loads(line) for line in piece.split(b"\n") if line]
        return found

    async def close(self) -> None:
        await self.stream.close()


@asynccontextmanager
async def serving(journal: Journal | None = None, process: Process | None = None, *, background: bool = False) -> AsyncIterator[Api]:
    """A server, with its background work when asked for."""
    server = await Server.open(process or Process("api"), journal or MemoryJournal())
    try:
        async with Tasks() as tasks:
            if background:
                tasks.spawn(server.run(), name="background")
            yield Api(server)
    finally:
        await server.close()


def without(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


def widget_definition(**version: Any) -> dict[str, Any]:
    """A custom kind with a status path and a small closed schema."""
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {"size": {"type": "integer", "minimum": 0}, "colour": {"type": "string", "default": "blue"}},
            },
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        },
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": schema},
                    **version,
                }
            ],
        },
    }


async def with_widgets(api: Api) -> Api:
    reply = await api.post(CRDS, widget_definition())
    assert reply.code == 201, reply
    return api
