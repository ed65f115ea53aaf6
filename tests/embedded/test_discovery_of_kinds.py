"""A client that knows nothing finds everything that is served."""

import pytest
from tests.support.embedded import embedded_api
from tests.support.requests import answer_of, ask, until
from tests.support.widgets import CRD_PATH, definition, version

from holdfast.embedded.api_versions import preference

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList,application/json"


@pytest.fixture
async def server():
    async with embedded_api() as server:
        status, _ = await ask(server, "POST", CRD_PATH, definition(version("v1beta1", storage=False), version("v1")))
        assert status == 201
        yield server


async def test_the_core_group_and_the_others_are_listed(server):
    """Old clients walk from group to group."""
    _, core = await ask(server, "GET", "/api")
    _, groups = await ask(server, "GET", "/apis")

    assert core["versions"] == ["v1"]
    assert [group["name"] for group in groups["groups"]] == ["apiextensions.k8s.io", "coordination.k8s.io", "example.com"]


async def test_the_best_version_is_preferred(server):
    """Kubectl uses the preferred version where a user names none."""
    _, group = await ask(server, "GET", "/apis/example.com")

    assert group["preferredVersion"] == {"groupVersion": "example.com/v1", "version": "v1"}
    assert [item["version"] for item in group["versions"]] == ["v1", "v1beta1"]


async def test_a_version_lists_its_kinds_with_what_they_can_do(server):
    """Short names, scopes and verbs decide what kubectl sends."""
    _, listing = await ask(server, "GET", "/apis/example.com/v1")
    entry, status = listing["resources"]

    assert entry["name"] == "widgets"
    assert entry["kind"] == "Widget"
    assert entry["singularName"] == "widget"
    assert entry["shortNames"] == ["wt"]
    assert entry["categories"] == ["toys"]
    assert entry["namespaced"] is True
    assert set(entry["verbs"]) == {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
    assert (status["name"], status["verbs"]) == ("widgets/status", ["get", "patch", "update"])


@pytest.mark.parametrize("form", ["v2", "v2beta1"])
async def test_one_answer_can_hold_all_of_it(server, form):
    """New clients ask twice instead of twenty times."""
    answer = await answer_of(server, "GET", "/apis", accept=AGGREGATED.format(form))
    _, found = await ask(server, "GET", "/apis", accept=AGGREGATED.format(form))
    _, core = await ask(server, "GET", "/api", accept=AGGREGATED.format(form))

    assert answer.headers["content-type"] == f"application/json;g=apidiscovery.k8s.io;v={form};as=APIGroupDiscoveryList"
    assert found["apiVersion"] == f"apidiscovery.k8s.io/{form}"
    (example,) = [item for item in found["items"] if item["metadata"]["name"] == "example.com"]
    assert [item["version"] for item in example["versions"]] == ["v1", "v1beta1"]
    assert example["versions"][0]["resources"][0]["resource"] == "widgets"
    assert example["versions"][0]["resources"][0]["subresources"][0]["subresource"] == "status"
    assert {entry["resource"] for entry in core["items"][0]["versions"][0]["resources"]} >= {"configmaps", "namespaces", "secrets"}


async def test_a_form_that_is_not_known_gives_the_plain_one(server):
    """A client from the future is served as one from the past."""
    _, found = await ask(
        server, "GET", "/apis", accept="application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json"
    )

    assert found["kind"] == "APIGroupList"


async def test_a_kind_that_left_is_not_found_any_more(server):
    """A client must not be sent to paths that lead nowhere."""
    await until(server, CRD_PATH, "DELETED", ask(server, "DELETE", f"{CRD_PATH}/widgets.example.com"))

    assert (await answer_of(server, "GET", "/apis/example.com")).status == 404
    assert (await answer_of(server, "GET", "/apis/example.com/v1")).status == 404


@pytest.mark.parametrize("path", ["/apis/nowhere.io", "/apis/example.com/v9", "/api/v9", "/nowhere", "/openapi/v3/apis/nowhere/v1"])
async def test_what_is_not_served_is_not_found(server, path):
    """A client learns from the code that it must look elsewhere."""
    status, body = await ask(server, "GET", path)

    assert (status, body["reason"]) == (404, "NotFound")


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz"])
async def test_health_is_told_in_plain_words(server, path):
    """Probes look at the code, people at the text."""
    assert (await answer_of(server, "GET", path)).body == b"ok"
    assert b"check passed" in (await answer_of(server, "GET", path, verbose="")).body


async def test_the_version_is_one_that_clients_can_read(server):
    """Kubectl compares it with its own."""
    _, version_ = await ask(server, "GET", "/version")

    assert (version_["major"], version_["minor"], version_["gitVersion"]) == ("1", "36", "v1.36.0+holdfast")


async def test_the_root_lists_the_paths(server):
    """Curious people start at the root."""
    _, root = await ask(server, "GET", "/")

    assert {"/api/v1", "/apis/example.com/v1", "/healthz", "/openapi/v3"} <= set(root["paths"])


def test_versions_are_preferred_as_kubernetes_prefers_them():
    """Stable before beta before alpha, newer before older, and what is no such version last."""
    preferred = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"]

    shuffled = preferred[::3] + preferred[1::3] + preferred[2::3]
    assert sorted(shuffled, key=preference) == preferred
