"""What a new object must be, and what the server makes of it."""

import base64

import pytest
from tests.support.raw_api import CONFIG_MAPS, NAMESPACES, WIDGETS, serving, with_widgets


async def test_a_new_object_gets_an_identity():
    """uid, creation time and version are the server's to give, whatever the client says."""
    async with serving() as api:
        sent = {
            "name": "a",
            "uid": "mine",
            "creationTimestamp": "2001-01-01T00:00:00Z",
            "generation": 9,
            "managedFields": [{"manager": "x"}],
        }
        reply = await api.post(CONFIG_MAPS, {"metadata": sent, "data": {"k": "v"}})

        metadata = reply.body["metadata"]
        assert reply.code == 201
        assert list(reply.body)[:3] == ["apiVersion", "kind", "metadata"]
        assert metadata["uid"] not in {"", "mine"}
        assert not metadata["creationTimestamp"].startswith("2001")
        assert metadata["namespace"] == "default"
        assert int(metadata["resourceVersion"]) > 0
        assert not {"managedFields", "deletionTimestamp"} & metadata.keys()
        assert metadata["generation"] == 9, "nobody counts the generations of this kind"
        assert (await api.get(f"{CONFIG_MAPS}/a")).body == reply.body


async def test_a_custom_object_starts_at_its_first_generation_and_without_status():
    """Status is what controllers say; a user who creates one must not be believed."""
    async with serving() as api:
        await with_widgets(api)

        reply = await api.post(WIDGETS, {"metadata": {"name": "w"}, "spec": {"size": 1}, "status": {"phase": "Ready"}})

        assert reply.body["metadata"]["generation"] == 1
        assert "status" not in reply.body
        assert reply.body["spec"] == {"size": 1, "colour": "blue"}


async def test_the_same_name_twice_is_refused():
    """Names are what makes two makers make one object."""
    async with serving() as api:
        await api.has("a")

        reply = await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}})

        assert (reply.code, reply.reason) == (409, "AlreadyExists")
        assert reply.words == 'configmaps "a" already exists'
        assert reply.body["details"] == {"name": "a", "kind": "configmaps"}


async def test_a_generated_name_is_its_prefix_and_a_suffix():
    """Events and jobs are named this way; two never collide."""
    async with serving() as api:
        names = [(await api.post(CONFIG_MAPS, {"metadata": {"generateName": "job-"}})).body["metadata"]["name"] for _ in range(3)]

        assert len(set(names)) == 3
        assert all(name.startswith("job-") and len(name) == len("job-") + 5 for name in names)


@pytest.mark.parametrize("name", ["A", "a_b", "-a", "a-", "a..b", "é", "a" * 254, "a/b", ""])
async def test_a_bad_name_is_refused(name):
    """A name becomes part of paths, of labels and of DNS."""
    async with serving() as api:
        reply = await api.post(CONFIG_MAPS, {"metadata": {"name": name}})

        assert (reply.code, reply.reason) == (422, "Invalid")
        assert reply.body["details"]["causes"][0]["field"] == "metadata.name"


async def test_a_namespace_has_no_dots():
    """It is one label of a DNS name."""
    async with serving() as api:
        assert (await api.post(NAMESPACES, {"metadata": {"name": "a.b"}})).code == 422
        assert (await api.post(CONFIG_MAPS, {"metadata": {"name": "a.b"}})).code == 201


