"""A list is one moment of the past, however many pages it is read in, and says which."""

import pytest
from tests.support.raw_api import CONFIG_MAPS, METADATA_ONLY, NAMESPACES, TABLE, serving

from holdfast.embedded.collection import Collection
from holdfast.embedded.continuation import Continuation
from holdfast.embedded.history import History


async def test_a_list_tells_the_revision_that_it_shows():
    """A watch goes on from there."""
    async with serving() as api:
        await api.has("b", "a")
        await api.has("n2", path=NAMESPACES)
        reply = await api.get(CONFIG_MAPS)

        assert (reply.body["kind"], reply.body["apiVersion"]) == ("ConfigMapList", "v1")
        assert list(reply.body)[:3] == ["kind", "apiVersion", "metadata"]
        assert reply.names == ["a", "b"]
        assert reply.version == str(api.server.store.revision)
        # Only a list of custom objects says of each one what it is.
        assert all("kind" not in item for item in reply.body["items"])


async def test_pages_show_one_moment():
    """What is written between two pages belongs to the next list: else objects are told twice or never."""
    async with serving() as api:
        await api.has(*"abcdef", data={"n": "old"})
        first = await api.get(CONFIG_MAPS, limit=2)
        await api.delete(f"{CONFIG_MAPS}/c")
        await api.patch(f"{CONFIG_MAPS}/d", {"data": {"n": "new"}})
        await api.has("aa", "zz")
        second = await api.get(CONFIG_MAPS, limit=2, continue_=first.body["metadata"]["continue"])
        third = await api.get(CONFIG_MAPS, limit=2, continue_=second.body["metadata"]["continue"])

        assert [first.names, second.names, third.names] == [["a", "b"], ["c", "d"], ["e", "f"]]
        assert first.version == second.version == third.version
        assert {item["data"]["n"] for item in second.body["items"]} == {"old"}
        assert (first.body["metadata"]["remainingItemCount"], second.body["metadata"]["remainingItemCount"]) == (4, 2)
        assert "continue" not in third.body["metadata"]


async def test_pages_of_all_namespaces():
    """The token knows the namespace too."""
    async with serving() as api:
        await api.has("n1", "n2", path=NAMESPACES)
        for namespace in ("n1", "n2"):
            await api.has("a", "b", path=f"{NAMESPACES}/{namespace}/configmaps")
        seen, token = [], ""
        while True:
            page = await api.get("/api/v1/configmaps", limit=1, continue_=token)
            seen += [(item["metadata"]["namespace"], item["metadata"]["name"]) for item in page.body["items"]]
            token = page.body["metadata"].get("continue", "")
            if not token:
                break
        assert seen == [("n1", "a"), ("n1", "b"), ("n2", "a"), ("n2", "b")]


async def test_a_token_expires_with_the_history():
    """The client reads the list again; half of two moments is no list."""
    async with serving() as api:
        history = History(api.server.store.revision, max_events=4, max_bytes=1 << 20)
        api.server.store._collections["configmaps"] = Collection(history)
        await api.has(*"abc")
        token = (await api.get(CONFIG_MAPS, limit=1)).body["metadata"]["continue"]
        await api.has(*"defghi")

        for old in (token, Continuation(99999, "", "a").token()):
            expired = await api.get(CONFIG_MAPS, limit=1, continue_=old)
            assert (expired.code, expired.reason) == (410, "Expired")


@pytest.mark.parametrize("token", ["x", "!!!", "e30", "WzEsIiJd", "WzE", "WzEsMSwyXQ", "é"])
async def test_a_token_that_is_none_of_ours_is_refused(token):
    """Tokens come back from outside."""
    async with serving() as api:
        assert (await api.get(CONFIG_MAPS, continue_=token)).code == 400


async def test_a_revision_is_a_demand_on_the_list():
    """Not older than, exactly, or any: clients choose what they can live with."""
    async with serving() as api:
        await api.has("a")
        then = api.server.store.revision
        await api.has("b")

        assert (await api.get(CONFIG_MAPS, resourceVersion=0)).names == ["a", "b"]
        assert (await api.get(CONFIG_MAPS, resourceVersion=then)).names == ["a", "b"]
        assert (await api.get(CONFIG_MAPS, resourceVersion=then, resourceVersionMatch="NotOlderThan")).names == ["a", "b"]
        exact = await api.get(CONFIG_MAPS, resourceVersion=then, resourceVersionMatch="Exact")
        assert (exact.names, exact.version) == (["a"], str(then))
        api.server.store.collection("configmaps").history.floor = then
        assert (await api.get(CONFIG_MAPS, resourceVersion=1, resourceVersionMatch="Exact")).code == 410

        future = await api.get(CONFIG_MAPS, resourceVersion=then + 100)
        assert (future.code, future.body["details"]["causes"][0]["reason"]) == (504, "ResourceVersionTooLarge")


