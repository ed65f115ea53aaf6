"""Definitions of custom kinds: how a kind comes, changes and goes."""

from typing import Any

from tests.support.conformance_kinds import define, definition, served
from tests.support.home import causes

from holdfast.process import Randomness


def _new(plural="gadgets", kind="Gadget", **spec):
    """In a group of its own."""
    return definition(f"{Randomness().suffix(8)}.example.com", plural, kind, **spec)


def _conditions(reply):
    return {condition["type"]: condition["status"] for condition in reply.body["status"].get("conditions") or ()}


async def test_a_definition_is_completed_and_established(home):
    """What it does not say is filled in; then its kind is served."""
    made = _new()
    await define(home, made)
    reply = await home.get(home.at("customresourcedefinitions", made["metadata"]["name"]))
    names = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"}
    assert (reply.body["spec"]["names"], reply.body["spec"]["conversion"]) == (names, {"strategy": "None"})
    assert _conditions(reply) == {"NamesAccepted": "True", "Established": "True"}
    assert (reply.body["status"]["acceptedNames"], reply.body["status"]["storedVersions"]) == (names, ["v1"])
    assert reply.body["metadata"]["generation"] == 1


async def test_a_kind_goes_with_its_definition_and_takes_its_objects_along(home):
    """A new one of the same name begins empty."""
    made = _new()
    await define(home, made)
    group, path = made["spec"]["group"], home.at("customresourcedefinitions", made["metadata"]["name"])
    objects = f"/apis/{group}/v1/namespaces/{home.namespace}/gadgets"
    thing = {"apiVersion": f"{group}/v1", "kind": "Gadget", "metadata": {"name": "g"}}
    assert (await home.post(objects, thing)).code == 201
    await home.delete(path)
    await home.gone(path, f"/apis/{group}/v1/gadgets")
    assert (await home.post(home.at("customresourcedefinitions"), made)).code == 201
    await served(home, made)
    assert (await home.get(objects)).names == []


async def test_a_definition_waits_for_objects_that_are_held(home):
    """Nothing that somebody holds is lost; and nothing new comes."""
    made = _new()
    await define(home, made)
    group, path = made["spec"]["group"], home.at("customresourcedefinitions", made["metadata"]["name"])
    objects = f"/apis/{group}/v1/namespaces/{home.namespace}/gadgets"
    thing = {"apiVersion": f"{group}/v1", "kind": "Gadget"}
    await home.post(objects, {**thing, "metadata": {"name": "g", "finalizers": ["x.y/z"]}})
    await home.delete(path)

    async def is_dying():
        return "deletionTimestamp" in (await home.get(f"{objects}/g")).body["metadata"]

    await home.until(is_dying)
    assert _conditions(await home.get(path)).get("Terminating") == "True"

    async def is_closed():
        return (await home.post(objects, {**thing, "metadata": {"generateName": "h-"}}, dryRun="All")).code == 403

    await home.until(is_closed)
    await home.patch(f"{objects}/g", {"metadata": {"finalizers": None}})
    await home.gone(path)


async def test_versions_are_served_side_by_side(home):
    """One object, as many faces as are served."""
    first = _new()["spec"]["versions"][0]
    made = _new(versions=[first, {**first, "name": "v2", "storage": False}, {**first, "name": "v3", "storage": False, "served": False}])
    await define(home, made)
    group = made["spec"]["group"]
    paths = [f"/apis/{group}/{version}/namespaces/{home.namespace}/gadgets" for version in ("v1", "v2", "v3")]
    await home.post(paths[0], {"apiVersion": f"{group}/v1", "kind": "Gadget", "metadata": {"name": "g"}, "spec": {"size": 1}})
    assert [(await home.get(f"{path}/g")).body.get("apiVersion") for path in paths[:2]] == [f"{group}/v1", f"{group}/v2"]
    assert (await home.get(paths[2])).code == 404
    patched = await home.patch(f"{paths[1]}/g", {"spec": {"size": 2}})
    assert (patched.body["apiVersion"], patched.body["metadata"]["generation"]) == (f"{group}/v2", 2)
    assert (await home.get(f"{paths[0]}/g")).version == patched.version


async def test_a_changed_schema_is_in_force(home):
    """For what is written from then on."""
    made = _new()
    await define(home, made)
    group, path = made["spec"]["group"], home.at("customresourcedefinitions", made["metadata"]["name"])
    objects = f"/apis/{group}/v1/namespaces/{home.namespace}/gadgets"
    thing = {"apiVersion": f"{group}/v1", "kind": "Gadget", "metadata": {"name": "g"}, "spec": {"fresh": 1}}
    assert "fresh" not in (await home.post(objects, thing, dryRun="All")).body["spec"]
    at = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/fresh"
    patch = [{"op": "add", "path": at, "value": {"type": "integer"}}]
    changed = await home.patch(path, patch, kind="application/json-patch+json")
    assert (changed.code, changed.body["metadata"]["generation"]) == (200, 2)

    async def is_kept():
        return (await home.post(objects, thing, dryRun="All")).body["spec"].get("fresh") == 1

    await home.until(is_kept)


