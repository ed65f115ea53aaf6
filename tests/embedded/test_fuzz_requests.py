"""Nothing that a client can send makes the server fail: whatever is wrong with it is the client's, and is said so."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.raw_api import (
    CRDS,
    JSON,
    JSON_PATCH,
    MERGE,
    METADATA_ONLY,
    STRATEGIC,
    TABLE,
    Api,
    serving,
    widget_definition,
    with_widgets,
)

from holdfast.api.wire import Answer, Request

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
_META_FIELDS = st.sampled_from(
    ["name", "namespace", "uid", "resourceVersion", "generation", "labels", "annotations", "finalizers", "ownerReferences",
     "creationTimestamp", "deletionTimestamp", "generateName", "managedFields", "deletionGracePeriodSeconds", "oops"]
)  # fmt: skip
_TOP_FIELDS = st.sampled_from(
    ["apiVersion", "kind", "spec", "status", "data", "stringData", "binaryData", "type", "immutable", "involvedObject", "lastTimestamp"]
)
_OBJECTS = st.builds(
    lambda metadata, top: {**top, "metadata": metadata},
    st.dictionaries(_META_FIELDS, _JSON, max_size=3) | st.builds(lambda name: {"name": name}, st.sampled_from(["a", "b"])) | _JSON,
    st.dictionaries(_TOP_FIELDS, _JSON, max_size=3),
)
_OPERATIONS = st.lists(
    st.fixed_dictionaries(
        {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "x"])},
        optional={
            "path": st.sampled_from(["", "/", "/metadata", "/metadata/name", "/metadata/labels", "/data/a", "/spec", "/metadata/uid", "x"]),
            "from": st.sampled_from(["", "/metadata", "/data", "/kind"]),
            "value": _JSON,
        },
    ),
    max_size=4,
)
_BODIES = st.one_of(
    st.binary(max_size=60),
    _JSON.map(lambda value: json.dumps(value).encode()),
    _OBJECTS.map(lambda value: json.dumps(value).encode()),
    _OPERATIONS.map(lambda value: json.dumps(value).encode()),
    st.just(b"[" * 5000 + b"]" * 5000),
    st.just(b'{"metadata":{"name":"a"},"data":{"n":' + b"9" * 5000 + b"}}"),
    st.just(b'{"metadata":{"name":"\xff"}}'),
    st.just(b'{"metadata":{"name":"a","name":"b"}}'),
    st.just(b'{"data":{"n":NaN}}'),
)
_PLURALS = st.sampled_from(
    [
        "/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/secrets", "/api/v1/namespaces/default/events",
        "/api/v1/namespaces", "/api/v1/nodes", "/apis/example.com/v1/namespaces/default/widgets",
        "/apis/coordination.k8s.io/v1/namespaces/default/leases", CRDS, "/api/v1/configmaps", "/api", "/apis", "/apis/x/y/z", "",
    ]
)  # fmt: skip
_TAILS = st.sampled_from(
    ["", "/a", "/b", "/widgets.example.com", "/a/status", "/a/finalize", "/a/b/c/d", "/%ff", "/%2e%2e", "//", "/\u00e9"]
)
_PATHS = st.builds(lambda plural, tail: plural + tail, _PLURALS, _TAILS) | st.text(max_size=30)
_VALUES = st.sampled_from(
    ["", "true", "false", "0", "1", "-1", "abc", "99999999999999999999", "All", "Strict", "Exact", "NotOlderThan", "a=b", "a in (b)",
     "metadata.name=a", "spec.x=1", "=", "((", "WzEsIiIsIiJd", "e30", "\x00", "Foreground", "Orphan"]
) | st.text(max_size=8)  # fmt: skip
_QUERIES = st.lists(
    st.tuples(
        st.sampled_from(
            ["limit", "continue", "resourceVersion", "resourceVersionMatch", "labelSelector", "fieldSelector", "dryRun",
             "fieldValidation", "propagationPolicy", "orphanDependents", "gracePeriodSeconds", "watch", "allowWatchBookmarks",
             "sendInitialEvents", "includeObject", "pretty", "x"]
        ),
        _VALUES,
    ),
    max_size=3,
)  # fmt: skip
_HEADERS = st.fixed_dictionaries(
    {
        "content-type": st.sampled_from(
            [JSON, JSON, MERGE, JSON_PATCH, STRATEGIC, "application/yaml", "application/apply-patch+yaml", "text/plain", "", ";;",
             "application/vnd.kubernetes.protobuf"]
        ),
        "accept": st.sampled_from(
            [JSON, "*/*", "", TABLE, METADATA_ONLY.replace("Metadata;", "MetadataList;"), ",;=,",
             "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf,application/json"]
        ),
    }
)  # fmt: skip
_METHODS = st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "get", ""])


async def _refused_or_served(api: Api, request: Request) -> None:
    async with asyncio.timeout(30):
        found = await api.server.handle(request)
    if not isinstance(found, Answer):
        await found.close()
        return
    assert found.status < 500 or found.status == 504, (request, found)
    if found.status >= 400:
        status = json.loads(found.body)
        assert (status["kind"], status["status"], status["code"]) == ("Status", "Failure", found.status)
        assert status["message"], request
        assert status["reason"], request


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.builds(
            lambda method, path, query, headers, body: Request(method, path, tuple(query), headers, body),
            _METHODS, _PATHS, _QUERIES, _HEADERS, _BODIES,
        ),
        min_size=1,
        max_size=12,
    )
)  # fmt: skip
async def test_every_request_is_served_or_refused_with_words(requests):
    """A server that fails on bad input fails for everybody, and tells the one who sent it nothing."""
    async with serving() as api:
        await with_widgets(api)
        await api.has("a", "b")
        for request in requests:
            await _refused_or_served(api, request)
        assert (await api.get("/api/v1/namespaces/default/configmaps")).code == 200


def _somewhere(document: Any, junk: Any, draw: Any) -> Any:
    """The document with junk in a random place."""
    if isinstance(document, dict) and document and draw(st.booleans() | st.just(value=True)):
        key = draw(st.sampled_from(sorted(document)))
        return {**document, key: _somewhere(document[key], junk, draw)}
    if isinstance(document, list) and document:
        return [_somewhere(document[0], junk, draw), *document[1:]]
    return junk


@st.composite
def _damaged(draw: Any, documents: Any) -> Any:
    return _somewhere(draw(documents), draw(_JSON), draw)


_WELL_FORMED = st.sampled_from(
    [
        (CRDS, widget_definition()),
        (
            "/api/v1/namespaces/default/secrets",
            {"metadata": {"name": "s"}, "type": "Opaque", "data": {"a": "YQ=="}, "stringData": {"b": "x"}},
        ),
        ("/api/v1/namespaces", {"metadata": {"name": "n"}, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}),
        ("/api/v1/nodes", {"metadata": {"name": "n"}, "spec": {"taints": [{"key": "a"}]}, "status": {"conditions": [{"type": "Ready"}]}}),
        (
            "/apis/coordination.k8s.io/v1/namespaces/default/leases",
            {"metadata": {"name": "l"}, "spec": {"holderIdentity": "a", "leaseDurationSeconds": 3, "renewTime": None}},
        ),
        (
            "/api/v1/namespaces/default/events",
            {"metadata": {"name": "e"}, "involvedObject": {"kind": "X", "name": "y", "namespace": "default"}, "count": 1},
        ),
        (
            "/apis/example.com/v1/namespaces/default/widgets",
            {
                "metadata": {"name": "w", "ownerReferences": [{"apiVersion": "v1", "kind": "X", "name": "y", "uid": "z"}]},
                "spec": {"size": 1},
            },
        ),
    ]
)


@pytest.mark.parametrize("verb", ["POST", "PUT", "PATCH"])
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
async def test_a_damaged_object_is_refused_with_words(verb, data):
    """A mistake deep inside a document is where a reader trips who trusts the rest."""
    path, document = data.draw(_WELL_FORMED)
    damaged = data.draw(_damaged(st.just(document)))
    async with serving() as api:
        if path != CRDS or verb != "POST":
            await with_widgets(api)
        if verb != "POST" and path != CRDS:
            await api.post(path, document)
        name = "" if verb == "POST" else f"/{document['metadata']['name']}"
        kind = data.draw(st.sampled_from([MERGE, STRATEGIC])) if verb == "PATCH" else JSON
        body = json.dumps(damaged).encode()
        for subresource in ("", "/status") if name else ("",):
            await _refused_or_served(api, Request(verb, path + name + subresource, (), {"content-type": kind}, body))
        for form in (JSON, TABLE):
            await _refused_or_served(api, Request("GET", path, (), {"accept": form}))
