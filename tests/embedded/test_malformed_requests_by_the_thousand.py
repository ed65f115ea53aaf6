"""Twenty thousand malformed requests from one seed: none is a failure of the server, and what was there before is there after."""

import json
from typing import Any

from tests.support.raw_api import JSON, JSON_PATCH, MERGE, STRATEGIC, Api, serving, with_widgets

from holdfast.api.wire import Answer, Request
from holdfast.process import Randomness

REQUESTS, SEED = 20_000, 4711

METHODS = ("GET", "GET", "POST", "PUT", "PATCH", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "get", "")
PLURALS = (
    "/api/v1/namespaces/default/configmaps",
    "/api/v1/namespaces/default/secrets",
    "/api/v1/namespaces/default/events",
    "/apis/example.com/v1/namespaces/default/widgets",
    "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    "/api/v1/nodes",
    "/apis",
    "/openapi/v3",
    "",
)
TAILS = ("", "/a", "/b", "/a/status", "/a/scale", "/a/b/c", "//", "/%ff", "/%00", "/..", "/%2e%2e%2fkeeper", "/" + "x" * 300, "/é", "/A_B")
PARAMETERS = (
    "limit",
    "continue",
    "resourceVersion",
    "resourceVersionMatch",
    "labelSelector",
    "fieldSelector",
    "dryRun",
    "fieldValidation",
    "propagationPolicy",
    "watch",
    "timeoutSeconds",
    "x",
)
VALUES = (
    "",
    "0",
    "-1",
    "1",
    "abc",
    "9" * 40,
    "All",
    "Strict",
    "a in (b",
    "a=b,,",
    "metadata.name=",
    "e30",
    "\x00",
    "Foreground",
    "1.5",
    "true",
)
TYPES = (
    JSON,
    MERGE,
    JSON_PATCH,
    STRATEGIC,
    "application/yaml",
    "application/apply-patch+yaml",
    "text/html",
    "",
    ";;=",
    "application/json; charset=latin-1",
)
SCALARS: tuple[Any, ...] = (None, True, -1, 2**63, 2**200, 1e308, 0.1, "", "x" * 300, "\u0000", "\ud83d\ude00", [], {}, [[]], {"": {}})
FIELDS = (
    "metadata",
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "labels",
    "finalizers",
    "ownerReferences",
    "spec",
    "status",
    "data",
    "size",
    "kind",
    "apiVersion",
    "$patch",
    "",
)
POINTERS = (
    "",
    "/",
    "metadata",
    "/metadata/name",
    "/metadata/labels/a",
    "/data",
    "/spec/size",
    "/metadata/finalizers/-",
    "/metadata/finalizers/99",
    "/~2",
    "/a/b/c",
)
JUNK = (
    b"",
    b"{",
    b"null",
    b"[]",
    b'"',
    b"\xff\xfe",
    b"{}{}",
    b"[" * 3000,
    b'{"a":' * 3000,
    b'{"metadata":{"name":"a","name":"b"}}',
    b"NaN",
    b"- a: *b",
    b"\x1f\x8b\x08",
)


class Malformer:
    """Draws requests that somebody might send by mistake or with intent."""

    def __init__(self, seed: int) -> None:
        self._randomness = Randomness(seed)

    def one_of(self, choices: Any) -> Any:
        return choices[self._randomness.below(len(choices))]

    def value(self, depth: int = 3) -> Any:
        kind = self._randomness.below(4)
        if depth == 0 or kind < 2:
            return self.one_of(SCALARS)
        if kind == 2:
            return [self.value(depth - 1) for _ in range(self._randomness.below(3))]
        return {self.one_of(FIELDS): self.value(depth - 1) for _ in range(self._randomness.below(4))}

    def operation(self) -> Any:
        verb = self.one_of(("add", "remove", "replace", "move", "copy", "test", "ADD", ""))
        return {"op": verb, "path": self.one_of(POINTERS), "from": self.one_of(POINTERS), "value": self.value(1)}

    def body(self) -> bytes:
        kind = self._randomness.below(5)
        if kind == 0:
            return bytes(self.one_of(JUNK))
        if kind == 1:
            return json.dumps([self.operation() for _ in range(self._randomness.below(3))]).encode()
        named = {"metadata": {"name": self.one_of(("a", "b", "", "A", 7)), self.one_of(FIELDS): self.value(1)}}
        value = self.value() if kind == 2 else named | {self.one_of(FIELDS): self.value()}
        whole = json.dumps(value).encode()
        return whole[: self._randomness.below(len(whole) + 1)] if self._randomness.below(4) == 0 else whole

    def request(self) -> Request:
        query = tuple((self.one_of(PARAMETERS), self.one_of(VALUES)) for _ in range(self._randomness.below(3)))
        path = self.one_of(PLURALS) + self.one_of(TAILS)
        return Request(self.one_of(METHODS), path, query, {"content-type": self.one_of(TYPES), "accept": self.one_of(TYPES)}, self.body())


async def send(api: Api, request: Request) -> int:
    found = await api.server.handle(request)
    if not isinstance(found, Answer):
        await found.close()
        return 200
    assert found.status < 500 or found.status == 504, (request, found)
    if found.status >= 400 and request.method != "HEAD":
        told = json.loads(found.body)
        assert told["kind"] == "Status", request
        assert told["message"], request
        assert told["reason"], request
    return found.status


async def test_none_of_twenty_thousand_is_a_failure_of_the_server() -> None:
    """Whoever sends nonsense is told so; nobody else notices."""
    malformer, refused = Malformer(SEED), 0
    async with serving() as api:
        await with_widgets(api)
        await api.post("/api/v1/namespaces", {"metadata": {"name": "keep"}})
        kept = (await api.post("/api/v1/namespaces/keep/configmaps", {"metadata": {"name": "keeper"}, "data": {"a": "b"}})).body

        for _ in range(REQUESTS):
            refused += await send(api, malformer.request()) >= 400

        assert (await api.get("/api/v1/namespaces/keep/configmaps/keeper")).body == kept
        assert REQUESTS * 3 // 4 < refused < REQUESTS
