"""What random scripts found and nobody had thought of: each was once answered differently here and there."""

import pytest
from tests.support.home import causes
from tests.support.raw_api import STRATEGIC


def _widget(name, **fields):
    return {"apiVersion": "conformance.example.com/v1", "kind": "Widget", "metadata": {"name": name}, **fields}


async def test_only_lists_of_custom_objects_say_what_each_item_is(widgets):
    """A reader of lists must not rest on what the other half of all lists lacks."""
    await widgets.make("secrets", "a")
    await widgets.make("widgets", "a")
    own = (await widgets.get(widgets.at("secrets"))).body
    custom = (await widgets.get(widgets.at("widgets"))).body

    assert [item["metadata"]["name"] for item in own["items"] if "kind" in item] == []
    assert [item["kind"] for item in custom["items"]] == ["Widget"]
    assert (custom["metadata"]["continue"], "continue" in own["metadata"]) == ("", False)


async def test_what_is_deleted_together_is_told_as_it_was(home):
    """The answer shows what was found, not what became of it."""
    await home.make("secrets", "held", {"finalizers": ["x.y/z"], "labels": {"set": "one"}})
    gone = await home.delete(home.at("secrets"), labelSelector="set=one")

    assert [item["metadata"]["name"] for item in gone.body["items"]] == ["held"]
    assert "deletionTimestamp" not in gone.body["items"][0]["metadata"]
    await home.patch(home.at("secrets", "held"), {"metadata": {"finalizers": None}})


async def test_who_takes_the_last_finalizer_away_is_not_told_of_the_end(home):
    """The answer has the revision before the end; watchers hear of the end at its own, with the object as it was kept."""
    await home.make("secrets", "a", {"finalizers": ["x.y/z"]})
    dying = await home.delete(home.at("secrets", "a"))
    last = await home.patch(home.at("secrets", "a"), {"metadata": {"finalizers": None}})
    assert (last.code, last.version, "finalizers" in last.body["metadata"]) == (200, dying.version, False)

    async with await home.watch(home.at("secrets"), resourceVersion=dying.version) as events:
        ended = await events.next()
    assert (ended["type"], ended["object"]["metadata"]["finalizers"]) == ("DELETED", ["x.y/z"])
    assert int(ended["object"]["metadata"]["resourceVersion"]) > int(dying.version)


async def test_an_end_that_has_begun_is_accepted_when_asked_for_in_the_oldest_way(home):
    """``orphanDependents: false`` is of a time when that was worth a code of its own."""
    await home.make("secrets", "a", {"finalizers": ["x.y/z"]})
    assert (await home.delete(home.at("secrets", "a"), {"orphanDependents": False})).code == 202
    await home.patch(home.at("secrets", "a"), {"metadata": {"finalizers": None}})


async def test_options_in_the_body_of_a_delete_speak_alone(home):
    """Those in the address are not heard beside them."""
    await home.make("secrets", "a")
    gone = await home.delete(home.at("secrets", "a"), {"gracePeriodSeconds": 5}, propagationPolicy="Foreground")
    assert (gone.code, gone.body["kind"]) == (200, "Status")


async def test_a_lease_is_made_by_who_puts_it(home):
    """But not again by who means one that is gone."""
    path = home.at("leases", "a")
    made = await home.put(path, {"metadata": {"name": "a"}, "spec": {"holderIdentity": "me"}})
    assert (made.code, made.body["spec"]) == (201, {"holderIdentity": "me"})
    await home.delete(path)
    assert (await home.put(path, made.body)).code == 409
    assert (await home.put(home.at("secrets", "a"), {"metadata": {"name": "a"}})).code == 404


async def test_a_lease_is_kept_as_go_writes_it(home):
    """Its spec is always there; its times have six digits, in UTC; fields behind closed gates are dropped."""
    bare = await home.make("leases", "bare")
    spec = {"renewTime": "2026-01-02T05:04:05.100000+02:00", "acquireTime": None, "preferredHolder": "you", "strategy": "Any"}
    full = await home.make("leases", "full", spec=spec)
    wrong = await home.post(home.at("leases"), {"metadata": {"name": "x"}, "spec": {"renewTime": "2026-01-02T03:04:05Z"}})

    assert bare.body["spec"] == {}
    assert full.body["spec"] == {"renewTime": "2026-01-02T03:04:05.100000Z"}
    assert wrong.code == 400


