"""Objects as rows for people."""

from tests.support.raw_api import TABLE


def _columns(reply):
    return [(column["name"], column["type"], column["format"], column["priority"]) for column in reply.body["columnDefinitions"]]


async def test_a_custom_kind_has_the_columns_of_its_definition(widgets):
    """Its name first."""
    await widgets.make("widgets", "w", spec={"size": 5})
    await widgets.patch(widgets.at("widgets", "w", "status"), {"status": {"phase": "Ready"}})
    reply = await widgets.get(widgets.at("widgets"), accept=TABLE)
    assert _columns(reply) == [
        ("Name", "string", "name", 0),
        ("Size", "integer", "", 0),
        ("Phase", "string", "", 1),
        ("Age", "date", "", 0),
    ]
    cells = reply.body["rows"][0]["cells"]
    assert cells[:3] == ["w", 5, "Ready"]
    assert cells[3].endswith("s")
    assert reply.body["columnDefinitions"][2]["description"] == "How far it is"


async def test_what_is_not_there_is_an_empty_cell(widgets):
    """Not a word that could be a value."""
    await widgets.make("widgets", "w")
    row = (await widgets.get(widgets.at("widgets", "w"), accept=TABLE)).body["rows"][0]
    assert row["cells"][:3] == ["w", None, None]


async def test_a_row_brings_metadata_along_or_more_or_nothing(widgets):
    """As is asked for."""
    made = await widgets.make("widgets", "w")
    riders = {}
    for include in ("Metadata", "Object", "None"):
        row = (await widgets.get(widgets.at("widgets"), accept=TABLE, includeObject=include)).body["rows"][0]
        riders[include] = row["object"] and row["object"]["kind"]
    assert riders == {"Metadata": "PartialObjectMetadata", "Object": "Widget", "None": None}
    assert (await widgets.get(widgets.at("widgets"), accept=TABLE, includeObject="Bogus")).code == 400
    rider = (await widgets.get(widgets.at("widgets", "w"), accept=TABLE)).body["rows"][0]["object"]
    assert rider["metadata"]["uid"] == made.body["metadata"]["uid"]


async def test_an_empty_table_has_columns(widgets):
    """And no rows."""
    reply = await widgets.get(widgets.at("widgets"), accept=TABLE, labelSelector="zz")
    assert (reply.body["kind"], reply.body["apiVersion"], reply.body["rows"]) == ("Table", "meta.k8s.io/v1", [])
    assert len(reply.body["columnDefinitions"]) == 4


async def test_the_kinds_of_kubernetes_have_their_columns(home):
    """As kubectl has always shown them."""
    columns = {}
    for plural in ("configmaps", "secrets", "serviceaccounts", "leases", "namespaces", "customresourcedefinitions", "events", "nodes"):
        reply = await home.get(home.at(plural), accept=TABLE)
        columns[plural] = [name for name, *_, priority in _columns(reply) if priority == 0]
    assert columns == {
        "configmaps": ["Name", "Data", "Age"],
        "secrets": ["Name", "Type", "Data", "Age"],
        "serviceaccounts": ["Name", "Age"],
        "leases": ["Name", "Holder", "Age"],
        "namespaces": ["Name", "Status", "Age"],
        "customresourcedefinitions": ["Name", "Created At"],
        "events": ["Last Seen", "Type", "Reason", "Object", "Message"],
        "nodes": ["Name", "Status", "Roles", "Age", "Version"],
    }


async def test_cells_of_kubernetes_own_kinds(home):
    """Numbers where numbers are meant."""
    await home.make("configmaps", "c", data={"a": "1", "b": "2"})
    await home.make("secrets", "s", type="example.com/x", stringData={"a": "1"})
    await home.make("leases", "l", spec={"holderIdentity": "me"})
    cells = [
        (await home.get(home.at(plural, name), accept=TABLE)).body["rows"][0]["cells"][:-1]
        for plural, name in (("configmaps", "c"), ("secrets", "s"), ("leases", "l"))
    ]
    assert cells == [["c", 2], ["s", "example.com/x", 1], ["l", "me"]]
    name = home.own("nodes", "node")
    await home.make("nodes", name, spec={"unschedulable": True})
    row = (await home.get(home.at("nodes", name), accept=TABLE)).body["rows"][0]["cells"]
    assert row[:3] == [name, "Unknown,SchedulingDisabled", "<none>"] or row[:3] == [name, "NotReady,SchedulingDisabled", "<none>"]
