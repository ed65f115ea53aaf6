"""``kubectl explain`` and kubectl's own checks rest on these documents."""

import json

import pytest
from tests.support.embedded import embedded_api
from tests.support.requests import answer_of, ask
from tests.support.widgets import CRD_PATH, definition, version


@pytest.fixture
async def server():
    async with embedded_api() as server:
        await ask(server, "POST", CRD_PATH, definition())
        yield server


async def _document(server, name):
    _, index = await ask(server, "GET", "/openapi/v3")
    path, _, query = index["paths"][name]["serverRelativeURL"].partition("?")
    assert query.startswith("hash=")
    _, document = await ask(server, "GET", path)
    return document


async def test_each_group_and_version_has_a_document(server):
    """A client takes the one that it needs."""
    _, index = await ask(server, "GET", "/openapi/v3")

    assert set(index["paths"]) == {"api/v1", "apis/apiextensions.k8s.io/v1", "apis/coordination.k8s.io/v1", "apis/example.com/v1"}


async def test_a_custom_kind_is_described_by_its_schema(server):
    """What the author of a kind wrote is what ``explain`` shows."""
    document = await _document(server, "apis/example.com/v1")
    widget = document["components"]["schemas"]["com.example.v1.Widget"]

    assert widget["x-kubernetes-group-version-kind"] == [{"group": "example.com", "version": "v1", "kind": "Widget"}]
    assert widget["properties"]["spec"]["properties"]["size"]["description"] == "How large it is."
    assert widget["properties"]["metadata"]["allOf"][0]["$ref"].endswith("ObjectMeta")


async def test_every_reference_leads_somewhere(server):
    """A reference into nothing makes kubectl fail on the whole document."""
    for name in ("api/v1", "apis/apiextensions.k8s.io/v1", "apis/coordination.k8s.io/v1", "apis/example.com/v1"):
        document = await _document(server, name)
        known = {f"#/components/schemas/{key}" for key in document["components"]["schemas"]}
        assert set(_references(document)) <= known
    _, older = await ask(server, "GET", "/openapi/v2")
    assert set(_references(older)) <= {f"#/definitions/{key}" for key in older["definitions"]}


def _references(value):
    if isinstance(value, dict):
        yield from ([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


async def test_a_patch_says_that_the_server_checks_fields_and_can_rehearse(server):
    """Without these parameters kubectl checks by itself, or refuses ``--dry-run=server``."""
    document = await _document(server, "apis/example.com/v1")
    patch = document["paths"]["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]["patch"]

    assert {"dryRun", "fieldValidation"} <= {parameter["name"] for parameter in patch["parameters"]}
    assert "application/apply-patch+yaml" not in patch["requestBody"]["content"]


async def test_the_hash_changes_with_the_document_and_not_otherwise(server):
    """Kubectl keeps a document for as long as its address is the same."""
    before = (await ask(server, "GET", "/openapi/v3"))[1]["paths"]
    changed = definition(version(schema={"type": "object", "properties": {"spec": {"type": "object"}}}))
    changed["metadata"]["resourceVersion"] = (await ask(server, "GET", f"{CRD_PATH}/widgets.example.com"))[1]["metadata"]["resourceVersion"]

    status, _ = await ask(server, "PUT", f"{CRD_PATH}/widgets.example.com", changed)
    after = (await ask(server, "GET", "/openapi/v3"))[1]["paths"]

    assert status == 200
    assert after["api/v1"] == before["api/v1"]
    assert after["apis/example.com/v1"] != before["apis/example.com/v1"]


async def test_old_clients_that_speak_only_protobuf_get_an_empty_document(server):
    """They go on without schemas; an error would stop them."""
    protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"

    empty = await answer_of(server, "GET", "/openapi/v2", accept=protobuf)
    both = await answer_of(server, "GET", "/openapi/v2", accept=f"{protobuf},application/json")

    assert empty.body.startswith(b"\n\x032.0")
    assert "@" not in empty.headers["content-type"]  # Go can not read such a type
    assert json.loads(both.body)["swagger"] == "2.0"


async def test_a_form_that_is_not_spoken_is_refused(server):
    """Better no document than one that the client can not read."""
    status, body = await ask(server, "GET", "/openapi/v3/api/v1", accept="application/com.github.proto-openapi.spec.v3@v1.0+protobuf")

    assert (status, body["reason"]) == (406, "NotAcceptable")