async def test_null_is_the_empty_text_in_a_map_and_absence_elsewhere(home):
    """As Go reads it."""
    made = await home.make("configmaps", "a", {"labels": {"l": None}, "annotations": None}, data={}, binaryData=None, immutable=None)
    assert made.body["metadata"]["labels"] == {"l": ""}
    assert {"annotations", "data", "binaryData", "immutable"} & {*made.body, *made.body["metadata"]} == set()


async def test_a_name_that_was_meant_to_be_generated_may_be_tried_again(home):
    """The answer says so, where the same create without a prefix is told nothing."""
    await home.make("secrets", "a")
    again = await home.post(home.at("secrets"), {"metadata": {"name": "a", "generateName": "b-"}})
    assert (again.code, again.reason, again.body["details"]["retryAfterSeconds"]) == (409, "AlreadyExists", 1)


async def test_an_owner_that_is_named_twice_is_kept_once(home):
    """With a warning; what differs in anything is another one."""
    owner = {"apiVersion": "v1", "kind": "Secret", "name": "o", "uid": "u"}
    made = await home.post(
        home.at("nodes"), {"metadata": {"name": home.own("nodes", "n"), "ownerReferences": [owner, owner, owner | {"name": "p"}]}}
    )
    assert [kept["name"] for kept in made.body["metadata"]["ownerReferences"]] == ["o", "p"]
    assert "warning" in made.headers


async def test_a_custom_object_says_itself_what_it_is(widgets):
    """What is no object is not read (400); what is another kind of object is judged (422)."""
    path = widgets.at("widgets")
    assert (await widgets.post(path, {"metadata": {"name": "a"}})).code == 400
    assert (await widgets.post(path, {"kind": "Widget", "metadata": {"name": "a"}})).code == 400
    other = await widgets.post(path, _widget("a") | {"kind": "Gadget"})
    assert (other.code, other.body["details"]["causes"][0]["field"], other.body["details"]["kind"]) == (422, "kind", "Gadget")


async def test_a_part_that_a_custom_kind_has_not_is_named(widgets):
    """So that a client can tell it from a server that does not know the kind."""
    missing = await widgets.get(widgets.at("widgets", "a", "scale"))
    assert (missing.code, missing.body["details"]["name"], missing.body["details"]["kind"]) == (404, "a", "widgets")


async def test_a_bad_name_is_told_beside_whatever_else_is_bad(home):
    """Nobody wants to hear of one mistake at a time."""
    refused = await home.post(home.at("secrets"), {"metadata": {"name": "Bad_Name", "labels": {"l": "bad value!"}}})
    assert {cause["field"] for cause in refused.body["details"]["causes"]} >= {"metadata.name", "metadata.labels"}


@pytest.mark.parametrize("metadata, code", [({"name": None}, 400), ({"name": "b"}, 400), ({"namespace": "b"}, 400), ({"uid": "b"}, 422)])
async def test_a_patch_can_not_make_another_object_of_it(home, metadata, code):
    """Whichever way it tries."""
    await home.make("secrets", "a")
    assert (await home.patch(home.at("secrets", "a"), {"metadata": metadata})).code == code


async def test_a_patch_whose_result_can_not_be_read_is_at_fault_itself(home):
    """The object was fine: the field that is named is the patch."""
    await home.make("configmaps", "a")
    for patch, query in (({"data": {"k": 1}}, {}), ({"nonsense": 1}, {"fieldValidation": "Strict"})):
        refused = await home.patch(home.at("configmaps", "a"), patch, **query)
        assert (refused.code, refused.body["details"]["causes"][0]["field"]) == (422, "patch")


