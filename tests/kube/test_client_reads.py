"""Reading objects: what arrives as types, and what is asked for."""

import pytest
from tests.support.fake_api import FakeApi, Line, Seen, refuses, says

from holdfast.api.core import ConfigMap, Node
from holdfast.api.errors import BadRequest, Expired, NotFound
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.wire import Request
from holdfast.kube.client import Client
from holdfast.kube.refusals import Unreadable


def page(*names: str, continue_: str = "", version: str = "7") -> dict[str, object]:
    return {"metadata": {"resourceVersion": version, "continue": continue_}, "items": [{"metadata": {"name": name}} for name in names]}


async def test_an_object_is_read_as_its_type(client: Client, api: FakeApi):
    """The fields that we know arrive; the others cost nothing and hurt nothing."""
    api.answers(says({"kind": "Node", "metadata": {"name": "n1"}, "spec": {"unschedulable": True, "podCIDR": "10.0.0.0/24"}}))

    node = await client.get(Node, "n1")

    assert (node.metadata.name, node.spec.unschedulable) == ("n1", True)
    assert api.requests[0].path == "/api/v1/nodes/n1"


async def test_every_request_says_who_asks(client: Client, api: FakeApi):
    """Whoever runs the cluster finds us in the audit log, and managedFields name us."""
    api.answers(says(page()))

    await client.list(Node)

    assert api.requests[0].headers["user-agent"] == "holdfast"
    assert api.requests[0].headers["accept"] == "application/json"


async def test_a_raw_request_says_who_asks_too(client: Client, api: FakeApi):
    """What has no type yet goes the same way, with the same retries and errors."""
    api.answers(refuses(429, "TooManyRequests"), says("ok"), refuses(404, "NotFound"))

    answer = await client.send(Request("GET", "/version", headers={"accept": "text/plain"}))
    with pytest.raises(NotFound):
        await client.send(Request("GET", "/version"))

    assert answer.body == b"ok"
    assert api.requests[1].headers["user-agent"] == "holdfast"
    assert [seen.headers["accept"] for seen in api.requests] == ["text/plain", "text/plain", "application/json"]


async def test_a_list_of_one_namespace_or_of_all_is_asked_with_its_selectors(client: Client, api: FakeApi):
    """Selectors are what keeps a list small: they must reach the server unharmed."""
    api.answers(says(page()), says(page()))

    await client.list(DiskSchedule, "longhorn-system", labels="a in (b,c),d!=e&f", fields="metadata.name=x")
    await client.list(DiskSchedule)

    one, every = api.requests
    assert one.path == "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/diskschedules"
    assert one.query == {"labelSelector": "a in (b,c),d!=e&f", "fieldSelector": "metadata.name=x", "limit": "500"}
    assert every.path == "/apis/longhorn.io/v1beta2/diskschedules"


async def test_a_huge_list_is_read_in_pages_as_one_listing(client: Client, api: FakeApi):
    """Ten thousand objects must neither time out in one answer nor lose one between two."""
    names = [f"n{number}" for number in range(1050)]

    def serve(seen: Seen) -> Line:
        start, size = int(seen.query.get("continue", "0")), int(seen.query["limit"])
        following = str(start + size) if start + size < len(names) else ""
        return says(page(*names[start : start + size], continue_=following))

    api.decides = serve

    listing = await client.list(Node, page=100)

    assert [node.metadata.name for node in listing.items] == names
    assert listing.resource_version == "7"
    assert len(api.requests) == 11
    assert api.connections == 1


async def test_pages_that_expire_midway_are_read_again_as_one_whole_list(client: Client, api: FakeApi):
    """A list that takes longer than the server remembers ends all the same, and holds nothing twice."""
    api.answers(says(page("a", "b", continue_="next")), refuses(410, "Expired"), says(page("a", "b", "c", version="9")))

    listing = await client.list(Node, labels="x=y")

    assert [node.metadata.name for node in listing.items] == ["a", "b", "c"]
    assert listing.resource_version == "9"
    assert api.requests[2].query == {"labelSelector": "x=y"}


async def test_a_list_that_is_expired_from_the_start_says_so(client: Client, api: FakeApi):
    """Only a continuation can be given up; anything else would loop."""
    api.answers(refuses(410, "Expired"))

    with pytest.raises(Expired):
        await client.list(Node)
    assert len(api.requests) == 1


async def test_an_empty_list_of_go_is_null(client: Client, api: FakeApi):
    """Go writes null for a list without items."""
    api.answers(says({"metadata": {"resourceVersion": "3"}, "items": None}))

    assert (await client.list(Node)).items == ()


@pytest.mark.parametrize("name, path", [("a/b", "a%2Fb"), ("a?b#c", "a%3Fb%23c"), ("ü %", "%C3%BC%20%25")])
async def test_a_name_stays_one_part_of_the_path(client: Client, api: FakeApi, name: str, path: str):
    """A name that came from a person must not reach another object, or another API."""
    api.answers(says({"metadata": {"name": name}}))

    await client.get(ConfigMap, name, "default")

    assert api.requests[0].path == f"/api/v1/namespaces/default/configmaps/{path}"


@pytest.mark.parametrize("name", ["", ".", ".."])
async def test_a_name_that_would_lead_elsewhere_is_refused_at_once(client: Client, api: FakeApi, name: str):
    """DELETE without a name would delete the whole collection."""
    with pytest.raises(BadRequest):
        await client.get(Node, name)
    with pytest.raises(BadRequest):
        await client.delete(Node, name)
    with pytest.raises(BadRequest):
        await client.get(ConfigMap, "name", name)
    assert api.requests == []


async def test_an_answer_of_somebody_else_is_told_as_such(client: Client, api: FakeApi):
    """A login page answers 200 to everything; the address is wrong, not the object."""
    api.answers(says("<html><title>Please log in</title></html>"))

    with pytest.raises(Unreadable, match=r"GET /api/v1/nodes/n was answered with \"Please log in\": is this a Kubernetes API\?"):
        await client.get(Node, "n")


async def test_an_object_of_another_shape_is_told_with_its_field(client: Client, api: FakeApi):
    """To skip such an object would be to decide without it."""
    api.answers(says({"metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": "n"}, "spec": {"unschedulable": "yes"}}]}))

    with pytest.raises(Unreadable, match=r"items\[0\].spec.unschedulable"):
        await client.list(Node)
