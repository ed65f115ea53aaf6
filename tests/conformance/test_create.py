"""Making objects: what the server sets, what it takes from the client, and what it refuses."""

import re
from typing import Any

from tests.support.home import causes, kept


async def test_what_is_made_is_answered_whole(home):
    """A client goes on with the answer, without another read."""
    made = await home.make("secrets", "a", {"labels": {"l": "1"}}, data={"k": "dg=="})
    metadata = made.body["metadata"]
    assert (made.body["apiVersion"], made.body["kind"], made.body["type"]) == ("v1", "Secret", "Opaque")
    assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", metadata["uid"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata["creationTimestamp"])
    assert metadata["resourceVersion"].isdecimal()
    assert kept(made)["metadata"] == {"name": "a", "namespace": home.namespace, "labels": {"l": "1"}}
    assert kept(await home.get(home.at("secrets", "a"))) == kept(made)


async def test_a_name_is_given_once(home):
    """Two that want the same name: one of them learns that it came second."""
    await home.make("configmaps", "a")
    second = await home.post(home.at("configmaps"), {"metadata": {"name": "a"}})
    assert (second.code, second.reason) == (409, "AlreadyExists")
    assert second.body["details"] == {"name": "a", "kind": "configmaps"}
    assert second.body["status"] == "Failure"


async def test_a_namespace_must_be_there(home):
    """Nothing is made where nobody would find it."""
    reply = await home.post("/api/v1/namespaces/not-there/configmaps", {"metadata": {"name": "a"}})
    assert (reply.code, reply.reason) == (404, "NotFound")
    assert reply.body["details"] == {"name": "not-there", "kind": "namespaces"}


async def test_a_name_is_made_from_a_prefix(home):
    """Who makes many needs no names for them; a prefix too long for a name is cut."""
    made = await home.post(home.at("configmaps"), {"metadata": {"generateName": "part-"}})
    long = await home.post(home.at("configmaps"), {"metadata": {"generateName": "x" * 60}})
    assert re.fullmatch("part-[bcdfghjklmnpqrstvwxz2456789]{5}", made.body["metadata"]["name"])
    assert made.body["metadata"]["generateName"] == "part-"
    assert len(long.body["metadata"]["name"]) == 63


async def test_a_name_counts_more_than_a_prefix(home):
    """Both may be given."""
    made = await home.make("configmaps", "named", {"generateName": "part-"})
    assert (made.body["metadata"]["name"], made.body["metadata"]["generateName"]) == ("named", "part-")


async def test_an_object_needs_a_name(home):
    """The refusal says what is missing, in a form that a program can read."""
    bodies: tuple[dict[str, Any], ...] = ({}, {"metadata": {}}, {"metadata": {"name": ""}})
    for body in bodies:
        reply = await home.post(home.at("configmaps"), body)
        assert (reply.code, reply.reason, causes(reply)) == (422, "Invalid", [("FieldValueRequired", "metadata.name")])
        assert reply.body["details"]["kind"] == "ConfigMap"


async def test_kind_and_version_go_without_saying_for_kinds_of_kubernetes(home):
    """The URL has said them."""
    made = await home.post(home.at("configmaps"), {"metadata": {"name": "a"}})
    half = await home.post(home.at("configmaps"), {"kind": "ConfigMap", "metadata": {"name": "b"}})
    assert [(reply.code, reply.body["kind"], reply.body["apiVersion"]) for reply in (made, half)] == [(201, "ConfigMap", "v1")] * 2


async def test_an_object_of_another_kind_is_refused(home):
    """A mistake in the URL must not become an object."""
    for body in ({"kind": "Secret", "apiVersion": "v1"}, {"kind": "Nope", "apiVersion": "v1"}, {"kind": "ConfigMap", "apiVersion": "v2"}):
        reply = await home.post(home.at("configmaps"), {**body, "metadata": {"name": "a"}})
        assert (reply.code, reply.reason) == (400, "BadRequest"), body


async def test_an_object_says_the_namespace_of_its_url_or_none(home):
    """Else nobody knows which of both was meant."""
    reply = await home.post(home.at("configmaps"), {"metadata": {"name": "a", "namespace": "default"}})
    assert (reply.code, reply.reason) == (400, "BadRequest")


async def test_only_the_server_says_who_and_when(home):
    """An identity that a client could choose would be none."""
    told = {"uid": "mine", "creationTimestamp": "2001-01-01T00:00:00Z", "deletionTimestamp": "2001-01-01T00:00:00Z"}
    made = await home.make("configmaps", "a", {**told, "deletionGracePeriodSeconds": 5, "selfLink": "/x"})
    metadata = made.body["metadata"]
    assert metadata["uid"] != "mine"
    assert not metadata["creationTimestamp"].startswith("2001")
    assert not {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"} & set(metadata)


async def test_a_new_object_has_no_version_yet(home):
    """Who sends one has read an object that is gone; 0 and nothing mean the same."""
    made = await home.post(home.at("configmaps"), {"metadata": {"name": "a", "resourceVersion": ""}})
    zero = await home.post(home.at("configmaps"), {"metadata": {"name": "b", "resourceVersion": "0"}})
    assert (made.code, zero.code) == (201, 201)
    assert zero.body["metadata"]["resourceVersion"] != "0"


async def test_a_collection_takes_new_objects_and_nothing_else(home):
    """What does not exist is refused by name: 405, with the reason."""
    await home.make("configmaps", "a")
    refused = [
        await home.put(home.at("configmaps"), {}),
        await home.patch(home.at("configmaps"), {}),
        await home.post(home.at("configmaps", "a"), {}),
        await home.post("/api/v1/configmaps", {}),
        await home.delete("/api/v1/configmaps"),
        await home.delete("/api/v1/namespaces"),
    ]
    assert [(reply.code, reply.reason) for reply in refused] == [(405, "MethodNotAllowed")] * 6


async def test_a_path_that_leads_nowhere_is_not_found(home):
    """Clients find out what is served by asking."""
    await home.make("configmaps", "a")
    nowhere = [
        home.at("configmaps", "a", "status"), f"{home.at('configmaps', 'a')}/b/c", "/api/v1/nope", "/api/v9/configmaps",
        "/apis/not.there/v1/things", "/nope", home.at("configmaps").replace("configmaps", "nodes"), "/api/v1/configmaps/a",
    ]  # fmt: skip
    assert [(await home.get(path)).code for path in nowhere] == [404] * len(nowhere)


async def test_one_that_is_not_there_is_named_in_the_refusal(home):
    """A program looks into details, not into words."""
    reply = await home.get(home.at("leases", "zz"))
    assert (reply.code, reply.reason) == (404, "NotFound")
    assert reply.body["details"] == {"name": "zz", "group": "coordination.k8s.io", "kind": "leases"}
    assert {**reply.body, "message": "", "details": {}} == {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "", "reason": "NotFound", "details": {},
        "code": 404,
    }  # fmt: skip
