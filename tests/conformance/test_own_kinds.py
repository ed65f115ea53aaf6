"""What Kubernetes' own kinds demand beyond their types."""

import pytest
from tests.support.home import causes


async def test_plain_text_of_a_secret_becomes_its_data(home):
    """It is written so, and never read back; plain text wins."""
    made = await home.make("secrets", "s", data={"a": "eA=="}, stringData={"a": "y", "b": "z"})
    assert (made.body["data"], "stringData" in made.body) == ({"a": "eQ==", "b": "eg=="}, False)
    refused = await home.post(home.at("secrets"), {"metadata": {"name": "t"}, "data": {"a": "not base64!"}})
    assert refused.code == 400


async def test_the_type_of_a_secret_does_not_change(home):
    """What mounts it relies on it."""
    await home.make("secrets", "s", type="example.com/x")
    refused = await home.patch(home.at("secrets", "s"), {"type": "example.com/y"})
    assert (refused.code, causes(refused)) == (422, [("FieldValueInvalid", "type")])


async def test_some_types_of_secrets_have_rules(home):
    """A TLS secret without a key is none."""
    for type_, field in (
        ("kubernetes.io/tls", "data[tls.crt]"),
        ("kubernetes.io/dockerconfigjson", "data[.dockerconfigjson]"),
        ("kubernetes.io/basic-auth", "data[%s]{username}"),
    ):
        refused = await home.post(home.at("secrets"), {"metadata": {"name": "s"}, "type": type_, "data": {}})
        assert (refused.code, bool(causes(refused))) == (422, True), (type_, field)


@pytest.mark.parametrize("plural", ["configmaps", "secrets"])
async def test_what_is_immutable_stays(home, plural):
    """Its data, and that it is; its metadata may change, and it may go."""
    await home.make(plural, "a", data={"k": "dg=="}, immutable=True)
    path = home.at(plural, "a")
    for patch, field in (({"data": {"k": "dw=="}}, "data"), ({"immutable": None}, "immutable"), ({"immutable": False}, "immutable")):
        refused = await home.patch(path, patch)
        assert (refused.code, causes(refused)) == (422, [("FieldValueForbidden", field)]), patch
    assert (await home.patch(path, {"metadata": {"labels": {"l": "1"}}})).code == 200
    assert (await home.delete(path)).code == 200


async def test_keys_of_config_maps_are_file_names(home):
    """They are mounted as such."""
    for key in ("a b", "..", ".", "a/b", "x" * 254, ""):
        refused = await home.post(home.at("configmaps"), {"metadata": {"name": "c"}, "data": {key: "1"}})
        assert (refused.code, refused.reason) == (422, "Invalid"), key
    both = {"metadata": {"name": "c"}, "data": {"k": "1"}, "binaryData": {"k": "dg=="}}
    assert causes(await home.post(home.at("configmaps"), both))[0][0] == "FieldValueInvalid"


async def test_a_lease_has_sensible_numbers(home):
    """A lease of no time is none; its times have microseconds."""
    for spec, field in (
        ({"leaseDurationSeconds": 0}, "spec.leaseDurationSeconds"),
        ({"leaseTransitions": -1}, "spec.leaseTransitions"),
    ):
        refused = await home.post(home.at("leases"), {"metadata": {"name": "l"}, "spec": spec})
        assert (refused.code, causes(refused)) == (422, [("FieldValueInvalid", field)])
    time = "2026-01-02T03:04:05.123456Z"
    made = await home.make("leases", "l", spec={"renewTime": time, "leaseDurationSeconds": 15, "holderIdentity": "me"})
    assert made.body["spec"] == {"renewTime": time, "leaseDurationSeconds": 15, "holderIdentity": "me"}
    assert (await home.post(home.at("leases"), {"metadata": {"name": "m"}, "spec": {"renewTime": "yesterday"}})).code == 400


async def test_an_event_lives_where_its_object_does(home):
    """Else nobody would find it."""
    about = {"kind": "Pod", "name": "p", "namespace": "default"}
    refused = await home.post(home.at("events"), {"metadata": {"name": "e"}, "involvedObject": about})
    assert (refused.code, causes(refused)) == (422, [("FieldValueInvalid", "involvedObject.namespace")])
    made = await home.make(
        "events", "e", involvedObject={**about, "namespace": home.namespace}, reason="R", message="m", type="Normal", count=2
    )
    assert (made.body["reason"], made.body["count"], made.body["firstTimestamp"]) == ("R", 2, None)


async def test_an_event_is_told_again(home):
    """By a patch of its count."""
    about = {"kind": "Pod", "name": "p", "namespace": home.namespace}
    await home.make("events", "e", involvedObject=about, count=1, lastTimestamp="2026-01-02T03:04:05Z")
    patched = await home.patch(home.at("events", "e"), {"count": 2, "lastTimestamp": "2026-01-02T03:05:05Z"})
    assert (patched.body["count"], patched.body["lastTimestamp"]) == (2, "2026-01-02T03:05:05Z")


async def test_rehearsals_change_nothing_and_answer_everything(home):
    """Dry run: the object as it would be, and nothing kept."""
    made = await home.post(home.at("secrets"), {"metadata": {"name": "s"}, "stringData": {"k": "v"}}, dryRun="All")
    assert (made.code, made.body["data"], "resourceVersion" in made.body["metadata"]) == (201, {"k": "dg=="}, False)
    assert made.body["metadata"]["uid"]
    assert (await home.get(home.at("secrets", "s"))).code == 404
    kept = await home.make("secrets", "s")
    path = home.at("secrets", "s")
    assert (await home.patch(path, {"data": {"k": "dg=="}}, dryRun="All")).body["data"] == {"k": "dg=="}
    assert (await home.put(path, {**kept.body, "data": {"k": "dg=="}}, dryRun="All")).body["data"] == {"k": "dg=="}
    assert (await home.get(path)).version == kept.version
    assert (await home.post(home.at("secrets"), {"metadata": {"name": "s"}}, dryRun="All")).code == 409


async def test_options_of_a_write_are_checked(home):
    """A rehearsal that is none would be a surprise."""
    body = {"metadata": {"name": "a"}}
    for query, field in (({"dryRun": "None"}, "dryRun"), ({"dryRun": ""}, "dryRun"), ({"fieldValidation": "Bogus"}, "fieldValidation")):
        refused = await home.post(home.at("secrets"), body, **query)
        assert (refused.code, causes(refused)) == (422, [("FieldValueNotSupported", field)]), query
        assert refused.body["details"]["group"] == "meta.k8s.io"
    assert (await home.post(home.at("secrets"), body, dryRun=["All", "All"])).code == 201
    assert (await home.get(home.at("secrets", "a"))).code == 404


async def test_strict_validation_refuses_what_is_unknown_or_stands_twice(home):
    """Typing mistakes in a manifest."""
    for body in (b'{"metadata":{"name":"a"},"bogus":1}', b'{"metadata":{"name":"a","zork":1}}', b'{"metadata":{"name":"a","name":"b"}}'):
        refused = await home.post(home.at("configmaps"), body, fieldValidation="Strict")
        assert (refused.code, refused.reason) == (400, "BadRequest"), body
        assert (await home.post(home.at("configmaps"), body, fieldValidation="Ignore", dryRun="All")).code == 201
    await home.make("configmaps", "p")
    patched = await home.patch(home.at("configmaps", "p"), {"bogus": 1}, fieldValidation="Strict")
    assert (patched.code, causes(patched)) == (422, [("FieldValueInvalid", "patch")])
