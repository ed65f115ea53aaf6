"""One Kubernetes API, whichever it is, as a conformance test sees it: the same bytes go to each, and each must say the same.

A home is reached through an ``api.wire.Transport`` and nothing else. A test has a namespace of its own in it, and names of its own
for what lives in no namespace; what it made there is taken away after it.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Self

from msgspec import Struct
from tests.support.raw_api import JSON, MERGE, Reply

from holdfast.api.wire import Answer, Request, Stream, Transport
from holdfast.process import Randomness

#: What is asked of a home takes this long at most, on a busy machine.
_PATIENCE = 30.0
#: Each kind that tests use: the path below which it lies, and whether in a namespace.
_KINDS = {
    "configmaps": ("/api/v1", True),
    "secrets": ("/api/v1", True),
    "serviceaccounts": ("/api/v1", True),
    "events": ("/api/v1", True),
    "namespaces": ("/api/v1", False),
    "nodes": ("/api/v1", False),
    "leases": ("/apis/coordination.k8s.io/v1", True),
    "customresourcedefinitions": ("/apis/apiextensions.k8s.io/v1", False),
    "widgets": ("/apis/conformance.example.com/v1", True),
}


class Home(Struct):
    """A home and a namespace in it."""

    name: str
    transport: Transport
    namespace: str
    made: list[str] = []

    def at(self, plural: str, name: str = "", part: str = "") -> str:
        """The path of a collection, an object or a part of one."""
        base, is_namespaced = _KINDS[plural]
        within = f"/namespaces/{self.namespace}" if is_namespaced else ""
        return "/".join([f"{base}{within}/{plural}", *(piece for piece in (name, part) if piece)])

    def own(self, plural: str, prefix: str) -> str:
        """A name that nobody else has, for something that lives in no namespace and goes with this test."""
        name = f"{prefix}-{Randomness().suffix(8)}"
        self.made.append(self.at(plural, name))
        return name

    async def send(self, method: str, path: str, body: Any = None, kind: str = JSON, accept: str = JSON, **query: Any) -> Reply:
        """``body`` is sent as JSON, or as it is when it is bytes; names in the query may end in an underscore, a list is sent in turn."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        found = await self.transport.send(Request(method, path, _pairs(query), {"content-type": kind, "accept": accept}, data))
        return Reply(found.status, _value(found), dict(found.headers))

    async def get(self, path: str, accept: str = JSON, **query: Any) -> Reply:
        return await self.send("GET", path, accept=accept, **query)

    async def post(self, path: str, body: Any, **query: Any) -> Reply:
        return await self.send("POST", path, body, **query)

    async def put(self, path: str, body: Any, **query: Any) -> Reply:
        return await self.send("PUT", path, body, **query)

    async def patch(self, path: str, body: Any, kind: str = MERGE, **query: Any) -> Reply:
        return await self.send("PATCH", path, body, kind=kind, **query)

    async def delete(self, path: str, body: Any = None, **query: Any) -> Reply:
        return await self.send("DELETE", path, body, **query)

    async def make(self, plural: str, name: str, metadata: dict[str, Any] | None = None, **fields: Any) -> Reply:
        """An object of this name, as it was made."""
        kind = {"apiVersion": "conformance.example.com/v1", "kind": "Widget"} if plural == "widgets" else {}
        made = await self.post(self.at(plural), {**kind, "metadata": {"name": name, **(metadata or {})}, **fields})
        assert made.code == 201, made
        return made

    async def until(self, holds: Callable[[], Awaitable[Any]]) -> None:
        """Wait for what a controller does."""
        async with asyncio.timeout(_PATIENCE):
            while not await holds():  # noqa: ASYNC110 - nobody tells of it
                await asyncio.sleep(0.02)

    async def gone(self, *paths: str) -> None:
        """Wait until nothing is there."""
        for path in paths:

            async def is_gone(path: str = path) -> bool:
                return (await self.get(path)).code == 404

            await self.until(is_gone)

    async def watch(self, path: str, accept: str = JSON, **query: Any) -> "Events":
        async with asyncio.timeout(_PATIENCE):
            found = await self.transport.open(Request("GET", path, _pairs({"watch": "1", **query}), {"accept": accept}))
        assert not isinstance(found, Answer), found
        return Events(found)

    async def refused_watch(self, path: str, **query: Any) -> Reply:
        """The answer to a watch that does not begin."""
        found = await self.transport.open(Request("GET", path, _pairs({"watch": "1", **query}), {"accept": JSON}))
        assert isinstance(found, Answer), "the watch has begun"
        return Reply(found.status, _value(found), dict(found.headers))

    async def leave(self) -> None:
        """Take away what this test has made."""
        for path in (*self.made, self.at("namespaces", self.namespace)):
            await self.delete(path)


class Events:
    """The events of a watch, one by one; use as ``async with``."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._events = _events(stream)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stream.close()

    async def next(self) -> Any:
        """The next event; StopAsyncIteration when the watch has ended."""
        async with asyncio.timeout(_PATIENCE):
            return await anext(self._events)

    async def take(self, number: int) -> list[tuple[str, str]]:
        """Types and names of as many events."""
        found = [await self.next() for _ in range(number)]
        return [(event["type"], event["object"]["metadata"].get("name", "")) for event in found]


async def _events(stream: Stream) -> AsyncIterator[Any]:
    rest = b""
    async for piece in stream:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield json.loads(line)


def _pairs(query: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name.rstrip("_"), str(item)) for name, value in query.items() for item in (value if isinstance(value, list) else [value]))


def _value(answer: Answer) -> Any:
    try:
        return json.loads(answer.body) if answer.body else {}
    except ValueError:
        return answer.body.decode()


def causes(reply: Reply) -> list[tuple[str, str]]:
    """Reasons and fields of a refusal."""
    return [(cause.get("reason", ""), cause.get("field", "")) for cause in reply.body["details"].get("causes", ())]


def kept(reply: Reply) -> Any:
    """An object without what only some homes write, and without what differs from write to write."""
    body = json.loads(json.dumps(reply.body))
    for field in ("managedFields", "resourceVersion", "uid", "creationTimestamp"):
        body["metadata"].pop(field, None)
    return body