@pytest.mark.parametrize(
    "query, code",
    [
        ({"resourceVersion": "x"}, 400),
        ({"resourceVersion": "-1"}, 400),
        ({"limit": "x"}, 400),
        ({"resourceVersionMatch": "Exact"}, 422),
        ({"resourceVersionMatch": "Sometimes", "resourceVersion": "1"}, 422),
        ({"resourceVersionMatch": "Exact", "resourceVersion": "0"}, 422),
        ({"labelSelector": "a=(b"}, 400),
        ({"fieldSelector": "spec.nodeName=a"}, 400),
        ({"fieldSelector": "metadata.name"}, 400),
        ({"sendInitialEvents": "true"}, 422),
        ({"watch": "true", "resourceVersionMatch": "Exact"}, 422),
        ({"timeoutSeconds": "soon"}, 400),
    ],
)
async def test_a_question_that_makes_no_sense_is_refused(query, code):
    """Better than an answer to another question."""
    async with serving() as api:
        reply = await api.get(CONFIG_MAPS, **query)
        assert (reply.code, reply.body["kind"]) == (code, "Status")


@pytest.mark.parametrize(
    "selector, names",
    [("app=web", ["a", "b"]), ("app!=web", ["c"]), ("app in (web),tier", ["b"]), ("!app", ["c"]), ("app=web,app!=web", [])],
)
async def test_labels_select(selector, names):
    """Kubectl get -l."""
    async with serving() as api:
        await api.has("a", metadata={"labels": {"app": "web"}})
        await api.has("b", metadata={"labels": {"app": "web", "tier": "x"}})
        await api.has("c")
        assert (await api.get(CONFIG_MAPS, labelSelector=selector)).names == names


async def test_fields_select():
    """Kubectl get --field-selector, for names everywhere and for what a kind offers."""
    async with serving() as api:
        await api.has("a", "b")
        await api.has("n1", path="/api/v1/nodes", spec={"unschedulable": True})
        await api.has("n2", path="/api/v1/nodes")
        await api.has("n3", path=NAMESPACES)
        await api.delete(f"{NAMESPACES}/n3")

        assert (await api.get(CONFIG_MAPS, fieldSelector="metadata.name=a")).names == ["a"]
        assert (await api.get(CONFIG_MAPS, fieldSelector="metadata.name!=a,metadata.namespace=default")).names == ["b"]
        assert (await api.get("/api/v1/configmaps", fieldSelector="metadata.name=a")).names == ["a"]
        assert (await api.get(CONFIG_MAPS, fieldSelector="metadata.name=nobody")).names == []
        assert (await api.get("/api/v1/nodes", fieldSelector="spec.unschedulable=false")).names == ["n2"]
        assert (await api.get(NAMESPACES, fieldSelector="status.phase=Terminating")).names == ["n3"]


async def test_metadata_alone_can_be_read():
    """Who counts objects need not read them."""
    async with serving() as api:
        (made,) = await api.has("a", data={"k": "v"})
        one = await api.get(f"{CONFIG_MAPS}/a", accept=METADATA_ONLY)
        many = await api.get(CONFIG_MAPS, accept=METADATA_ONLY.replace("Metadata;", "MetadataList;"))

        assert one.body == {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": made["metadata"]}
        assert many.body["kind"] == "PartialObjectMetadataList"
        assert many.body["items"] == [one.body]


async def test_tables_carry_the_revision_and_the_next_page():
    """Kubectl get --chunk-size, and -w after it."""
    async with serving() as api:
        await api.has("a", "b")
        page = await api.get(CONFIG_MAPS, accept=TABLE, limit=1)
        assert page.body["kind"] == "Table"
        assert page.version == str(api.server.store.revision)
        assert page.body["rows"][0]["cells"][0] == "a"
        assert page.body["metadata"]["continue"]
        assert (await api.get(CONFIG_MAPS, accept=TABLE, includeObject="All")).code == 400


@pytest.mark.parametrize(
    "accept, code",
    [
        ("", 200),
        ("*/*", 200),
        ("application/*", 406),
        ("application/vnd.kubernetes.protobuf,application/json", 200),
        ("application/json;as=Table;v=v1beta1;g=meta.k8s.io, application/json", 200),
        ("application/vnd.kubernetes.protobuf", 406),
        ("application/yaml", 406),
        ("application/json;as=Poem;v=v1;g=meta.k8s.io", 406),
    ],
)
async def test_the_form_of_the_answer_is_one_that_the_client_takes(accept, code):
    """JSON wherever it will do; else a refusal that names what there is."""
    async with serving() as api:
        await api.has("a")
        reply = await api.get(CONFIG_MAPS, accept=accept)
        assert (reply.code, reply.body["kind"]) == (code, "ConfigMapList" if code == 200 else "Status")


async def test_an_object_that_is_not_there():
    """404 with the details that clients look at."""
    async with serving() as api:
        reply = await api.get(f"{CONFIG_MAPS}/a")
        assert (reply.code, reply.reason, reply.words) == (404, "NotFound", 'configmaps "a" not found')
        assert reply.body["details"] == {"name": "a", "kind": "configmaps"}