@pytest.mark.parametrize(
    "metadata, field",
    [
        ({"labels": {"a b": "c"}}, "metadata.labels"),
        ({"labels": {"a": "b c"}}, "metadata.labels"),
        ({"annotations": {"a b": "c"}}, "metadata.annotations"),
        ({"annotations": {"a": "x" * 300_000}}, "metadata.annotations"),
        ({"finalizers": ["a b"]}, "metadata.finalizers"),
        ({"ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "a", "uid": ""}]}, "metadata.ownerReferences.uid"),
    ],
)
async def test_bad_metadata_is_refused_with_its_field(metadata, field):
    """The field tells a person where to look."""
    async with serving() as api:
        reply = await api.post(CONFIG_MAPS, {"metadata": {"name": "a", **metadata}})

        assert (reply.code, reply.body["details"]["causes"][0]["field"]) == (422, field)


async def test_only_one_owner_is_the_controller():
    """Two controllers would fight over the object."""
    owners = [{"apiVersion": "v1", "kind": "A", "name": "a", "uid": uid, "controller": True} for uid in "xy"]
    async with serving() as api:
        assert (await api.post(CONFIG_MAPS, {"metadata": {"name": "a", "ownerReferences": owners}})).code == 422


@pytest.mark.parametrize(
    "body, words",
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"[]", "not an object"),
        (b'{"metadata":[]}', "metadata"),
        (b'{"metadata":{"name":1}}', "metadata"),
        (b'{"kind":"Secret","metadata":{"name":"a"}}', "kind"),
        (b'{"apiVersion":"v2","metadata":{"name":"a"}}', "API version"),
        (b'{"metadata":{"name":"a","namespace":"other"}}', "namespace"),
        (b'{"metadata":{"name":"a","resourceVersion":"3"}}', "resourceVersion"),
        (b'{"metadata":{"name":"a"},"data":{"n":9223372036854775808}}', "Expected `str`"),
        (b'{"metadata":{"name":"a"},"data":{"n":1e999}}', "JSON"),
        (b'{"metadata":{"name":"\xff"}}', "JSON"),
        (b'{"metadata":{"name":"\\ud800"}}', "JSON"),
        (b"[" * 100_000, "JSON"),
        (b'{"data":' + b"[" * 300 + b"]" * 300 + b"}", "deeper"),
    ],
)
async def test_a_body_that_can_not_be_read_is_refused_with_words(body, words):
    """The client learns what is wrong with what it sent."""
    async with serving() as api:
        reply = await api.post(CONFIG_MAPS, body)

        assert (reply.code, reply.reason) == (400, "BadRequest")
        assert words in reply.words


async def test_an_object_that_is_too_large_is_refused():
    """One object must not fill the memory of the server and of everybody who watches it."""
    async with serving() as api:
        assert (await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}, "data": {"k": "x" * 1_600_000}})).code == 422
        event = {"metadata": {"name": "a"}, "involvedObject": {"namespace": "default"}, "message": "x" * 1_600_000}
        assert (await api.post(CONFIG_MAPS.replace("configmaps", "events"), event)).code == 413
        assert (await api.post(CONFIG_MAPS, b" " * (3 * 1024 * 1024 + 1))).code == 413
        assert (await api.get(f"{CONFIG_MAPS}/a")).code == 404


async def test_yaml_is_read_like_json():
    """Kubectl sends JSON; people with curl send what they have."""
    text = b"metadata:\n  name: a\ndata:\n  date: 2001-01-01\n  k: 'no'\n"
    async with serving() as api:
        reply = await api.post(CONFIG_MAPS, text, kind="application/yaml")

        assert reply.body["data"] == {"date": "2001-01-01", "k": "no"}


@pytest.mark.parametrize("text", [b"a: &x [1]\nb: *x", b"[" * 1000, b"a: [", b"!!python/object:os.system {}", b"\xff\xfe", b"1: 2"])
async def test_yaml_that_can_not_be_json_is_refused(text):
    """Aliases and types are how a short text becomes a huge or a dangerous one."""
    async with serving() as api:
        assert (await api.post(CONFIG_MAPS, text, kind="application/yaml")).code in {400, 422}


@pytest.mark.parametrize("kind", ["application/vnd.kubernetes.protobuf", "text/plain", "application/cbor", "multipart/form-data"])
async def test_other_bodies_are_unsupported(kind):
    """A client that speaks protobuf by default learns to speak JSON."""
    async with serving() as api:
        reply = await api.post(CONFIG_MAPS, b"k8s\x00", kind=kind)

        assert (reply.code, reply.reason) == (415, "UnsupportedMediaType")


