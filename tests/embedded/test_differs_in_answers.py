"""Reads, watches and forms of answers that differ from Kubernetes' on purpose, as docs/embedded.md lists them."""

from tests.support.raw_api import CONFIG_MAPS, CRDS, METADATA_ONLY, serving, widget_definition

from holdfast.embedded.continuation import Continuation


async def test_a_revision_that_is_no_number_is_the_clients_mistake():
    """Kubernetes answers 500."""
    async with serving() as api:
        (made,) = await api.has("a")
        assert (await api.get(CONFIG_MAPS, resourceVersion="x")).code == 400
        assert (await api.post(CONFIG_MAPS, {"metadata": {"name": "b", "resourceVersion": "5"}})).code == 400
        body = {**made, "metadata": {**made["metadata"], "resourceVersion": "x"}}
        assert (await api.put(f"{CONFIG_MAPS}/a", body)).code == 409


async def test_a_watch_from_the_future_begins_again():
    """Its client knows data that are gone."""
    async with serving() as api:
        watch = await api.watch(CONFIG_MAPS, resourceVersion="99999999")
        event = await watch.next()
        assert (event["type"], event["object"]["code"]) == ("ERROR", 410)
        await watch.close()


async def test_deletecollection_takes_all_that_is_selected():
    """Whatever its limit says."""
    async with serving() as api:
        await api.has("a", "b")
        assert (await api.delete(CONFIG_MAPS, limit=1, resourceVersion="99999999")).names == ["a", "b"]


async def test_a_definition_is_established_in_the_answer():
    """Nobody has to wait for it."""
    async with serving() as api:
        made = await api.post(CRDS, widget_definition())
        assert {condition["type"] for condition in made.body["status"]["conditions"]} == {"NamesAccepted", "Established"}


async def test_a_path_of_no_group_is_refused_by_a_status():
    """A program can read it."""
    async with serving() as api:
        for path in ("/nope", "/apis/not.there/v1"):
            reply = await api.get(path)
            assert (reply.code, reply.body["kind"]) == (404, "Status")


async def test_answers_are_json_alone():
    """No YAML, and no tables of old."""
    async with serving() as api:
        for accept in ("application/yaml", "application/json;as=Table;g=meta.k8s.io;v=v1beta1"):
            reply = await api.get(CONFIG_MAPS, accept=accept)
            assert (reply.code, reply.reason) == (406, "NotAcceptable")


async def test_yaml_has_no_aliases():
    """They are how a short text becomes a huge one."""
    async with serving() as api:
        reply = await api.send("POST", CONFIG_MAPS, b"metadata: {name: a}\nx: &a {k: v}\ndata: *a\n", kind="application/yaml")
        assert (reply.code, "aliases are not taken" in reply.words) == (400, True)


async def test_metadata_of_a_list_is_given_however_it_is_called():
    """Kubernetes tells the two names apart."""
    async with serving() as api:
        assert (await api.get(CONFIG_MAPS, accept=METADATA_ONLY)).body["kind"] == "PartialObjectMetadataList"


async def test_parameters_without_meaning_are_ignored():
    """Nobody keeps record of managers here."""
    async with serving() as api:
        body = {"metadata": {"name": "a"}}
        assert (await api.post(CONFIG_MAPS, body, fieldManager="x" * 129, timeout="soon")).code == 201
        assert (await api.patch(f"{CONFIG_MAPS}/a", {}, force="true")).code == 200


async def test_an_expired_token_says_only_that_it_has_expired():
    """A list that mixes two moments is worse than a new one."""
    async with serving() as api:
        await api.has("a", "b")
        token = Continuation(10**9, "default", "a").token()
        reply = await api.get(CONFIG_MAPS, continue_=token)
        assert (reply.code, reply.reason, "continue" in reply.body["metadata"]) == (410, "Expired", False)