async def test_names_are_given_once_in_a_group(home):
    """The second one is told, and is not served."""
    first = _new()
    await define(home, first)
    second = definition(first["spec"]["group"], "gizmos", "Gadget")
    path = home.at("customresourcedefinitions", second["metadata"]["name"])
    home.made.append(path)
    assert (await home.post(home.at("customresourcedefinitions"), second)).code == 201

    async def is_judged():
        return "NamesAccepted" in _conditions(await home.get(path))

    await home.until(is_judged)
    reply = await home.get(path)
    refused = next(condition for condition in reply.body["status"]["conditions"] if condition["type"] == "NamesAccepted")
    assert (refused["status"], refused["reason"]) == ("False", "ListKindConflict")
    assert _conditions(reply).get("Established") != "True"
    assert (await home.get(f"/apis/{first['spec']['group']}/v1/gizmos")).code == 404


async def test_bad_definitions_are_refused_with_their_field(home):
    """Before they can do harm."""
    first = _new()["spec"]["versions"][0]
    plain = {field: value for field, value in first.items() if field != "selectableFields"}

    def schema(**properties):
        return [{**plain, "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}}]

    fields = {}
    mistakes: dict[str, dict[str, Any]] = {
        "no versions": {"versions": []}, "nothing stored": {"versions": [{**first, "storage": False}]}, "scope": {"scope": "X"},
        "no schema": {"versions": [{"name": "v1", "served": True, "storage": True}]}, "version": {"versions": [{**first, "name": "V1"}]},
        "twice": {"versions": [first, {**first, "storage": False}]}, "conversion": {"conversion": {"strategy": "Bogus"}},
        "column": {"versions": [{**first, "additionalPrinterColumns": [{"name": "x", "type": "foo", "jsonPath": ".x"}]}]},
        "no type": {"versions": schema(a={})}, "default": {"versions": schema(a={"type": "integer", "default": "x"})},
        "unique": {"versions": schema(a={"type": "array", "items": {"type": "string"}, "uniqueItems": True})},
    }  # fmt: skip
    for name, spec in mistakes.items():
        reply = await home.post(home.at("customresourcedefinitions"), _new(**spec), dryRun="All")
        assert (reply.code, reply.reason) == (422, "Invalid"), name
        fields[name] = causes(reply)[0][1]
    assert fields["scope"] == "spec.scope"
    assert fields["conversion"] == "spec.conversion.strategy"
    assert fields["version"] == "spec.versions[0].name"
    assert fields["no schema"].startswith("spec.versions[0].schema")


async def test_a_definition_keeps_its_group_scope_and_names(home):
    """Objects lie below them."""
    made = _new()
    await define(home, made)
    path = home.at("customresourcedefinitions", made["metadata"]["name"])
    for patch, field in (({"group": "other.example.com"}, "spec.group"), ({"scope": "Cluster"}, "spec.scope")):
        reply = await home.patch(path, {"spec": patch})
        assert (reply.code, field in [found for _, found in causes(reply)]) == (422, True), field
    reply = await home.patch(path, {"spec": {"names": {"kind": "Other"}}})
    assert (reply.code, "spec.names.kind" in [field for _, field in causes(reply)]) == (422, True)


async def test_names_that_are_given_up_are_free(home):
    """Short names and categories may be taken back; and what says nothing is no change."""
    made = _new(names={"plural": "gadgets", "kind": "Gadget", "shortNames": ["gd"], "categories": ["toys"]})
    await define(home, made)
    path = home.at("customresourcedefinitions", made["metadata"]["name"])

    async def are_accepted(**names):
        accepted = (await home.get(path)).body["status"]["acceptedNames"]
        return {name: accepted.get(name) for name in names} == names

    await home.until(lambda: are_accepted(shortNames=["gd"], categories=["toys"]))
    await home.patch(path, {"spec": {"names": {"shortNames": None, "categories": None, "singular": "gizmo"}}})
    await home.until(lambda: are_accepted(shortNames=None, categories=None, singular="gizmo"))
    same = await home.patch(path, {"spec": {"preserveUnknownFields": False, "conversion": None}})
    assert (same.body["metadata"]["generation"], "preserveUnknownFields" in same.body["spec"]) == (2, False)


async def test_a_definition_that_is_changed_keeps_its_name(home):
    """So of its parts only the part itself is told; and fields to select by go with the schema."""
    made = _new()
    await define(home, made)
    path = home.at("customresourcedefinitions", made["metadata"]["name"])
    refused = await home.patch(path, {"spec": {"names": {"plural": "gizmos"}}})
    assert (refused.code, {field for _, field in causes(refused)}) == (422, {"spec.names.plural"})
    removal = [{"op": "remove", "path": "/spec/versions/0/schema"}]
    refused = await home.patch(path, removal, kind="application/json-patch+json")
    assert {field for _, field in causes(refused)} == {"spec.selectableFields", "spec.versions[0].schema.openAPIV3Schema"}


async def test_the_name_of_a_definition_is_its_plural_and_group(home):
    """There is one for each path."""
    made = {**_new(), "metadata": {"name": "x"}}
    reply = await home.post(home.at("customresourcedefinitions"), made)
    assert (reply.code, causes(reply)) == (422, [("FieldValueInvalid", "metadata.name")])


async def test_a_kind_of_the_whole_cluster_has_no_namespace(home):
    """Its paths have none either."""
    made = _new(scope="Cluster")
    await define(home, made)
    group = made["spec"]["group"]
    thing = {"apiVersion": f"{group}/v1", "kind": "Gadget", "metadata": {"name": "g"}}
    reply = await home.post(f"/apis/{group}/v1/gadgets", thing)
    assert (reply.code, "namespace" in reply.body["metadata"]) == (201, False)
    assert (await home.get(f"/apis/{group}/v1/namespaces/{home.namespace}/gadgets")).code == 404
