"""Who asks for a table gets one: for an object, a list, and every event of a watch."""

import json

import pytest
from tests.support.embedded import embedded_api
from tests.support.requests import ask, open_watch
from tests.support.widgets import CRD_PATH, WIDGETS_PATH, definition, widget

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@pytest.fixture
async def server():
    async with embedded_api() as server:
        await ask(server, "POST", CRD_PATH, definition())
        for name in ("w1", "w2", "w3"):
            await ask(server, "POST", WIDGETS_PATH, widget(name))
        yield server


def names(table):
    return [row["cells"][0] for row in table["rows"]]


async def test_a_list_is_given_as_a_table_in_pages(server):
    """A long list does not come at once, and says how to go on."""
    _, first = await ask(server, "GET", WIDGETS_PATH, accept=TABLE, limit="2")
    _, second = await ask(server, "GET", WIDGETS_PATH, accept=TABLE, limit="2", **{"continue": first["metadata"]["continue"]})

    assert first["kind"] == "Table"
    assert [column["name"] for column in first["columnDefinitions"]] == ["Name", "Size", "Ready", "Color", "Age"]
    assert [column["priority"] for column in first["columnDefinitions"]] == [0, 0, 0, 1, 0]
    assert (names(first), names(second)) == (["w1", "w2"], ["w3"])
    assert first["metadata"]["remainingItemCount"] == 1
    assert first["metadata"]["resourceVersion"] == second["metadata"]["resourceVersion"]


async def test_one_object_is_a_table_of_one_row(server):
    """``kubectl get KIND NAME`` is a table too."""
    _, table = await ask(server, "GET", f"{WIDGETS_PATH}/w1", accept=TABLE, includeObject="Object")

    assert names(table) == ["w1"]
    assert table["rows"][0]["object"]["spec"] == {"size": 3, "color": "red"}
    assert table["metadata"]["resourceVersion"] == table["rows"][0]["object"]["metadata"]["resourceVersion"]


async def test_what_is_refused_is_no_table(server):
    """A Status stays a Status, in whatever form answers were asked for."""
    status, refusal = await ask(server, "GET", f"{WIDGETS_PATH}/none", accept=TABLE)
    wrong, _ = await ask(server, "GET", WIDGETS_PATH, accept=TABLE, includeObject="Much")

    assert (status, refusal["kind"]) == (404, "Status")
    assert wrong == 400


async def test_each_event_of_a_watch_is_a_table_and_the_first_has_the_headers(server):
    """Kubectl prints the headers once."""
    watch = await open_watch(server, WIDGETS_PATH, accept=TABLE)
    events = []
    await ask(server, "PATCH", f"{WIDGETS_PATH}/w2", {"spec": {"size": 9}}, content="application/merge-patch+json")
    async for piece in watch:
        events += [json.loads(line) for line in piece.splitlines()]
        if len(events) == 4:
            break
    await watch.close()

    assert [(event["type"], *event["object"]["rows"][0]["cells"][:2]) for event in events] == [
        ("ADDED", "w1", 3),
        ("ADDED", "w2", 3),
        ("ADDED", "w3", 3),
        ("MODIFIED", "w2", 9),
    ]
    assert [bool(event["object"]["columnDefinitions"]) for event in events] == [True, False, False, False]


async def test_metadata_alone_can_be_asked_for(server):
    """Who only looks at labels or owners need not take the rest."""
    accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    _, listed = await ask(server, "GET", WIDGETS_PATH, accept=accept)

    assert listed["kind"] == "PartialObjectMetadataList"
    assert {item["kind"] for item in listed["items"]} == {"PartialObjectMetadata"}
    assert all("spec" not in item for item in listed["items"])
