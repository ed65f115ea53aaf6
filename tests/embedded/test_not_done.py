"""What the embedded API does not do, as docs/embedded.md lists it: it says so, or the thing is plainly not there."""

import pytest
from tests.support.embedded_http import caller_of, http_api
from tests.support.raw_api import CONFIG_MAPS, CRDS, NAMESPACES, serving, widget_definition


async def test_server_side_apply_is_refused():
    """A field that two own would have one owner here."""
    async with serving() as api:
        reply = await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"name": "a"}}, kind="application/apply-patch+yaml", fieldManager="me")
        assert (reply.code, "use client-side apply" in reply.words) == (415, True)
        (made,) = await api.has("a", metadata={"managedFields": [{"manager": "me", "operation": "Update"}]})
        assert "managedFields" not in made["metadata"]


async def test_rules_in_cel_are_not_enforced_and_their_writer_is_told():
    """Neither good rules nor bad ones; a definition of somebody else's must be usable all the same."""
    async with serving() as api:
        made = widget_definition()
        schema = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        schema["x-kubernetes-validations"] = [{"rule": "self.bogus == 1"}, {"message": "no rule at all"}]
        reply = await api.post(CRDS, made)
        assert (reply.code, "CEL validation rules are not enforced" in reply.headers["warning"]) == (201, True)


@pytest.mark.parametrize(
    "change, field",
    [
        ({"conversion": {"strategy": "Webhook"}}, "spec.conversion.strategy"),
        ({"scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}}, "spec.subresources.scale"),
    ],
)
async def test_what_a_definition_can_not_have_is_refused(change, field):
    """Served without it, its objects would be read wrongly, or a client would wait for a part that never comes."""
    async with serving() as api:
        made = widget_definition()
        if "scale" in change:
            made["spec"]["versions"][0]["subresources"] = change
        else:
            made["spec"] |= change
        reply = await api.post(CRDS, made)
        assert (reply.code, [cause["field"] for cause in reply.body["details"]["causes"]]) == (422, [field])


@pytest.mark.parametrize(
    "path",
    [
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
        "/apis/apiregistration.k8s.io/v1/apiservices",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    ],
)
async def test_nobody_can_be_asked_for_leave(path):
    """Who makes such an object must not think that it is in force."""
    async with serving() as api:
        assert [(await api.get(path)).code, (await api.post(path, {"metadata": {"name": "a"}})).code] == [404, 404]


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/pods",
        "/api/v1/services",
        "/apis/apps/v1/deployments",
        "/apis/events.k8s.io/v1/events",
        "/api/v1/namespaces/default/pods/p/log",
        "/api/v1/namespaces/default/pods/p/exec",
        "/api/v1/namespaces/default/services/s/proxy/",
    ],
)
async def test_nothing_runs_here(path):
    """No kubelet would ever take it."""
    async with serving() as api:
        assert (await api.get(path)).code == 404


async def test_a_namespace_is_made_empty():
    """What it gets in a cluster is for pods."""
    async with serving(background=True) as api:
        await api.post(NAMESPACES, {"metadata": {"name": "n"}})
        assert (await api.get(f"{NAMESPACES}/n/serviceaccounts")).names == []
        assert (await api.get(f"{NAMESPACES}/n/configmaps")).names == []


@pytest.mark.parametrize(
    "path",
    [
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "/apis/authentication.k8s.io/v1/tokenreviews",
        f"{NAMESPACES}/default/serviceaccounts/a/token",
    ],
)
async def test_rights_and_tokens_are_not_to_be_had(path):
    """One token may do everything."""
    async with serving() as api:
        assert (await api.post(path, {})).code == 404


async def test_the_token_is_the_only_key(tmp_path):
    """Who asks to be taken for somebody else is not, and needs the token all the same."""
    async with http_api(tmp_path) as front, caller_of(front) as caller:
        code, made = await caller.json("GET", NAMESPACES, headers={"Impersonate-User": "nobody"})
        assert (code, made["kind"]) == (200, "NamespaceList")
        assert (await caller.json("GET", NAMESPACES, token="", headers={"Impersonate-User": "nobody"}))[0] == 401


@pytest.mark.parametrize("accept", ["application/vnd.kubernetes.protobuf", "application/cbor", "application/yaml"])
async def test_json_alone_is_sent(accept):
    """Whoever can take nothing else is told so."""
    async with serving() as api:
        assert (await api.get(CONFIG_MAPS, accept=accept)).code == 406


@pytest.mark.parametrize("path", ["/metrics", "/livez/ping", "/readyz/etcd", "/logs", "/.well-known/openid-configuration"])
async def test_nothing_is_told_of_its_inside(path):
    """Whether it is well is all that it says of itself."""
    async with serving() as api:
        assert (await api.get(path)).code == 404
