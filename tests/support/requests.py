"""Requests to an embedded server without sockets, for tests that look at answers as they travel."""

import json
from collections.abc import Awaitable
from typing import Any

from holdfast.api.wire import Answer, Request, Stream
from holdfast.embedded.server import Server


async def ask(
    server: Server, method: str, path: str, body: Any = None, *, accept: str = "", content: str = "", **query: str
) -> tuple[int, Any]:
    """The status and the JSON of an answer."""
    answer = await answer_of(server, method, path, body, accept=accept, content=content, **query)
    return answer.status, json.loads(answer.body)


async def answer_of(
    server: Server, method: str, path: str, body: Any = None, *, accept: str = "", content: str = "", **query: str
) -> Answer:
    headers = {"content-type": content or "application/json"} | ({"accept": accept} if accept else {})
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    found = await server.handle(Request(method, path, tuple(query.items()), headers, data))
    assert isinstance(found, Answer), "a stream where an answer was expected"
    return found


async def open_watch(server: Server, path: str, *, accept: str = "", **query: str) -> Stream:
    headers = {"accept": accept} if accept else {}
    found = await server.handle(Request("GET", path, (("watch", "1"), *query.items()), headers))
    assert not isinstance(found, Answer), found
    return found


async def until(server: Server, path: str, word: str, work: Awaitable[Any]) -> None:
    """Do some work and wait until an event of a collection speaks of it."""
    watch = await open_watch(server, path)
    await work
    async for piece in watch:
        if word.encode() in piece:
            break
    await watch.close()