@pytest.mark.parametrize("strictness, code, warned", [("Strict", 400, False), ("Warn", 201, True), ("", 201, True), ("Ignore", 201, False)])
async def test_unknown_and_duplicate_fields_are_told_as_the_client_asked(strictness, code, warned):
    """A mistyped field that is silently dropped costs a person an evening."""
    body = b'{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","nmae":"x"},"spec":{"size":1,"sise":2,"size":3}}'
    async with serving() as api:
        await with_widgets(api)

        reply = await api.post(WIDGETS, body, fieldValidation=strictness)

        told = reply.words + reply.headers.get("warning", "")
        assert reply.code == code
        assert all((name in told) is (warned or code == 400) for name in ("metadata.nmae", "spec.sise", "duplicate field"))
        if code == 201:
            assert reply.body["spec"] == {"size": 3, "colour": "blue"}


async def test_options_that_nobody_knows_are_refused():
    """A dry run that was mistyped must not be a real one."""
    async with serving() as api:
        for query in ({"dryRun": "all"}, {"fieldValidation": "strict"}):
            reply = await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}}, **query)
            assert (reply.code, reply.reason) == (422, "Invalid")
        assert (await api.get(f"{CONFIG_MAPS}/a")).code == 404


async def test_a_dry_run_tells_and_changes_nothing():
    """It is how people and kubectl diff look before they leap."""
    async with serving() as api:
        before = (await api.get(CONFIG_MAPS)).version
        reply = await api.post(CONFIG_MAPS, {"metadata": {"name": "a"}, "data": {"k": "v"}}, dryRun="All")

        assert (reply.code, reply.body["data"]) == (201, {"k": "v"})
        assert (await api.get(CONFIG_MAPS)).version == before
        assert (await api.post(CONFIG_MAPS, {"metadata": {"name": "A"}}, dryRun="All")).code == 422


async def test_a_secret_keeps_plain_texts_encoded():
    """StringData is for writing; what is read is data."""
    async with serving() as api:
        path = CONFIG_MAPS.replace("configmaps", "secrets")
        reply = await api.post(path, {"metadata": {"name": "s"}, "data": {"a": "YQ==", "b": "YQ=="}, "stringData": {"b": "secret"}})

        assert reply.body["data"] == {"a": "YQ==", "b": base64.b64encode(b"secret").decode()}
        assert "stringData" not in reply.body
        assert reply.body["type"] == "Opaque"
        assert (await api.post(path, {"metadata": {"name": "t"}, "data": {"a": "not base64!"}})).code == 400
        assert (await api.patch(f"{path}/s", {"type": "other"})).code == 422


async def test_nothing_is_made_where_there_is_no_namespace():
    """An object in a namespace that nobody made would be found by nobody."""
    async with serving() as api:
        path = "/api/v1/namespaces/nowhere/configmaps"
        reply = await api.post(path, {"metadata": {"name": "a"}})

        assert (reply.code, reply.words) == (404, 'namespaces "nowhere" not found')


@pytest.mark.parametrize(
    "method, path, code",
    [
        ("POST", "/api/v1/configmaps", 405),
        ("POST", f"{CONFIG_MAPS}/a", 405),
        ("PUT", CONFIG_MAPS, 405),
        ("PATCH", CONFIG_MAPS, 405),
        ("OPTIONS", CONFIG_MAPS, 405),
        ("GET", "/api/v1/namespaces/default/widgets", 404),
        ("GET", "/api/v1/namespaces/default/nodes", 404),
        ("GET", f"{CONFIG_MAPS}/a/status", 404),
        ("GET", f"{CONFIG_MAPS}/a/b/c", 404),
        ("GET", "/api/v1/configmaps/a", 404),
        ("GET", "/apis/nobody.io/v1/things", 404),
        ("GET", "/elsewhere", 404),
        ("GET", "/api/v1/namespaces/default/configmaps/%ff", 400),
        ("GET", "/api/v1/namespaces/default/configmaps/..%2f..", 404),
    ],
)
async def test_paths_and_methods_that_lead_nowhere(method, path, code):
    """A Status says so, as everywhere."""
    async with serving() as api:
        reply = await api.send(method, path)

        assert (reply.code, reply.body["kind"]) == (code, "Status")
