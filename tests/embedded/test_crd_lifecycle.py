"""A definition brings a kind, changes it, and takes it away with everything in it."""

import pytest
from tests.support.embedded import embedded_api
from tests.support.requests import answer_of, ask, until
from tests.support.widgets import CRD_PATH, WIDGETS_PATH, definition, version, widget

from holdfast.api.struct import decode
from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.process import Process

ONE = f"{CRD_PATH}/widgets.example.com"


@pytest.fixture
async def server():
    async with embedded_api() as server:
        yield server


async def created(server, body=None):
    status, found = await ask(server, "POST", CRD_PATH, body or definition())
    assert status == 201, found
    return found


def conditions(found):
    return {item["type"]: (item["status"], item["reason"]) for item in found["status"]["conditions"]}


async def test_a_definition_is_completed_and_established(server):
    """``kubectl wait --for=condition=established`` comes next in every script."""
    found = await created(server)

    assert found["spec"]["names"]["singular"] == "widget"
    assert found["spec"]["names"]["listKind"] == "WidgetList"
    assert found["spec"]["conversion"] == {"strategy": "None"}
    assert found["status"]["storedVersions"] == ["v1"]
    assert found["status"]["acceptedNames"] == found["spec"]["names"]
    assert conditions(found) == {"NamesAccepted": ("True", "NoConflicts"), "Established": ("True", "InitialNamesAccepted")}
    assert found["metadata"]["generation"] == 1


async def test_objects_can_be_made_as_soon_as_the_definition_is_there(server):
    """No script should have to wait and try again."""
    await created(server)

    status, found = await ask(server, "POST", WIDGETS_PATH, widget(color=None))

    assert status == 201
    assert found["spec"] == {"size": 3, "color": "red"}


async def test_custom_objects_survive_a_restart():
    """The kinds come back with the journal, before anybody asks for them."""
    journal = MemoryJournal()
    first = await Server.open(Process("first"), journal)
    await ask(first, "POST", CRD_PATH, definition())
    await ask(first, "POST", WIDGETS_PATH, widget())
    await first.close()

    second = await Server.open(Process("second"), journal)
    status, found = await ask(second, "GET", f"{WIDGETS_PATH}/w1")
    await second.close()

    assert (status, found["spec"]["size"]) == (200, 3)


async def test_an_object_is_seen_in_every_served_version(server):
    """Versions differ in name alone: there is no conversion."""
    await created(server, definition(version("v1"), version("v1beta1", storage=False)))
    await ask(server, "POST", WIDGETS_PATH, widget())

    _, older = await ask(server, "GET", WIDGETS_PATH.replace("/v1/", "/v1beta1/") + "/w1")
    _, newer = await ask(server, "GET", WIDGETS_PATH + "/w1")

    assert older["apiVersion"] == "example.com/v1beta1"
    assert newer["apiVersion"] == "example.com/v1"
    assert older["metadata"]["uid"] == newer["metadata"]["uid"]


async def test_a_version_that_is_not_served_is_not_there(server):
    """A version can be retired before its objects are."""
    await created(server, definition(version("v1"), version("v1beta1", storage=False, served=False)))

    assert (await answer_of(server, "GET", "/apis/example.com/v1beta1/widgets")).status == 404


async def test_a_new_storage_version_is_remembered_beside_the_old(server):
    """Objects may be kept in either, so neither can be taken out."""
    found = await created(server)
    found["spec"]["versions"] = [version("v2"), version("v1", storage=False)]
    _, changed = await ask(server, "PUT", ONE, found)
    changed["spec"]["versions"] = [version("v2")]

    status, refusal = await ask(server, "PUT", ONE, changed)

    assert changed["status"]["storedVersions"] == ["v1", "v2"]
    assert status == 422
    assert "v1 was previously a storage version" in refusal["message"]


async def test_a_schema_that_changes_holds_from_then_on(server):
    """Rules can be tightened while the server runs."""
    found = await created(server)
    found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]["maximum"] = 5
    await ask(server, "PUT", ONE, found)

    assert (await answer_of(server, "POST", WIDGETS_PATH, widget(size=6))).status == 422
    assert (await answer_of(server, "POST", WIDGETS_PATH, widget(size=5))).status == 201


@pytest.mark.parametrize("accept", ["", "application/json;as=Table;v=v1;g=meta.k8s.io"])
async def test_a_new_default_is_seen_in_objects_that_were_there_before(server, accept):
    """Who reads relies on the schema, whenever the object was written; reading writes nothing."""
    found = await created(server)
    _, before = await ask(server, "POST", WIDGETS_PATH, widget())
    shape = {"type": "string", "default": "round"}
    found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["shape"] = shape
    found["spec"]["versions"][0]["additionalPrinterColumns"] = [{"name": "Shape", "type": "string", "jsonPath": ".spec.shape"}]
    await ask(server, "PUT", ONE, found)

    _, one = await ask(server, "GET", f"{WIDGETS_PATH}/w1", accept=accept)
    _, listed = await ask(server, "GET", WIDGETS_PATH, accept=accept)

    if accept:
        assert one["rows"][0]["cells"] == listed["rows"][0]["cells"] == ["w1", "round"]
    else:
        assert one["spec"]["shape"] == listed["items"][0]["spec"]["shape"] == "round"
        assert one["metadata"] == before["metadata"]


async def test_what_a_kind_is_can_not_be_changed(server):
    """Its objects lie under these names."""
    found = await created(server)
    found["spec"]["scope"] = "Cluster"
    found["spec"]["names"]["kind"] = "Gadget"

    status, refusal = await ask(server, "PUT", ONE, found)

    assert status == 422
    assert {cause["field"] for cause in refusal["details"]["causes"]} == {"spec.scope", "spec.names.kind"}


