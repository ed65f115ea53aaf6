"""What a client learns before its first call: what both serve is described alike."""

from tests.support.conformance_kinds import GROUP

_OURS = (
    "configmaps",
    "secrets",
    "serviceaccounts",
    "events",
    "namespaces",
    "namespaces/status",
    "namespaces/finalize",
    "nodes",
    "nodes/status",
)
_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def _known(entry):
    return {field: entry[field] for field in ("name", "singularName", "namespaced", "kind") if field in entry} | {
        "verbs": sorted(entry["verbs"]),
        "shortNames": entry.get("shortNames", []),
    }


async def test_kinds_of_the_core_are_listed(home):
    """With their short names and verbs."""
    reply = await home.get("/api/v1")
    assert (reply.body["kind"], reply.body["groupVersion"]) == ("APIResourceList", "v1")
    found = {entry["name"]: _known(entry) for entry in reply.body["resources"] if entry["name"] in _OURS}
    every = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
    assert {name: (entry["kind"], entry["namespaced"], entry["shortNames"]) for name, entry in found.items()} == {
        "configmaps": ("ConfigMap", True, ["cm"]), "secrets": ("Secret", True, []), "serviceaccounts": ("ServiceAccount", True, ["sa"]),
        "events": ("Event", True, ["ev"]), "namespaces": ("Namespace", False, ["ns"]), "namespaces/status": ("Namespace", False, []),
        "namespaces/finalize": ("Namespace", False, []), "nodes": ("Node", False, ["no"]), "nodes/status": ("Node", False, []),
    }  # fmt: skip
    assert found["configmaps"]["verbs"] == every
    assert found["namespaces"]["verbs"] == [verb for verb in every if verb != "deletecollection"]
    assert (found["nodes/status"]["verbs"], found["namespaces/finalize"]["verbs"]) == (["get", "patch", "update"], ["update"])


async def test_the_form_in_which_objects_are_kept_has_a_hash(widgets):
    """Who migrates objects to another version looks whether it has changed; the parts of an object have none of their own."""
    for path in ("/api/v1", "/apis/coordination.k8s.io/v1", "/apis/apiextensions.k8s.io/v1", f"/apis/{GROUP}/v1"):
        found = {entry["name"]: entry.get("storageVersionHash") for entry in (await widgets.get(path)).body["resources"]}
        assert {found[name] for name in found if name in {"configmaps/status", "nodes/status", "widgets/status"}} <= {None}
        known = {"configmaps": "qFsyl6wFWjQ=", "leases": "gqkMMb/YqFM=", "customresourcedefinitions": "jfWCUB31mvA="}
        assert {name: found[name] for name in known if name in found} == {name: known[name] for name in known if name in found}
    assert len(found["widgets"]) == 12


async def test_a_custom_kind_is_listed(widgets):
    """As soon as it is there."""
    reply = await widgets.get(f"/apis/{GROUP}/v1")
    assert {entry["name"]: (entry["kind"], entry["singularName"], entry["namespaced"]) for entry in reply.body["resources"]} == {
        "widgets": ("Widget", "widget", True),
        "widgets/status": ("Widget", "", True),
    }


async def test_a_group_names_its_versions(widgets):
    """And the one to prefer."""
    version = {"groupVersion": f"{GROUP}/v1", "version": "v1"}
    expected = {"kind": "APIGroup", "apiVersion": "v1", "name": GROUP, "versions": [version], "preferredVersion": version}

    async def is_listed():
        return any(group["name"] == GROUP for group in (await widgets.get("/apis")).body["groups"])

    await widgets.until(is_listed)
    assert (await widgets.get(f"/apis/{GROUP}")).body == expected
    listed = [group for group in (await widgets.get("/apis")).body["groups"] if group["name"] == GROUP]
    assert listed == [{field: value for field, value in expected.items() if field not in {"kind", "apiVersion"}}]


async def test_all_of_it_in_one_answer(widgets):
    """How every client since 1.27 asks."""

    async def is_discovered():
        reply = await widgets.get("/apis", accept=_AGGREGATED)
        return any(group["metadata"]["name"] == GROUP for group in reply.body["items"])

    await widgets.until(is_discovered)
    reply = await widgets.get("/apis", accept=_AGGREGATED)
    assert (reply.body["kind"], reply.body["apiVersion"]) == ("APIGroupDiscoveryList", "apidiscovery.k8s.io/v2")
    group = next(group for group in reply.body["items"] if group["metadata"]["name"] == GROUP)
    (version,) = group["versions"]
    (resource,) = version["resources"]
    assert (version["version"], version["freshness"]) == ("v1", "Current")
    assert {**resource, "verbs": sorted(resource["verbs"])} == {
        "resource": "widgets",
        "responseKind": {"group": GROUP, "version": "v1", "kind": "Widget"},
        "scope": "Namespaced",
        "singularResource": "widget",
        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        "subresources": [
            {
                "subresource": "status",
                "responseKind": {"group": GROUP, "version": "v1", "kind": "Widget"},
                "verbs": ["get", "patch", "update"],
            }
        ],
    }
    core = await widgets.get("/api", accept=_AGGREGATED)
    assert [item["versions"][0]["version"] for item in core.body["items"]] == ["v1"]


async def test_the_core_names_its_version(home):
    """There is one."""
    reply = await home.get("/api")
    assert (reply.body["kind"], reply.body["versions"]) == ("APIVersions", ["v1"])


async def test_the_version_and_the_health_are_told(home):
    """For people, and for those who wait."""
    version = await home.get("/version")
    assert (version.body["major"], version.body["minor"]) == ("1", "36")
    assert set(version.body) >= {"gitVersion", "gitCommit", "goVersion", "platform", "buildDate", "compiler", "gitTreeState"}
    assert [(await home.get(path, accept="*/*")).body for path in ("/healthz", "/livez", "/readyz")] == ["ok"] * 3


async def test_a_custom_kind_is_described(widgets):
    """OpenAPI 3, for kubectl explain and for its checks."""

    async def is_described():
        return f"apis/{GROUP}/v1" in (await widgets.get("/openapi/v3")).body["paths"]

    await widgets.until(is_described)
    document = await widgets.get(f"/openapi/v3/apis/{GROUP}/v1")
    schema = document.body["components"]["schemas"]["com.example.conformance.v1.Widget"]
    assert schema["properties"]["spec"]["properties"]["size"] == {"type": "integer", "minimum": 0, "maximum": 100}
    assert schema["x-kubernetes-group-version-kind"] == [{"group": GROUP, "version": "v1", "kind": "Widget"}]
