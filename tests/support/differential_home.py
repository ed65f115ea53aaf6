"""A home of the API, as differential scripts run through it: every request one by one, every answer kept as it came."""

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from tests.support.differential_kinds import KINDS, OURS, definition
from tests.support.differential_steps import DROPPED, Known, Step

from holdfast.api.wire import Answer, Request, Transport

_JSON = "application/json"
#: A watch that has not told of its marker after this many seconds never will.
_PATIENCE = 20.0


class Seen(Struct):
    """What a home answered to one step."""

    code: int
    body: Any = None
    #: Of a watch, as they came.
    events: list[Any] | None = None
    #: The texts of its warnings.
    warnings: list[str] = []
    #: A dry run shows what is not so.
    is_rehearsed: bool = False
    #: Of a watch: what came of making the marker.
    marker: int = 0


class Home:
    """One API server behind a transport."""

    def __init__(self, name: str, transport: Transport) -> None:
        self.name = name
        self._transport = transport

    async def serve_kinds(self) -> None:
        """Define the kinds that are only ours, and wait until they are served."""
        for plural in OURS:
            made = definition(KINDS[plural])
            await self._send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body=made)
        async with asyncio.timeout(_PATIENCE):
            for plural in OURS:
                while (await self._send("GET", KINDS[plural].path("default"))).status != 200:  # noqa: ASYNC110 - nobody tells of it
                    await asyncio.sleep(0.02)

    async def run(self, steps: list[Step], namespace: str) -> list[Seen]:
        """All answers of one script, in a namespace of its own."""
        made = await self._send(
            "POST", "/api/v1/namespaces", body={"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        )
        if made.status != 201:
            raise AssertionError(f"{self.name}: the namespace {namespace} can not be made: {made.body!r}")
        known = Known(namespace, KINDS, {})
        seen = []
        for step in steps:
            answer = await (self._watch(step, known) if step.marker else self._ask(step, known))
            known.answers[step.number] = answer.body if isinstance(answer.body, dict) else {}
            seen.append(answer)
        return seen

    async def _ask(self, step: Step, known: Known) -> Seen:
        query = _query(step, known)
        path = _path(step, known)
        if step.method == "GET" and any(key == "resourceVersion" for key, _ in query):
            # "Not older than" may be answered from what a server remembers, but not before it remembers the newest.
            await self._send("GET", KINDS[step.kind].path(known.home))
        body = known.body(step.body)
        is_rehearsed = any(key == "dryRun" for key, _ in query) or (isinstance(body, dict) and "dryRun" in body)
        answer = await self._send(step.method, path, query, step.content, body)
        return Seen(answer.status, json.loads(answer.body), warnings=warnings_in(answer.headers), is_rehearsed=is_rehearsed)

    async def _watch(self, step: Step, known: Known) -> Seen:
        kind = KINDS[step.kind]
        await self._send("GET", kind.path(known.home))
        request = Request("GET", kind.path(known.home), _query(step, known), {"accept": _JSON})
        stream = await self._transport.open(request)
        if isinstance(stream, Answer):
            return Seen(stream.status, json.loads(stream.body))
        marker = known.fill(step.marker)
        events: list[Any] = []
        made = 0
        try:
            made = (await self._send("POST", kind.path(known.home), body=marker)).status
            if made == 201:
                async with asyncio.timeout(_PATIENCE):
                    await _read(stream, events, marker["metadata"]["name"])
        except TimeoutError:
            events.append("nothing more came, and not the marker")
        finally:
            await stream.close()
        return Seen(200, None, events, marker=made)

    async def _send(
        self, method: str, path: str, query: tuple[tuple[str, str], ...] = (), content: str = _JSON, body: Any = None
    ) -> Answer:
        data = b"" if body is None else json.dumps(body).encode()
        return await self._transport.send(Request(method, path, query, {"content-type": content, "accept": _JSON}, data))


def warnings_in(headers: Mapping[str, str]) -> list[str]:
    """The texts of the warnings of an answer, which come as a list in one header field."""
    texts = re.findall(r'299 - ("(?:[^"\\]|\\.)*")', headers.get("warning", ""))
    return [json.loads(text) for text in texts]


async def _read(stream: Any, events: list[Any], until: str) -> None:
    """Events up to the one that tells of the marker, or up to an error."""
    rest = b""
    async for piece in stream:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            event = json.loads(line)
            events.append(event)
            if event["type"] == "ERROR" or event["object"]["metadata"].get("name") == until:
                return


def _path(step: Step, known: Known) -> str:
    kind = KINDS[step.kind]
    return kind.path(known.home, kind.name(known.home, step.name) if step.name else "", step.subresource)


def _query(step: Step, known: Known) -> tuple[tuple[str, str], ...]:
    return tuple((key, filled) for key, value in step.query if (filled := _filled(value, known)) is not DROPPED)


def _filled(value: str, known: Known) -> Any:
    """A placeholder may stand within the text of a selector."""
    head, sign, rest = value.partition("$name:")
    return known.fill(value) if not sign or not head else f"{head}{known.fill(sign + rest)}"