async def test_names_that_are_taken_are_not_accepted(server):
    """Two kinds of one name would make every request ambiguous."""
    await created(server)

    rival = await created(server, definition(plural="gadgets", kind="Widget"))

    assert conditions(rival)["NamesAccepted"] == ("False", "ListKindConflict")
    assert conditions(rival)["Established"] == ("False", "NotAccepted")
    assert (await answer_of(server, "GET", "/apis/example.com/v1/gadgets")).status == 404


async def test_a_definition_takes_its_objects_with_it(server):
    """Nothing of a kind is left behind when it goes."""
    await created(server)
    for name in ("w1", "w2"):
        await ask(server, "POST", WIDGETS_PATH, widget(name))
    await until(server, CRD_PATH, "DELETED", ask(server, "DELETE", ONE))

    assert (await answer_of(server, "GET", ONE)).status == 404
    assert (await answer_of(server, "GET", WIDGETS_PATH)).status == 404
    await created(server)
    assert (await ask(server, "GET", WIDGETS_PATH))[1]["items"] == []


async def test_a_definition_waits_for_objects_that_are_held(server):
    """A finalizer on an object is respected; meanwhile the kind takes no new objects."""
    await created(server)
    held = widget()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    await ask(server, "POST", WIDGETS_PATH, held)
    await until(server, WIDGETS_PATH, "deletionTimestamp", ask(server, "DELETE", ONE))

    status, ending = await ask(server, "GET", ONE)
    assert status == 200
    assert conditions(ending)["Terminating"] == ("True", "InstanceDeletionInProgress")
    assert ending["status"]["conditions"][-1]["lastTransitionTime"] == ending["metadata"]["deletionTimestamp"]
    assert (await answer_of(server, "POST", WIDGETS_PATH, widget("late"))).status == 403
    assert (await answer_of(server, "GET", f"{WIDGETS_PATH}/w1")).status == 200


async def test_a_definition_that_ends_says_what_holds_it_and_is_no_new_generation(server):
    """Until then it carries no finalizer, so a copy of it can be applied elsewhere."""
    assert "finalizers" not in (await created(server))["metadata"]
    held = widget()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    await ask(server, "POST", WIDGETS_PATH, held)

    await ask(server, "DELETE", ONE)
    _, ending = await ask(server, "GET", ONE)

    assert ending["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    assert ending["metadata"]["generation"] == 1
    assert "deletionGracePeriodSeconds" not in ending["metadata"]


async def test_rules_in_cel_are_accepted_with_a_warning(server):
    """Longhorn's definitions can be loaded; nobody is led to believe that their rules hold here."""
    rule = {"rule": "self.size < 10", "message": "too large"}
    spec = {"type": "object", "x-kubernetes-validations": [rule], "properties": {"size": {"type": "integer"}}}
    body = definition(version(schema={"type": "object", "properties": {"spec": spec}}))

    answer = await answer_of(server, "POST", CRD_PATH, body)

    assert answer.status == 201
    assert "CEL validation rules are not enforced by this API server" in answer.headers["warning"]
    assert (await answer_of(server, "POST", WIDGETS_PATH, widget(size=11))).status == 201


@pytest.mark.parametrize(
    "change,words",
    [
        ({"conversion": {"strategy": "Webhook", "webhook": {}}}, "conversion webhooks are not called by this API server"),
        (
            {"versions": [{**version(), "subresources": {"scale": {"specReplicasPath": ".spec.size"}}}]},
            "the scale subresource is not served by this API server",
        ),
    ],
)
async def test_what_this_server_does_not_do_is_refused_by_name(server, change, words):
    """Better refused at once than found out later."""
    status, refusal = await ask(server, "POST", CRD_PATH, definition(**change))

    assert status == 422
    assert words in refusal["message"]


@pytest.mark.parametrize(
    "spec",
    [
        None,
        [],
        "x",
        {},
        {"versions": "v1"},
        {"versions": [1]},
        {"versions": [{"name": []}]},
        {"names": []},
        {"group": 1, "names": {"kind": {}}},
    ],
)
async def test_a_misshapen_definition_is_refused_with_words(server, spec):
    """Whatever is sent, the answer is a refusal and never a failure of the server."""
    body = definition()
    body["spec"] = {**body["spec"], **spec} if isinstance(spec, dict) and spec else spec

    status, refusal = await ask(server, "POST", CRD_PATH, body)

    assert 400 <= status < 500, refusal
    assert refusal["message"]


async def test_status_is_written_by_its_own_path_alone(server):
    """A spec that is written back can not overwrite what a controller says, nor the other way round."""
    await created(server)
    _, found = await ask(server, "POST", WIDGETS_PATH, {**widget(), "status": {"conditions": []}})
    assert "status" not in found

    found["status"] = {"conditions": [{"type": "Ready", "status": "True"}]}
    found["spec"]["size"] = 9
    _, after = await ask(server, "PUT", f"{WIDGETS_PATH}/w1/status", found)

    assert after["status"] == found["status"]
    assert after["spec"]["size"] == 3
    assert after["metadata"]["generation"] == 1


async def test_a_finalizer_without_a_domain_is_taken_with_a_warning_once(server):
    """Two writers could mean different things by the same short word; who wrote it is told, nobody else."""
    await created(server)
    held = widget()
    held["metadata"]["finalizers"] = ["hold", "example.com/hold"]

    made = await answer_of(server, "POST", WIDGETS_PATH, held)
    replaced = await answer_of(server, "PUT", f"{WIDGETS_PATH}/w1", decode(made.body, dict))

    assert made.headers["warning"].count("prefer a domain-qualified finalizer name") == 1
    assert "warning" not in replaced.headers