async def test_the_prefix_of_a_name_may_change(home):
    """It has done its work."""
    await home.make("secrets", "a")
    assert (await home.patch(home.at("secrets", "a"), {"metadata": {"generateName": "n-"}})).body["metadata"]["generateName"] == "n-"


async def test_a_namespace_is_forgotten_where_there_is_none(home):
    """Tools put one into every object."""
    name = home.own("nodes", "n")
    made = await home.post(home.at("nodes"), {"metadata": {"name": name, "namespace": "anywhere"}})
    assert (made.code, "namespace" in made.body["metadata"]) == (201, False)


async def test_a_page_may_be_empty(home):
    """Whether there is a next one is not looked at closely where a selector has to be asked."""
    for name, labels in (("a", {"set": "one"}), ("b", {})):
        await home.make("secrets", name, {"labels": labels})
    first = await home.get(home.at("secrets"), labelSelector="set=one", limit=1)
    rest = await home.get(home.at("secrets"), labelSelector="set=one", limit=1, continue_=first.body["metadata"]["continue"])
    assert (first.names, rest.names) == (["a"], [])
    assert "continue" not in rest.body["metadata"]


async def test_who_is_refused_is_warned_too(home):
    """The mistyped field may be the reason."""
    await home.make("configmaps", "a")
    again = await home.post(home.at("configmaps"), {"metadata": {"name": "a"}, "dta": {}})
    assert again.code == 409
    assert "dta" in again.headers["warning"]


async def test_a_list_that_is_new_needs_no_keys_to_be_merged_by(home):
    """What its items lack is then told by whoever judges them."""
    await home.make("configmaps", "a")
    owners = {"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Secret", "name": "o"}]}}
    refused = await home.patch(home.at("configmaps", "a"), owners, kind=STRATEGIC)
    assert (refused.code, refused.body["details"]["causes"][0]["field"]) == (422, "metadata.ownerReferences.uid")


async def test_a_list_of_any_revision_comes_in_one_piece(home):
    """It is answered from memory, where pages would save nobody anything."""
    for name in ("a", "b"):
        await home.make("secrets", name)
    assert (await home.get(home.at("secrets"))).names == ["a", "b"]
    assert (await home.get(home.at("secrets"), limit=1, resourceVersion="0")).names == ["a", "b"]


@pytest.mark.parametrize("body", [{"unknown": None}, {"metadata": {"unknown": None}}, {"spec": {"unknown": None}}])
async def test_an_unknown_field_is_told_of_even_if_it_holds_nothing(home, body):
    """It was mistyped all the same."""
    body = {**body, "metadata": {"name": "a", **body.get("metadata", {})}}
    assert "unknown field" in (await home.post(home.at("leases"), body)).headers["warning"]


async def test_of_another_kind_of_object_nobody_knows_the_fields(widgets):
    """That it is another kind is the news (422), not that its fields are unknown (400)."""
    other = _widget("a", spec={"unknown": 1}) | {"kind": "Gadget"}
    assert (await widgets.post(widgets.at("widgets"), other, fieldValidation="Strict")).code == 422
    twice = _widget("a", spec={"set": ["x", "x"], "size": -1}) | {"kind": "Gadget"}
    assert {field for _, field in causes(await widgets.post(widgets.at("widgets"), twice))} == {"kind", "spec.set[1]"}


async def test_who_is_refused_after_a_part_was_done_finds_that_part_done(home):
    """A collection goes one by one, and a refusal of the second must not hide that the first is going."""
    first = await home.make("secrets", "a", {"finalizers": ["x.y/z"]})
    await home.make("secrets", "b")
    refused = await home.delete(home.at("secrets"), {"preconditions": {"resourceVersion": first.version}})
    assert refused.code == 409

    async with await home.watch(home.at("secrets")) as events:
        seen = [await events.next() for _ in range(2)]
    assert [(event["type"], "deletionTimestamp" in event["object"]["metadata"]) for event in seen] == [("ADDED", True), ("ADDED", False)]
    await home.patch(home.at("secrets", "a"), {"metadata": {"finalizers": None}})
