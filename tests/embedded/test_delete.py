"""How objects go: at once, or when those whose finalizers they carry have let go."""

import asyncio

import pytest
from tests.support.raw_api import CONFIG_MAPS, JSON_PATCH, NAMESPACES, WIDGETS, serving, with_widgets

HELD = {"finalizers": ["example.com/hold"]}


async def test_an_object_without_finalizers_goes_at_once():
    """The answer names what went, by uid."""
    async with serving() as api:
        (made,) = await api.has("a")
        reply = await api.delete(f"{CONFIG_MAPS}/a")

        assert (reply.code, reply.body["kind"], reply.body["status"]) == (200, "Status", "Success")
        assert reply.body["details"] == {"name": "a", "kind": "configmaps", "uid": made["metadata"]["uid"]}
        assert (await api.get(f"{CONFIG_MAPS}/a")).code == 404
        assert (await api.delete(f"{CONFIG_MAPS}/a")).code == 404


async def test_finalizers_hold_an_object_until_the_last_is_removed():
    """Who has to clean up first gets the time to do so."""
    async with serving() as api:
        await with_widgets(api)
        await api.has("w", path=WIDGETS, metadata=HELD, spec={"size": 1})
        watch = await api.watch(WIDGETS, resourceVersion=api.server.store.revision)

        reply = await api.delete(f"{WIDGETS}/w")
        metadata = reply.body["metadata"]
        assert (reply.code, reply.body["kind"], metadata["deletionGracePeriodSeconds"], metadata["generation"]) == (200, "Widget", 0, 2)
        assert metadata["deletionTimestamp"]

        again = await api.delete(f"{WIDGETS}/w")
        assert again.version == reply.version, "a second delete changes nothing"

        freed = await api.patch(f"{WIDGETS}/w", {"metadata": {"finalizers": None}})
        assert freed.code == 200
        assert (await api.get(f"{WIDGETS}/w")).code == 404
        assert [await watch.told(), await watch.told()] == [("MODIFIED", "w"), ("DELETED", "w")]
        await watch.close()


async def test_an_object_that_goes_takes_no_new_finalizers_and_keeps_its_time():
    """Else it might never go."""
    async with serving() as api:
        await api.has("a", metadata=HELD)
        gone = (await api.delete(f"{CONFIG_MAPS}/a")).body["metadata"]["deletionTimestamp"]

        more = await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": ["example.com/hold", "x.y/z"]}})
        assert (more.code, more.reason) == (422, "Invalid")
        assert '[]string{"x.y/z"}' in more.words

        kept = await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"deletionTimestamp": None, "labels": {"a": "b"}}})
        assert (kept.code, kept.body["metadata"]["deletionTimestamp"]) == (200, gone)


@pytest.mark.parametrize("body, code", [({"uid": "other"}, 409), ({"resourceVersion": "1"}, 409), ({"uid": None}, 200), ({}, 200)])
async def test_preconditions_say_which_object_is_meant(body, code):
    """A controller that decided on an old version must not delete the new one."""
    async with serving() as api:
        await api.has("a")
        assert (await api.delete(f"{CONFIG_MAPS}/a", {"kind": "DeleteOptions", "preconditions": body})).code == code


async def test_the_right_preconditions_hold():
    """The same, from the other side."""
    async with serving() as api:
        (made,) = await api.has("a")
        metadata = made["metadata"]
        body = {"preconditions": {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}}
        assert (await api.delete(f"{CONFIG_MAPS}/a", body)).code == 200


@pytest.mark.parametrize(
    "body, query, code",
    [
        ({"propagationPolicy": "Sideways"}, {}, 422),
        ({"propagationPolicy": "Orphan", "orphanDependents": True}, {}, 422),
        ({"dryRun": ["Some"]}, {}, 422),
        ({"preconditions": 1}, {}, 400),
        ({"kind": "Pod"}, {}, 400),
        (b"{", {}, 400),
        (None, {"propagationPolicy": "x"}, 422),
        (None, {"gracePeriodSeconds": "x"}, 400),
        (None, {"dryRun": "x"}, 422),
    ],
)
async def test_options_that_make_no_sense_are_refused(body, query, code):
    """A delete that is misread can not be taken back."""
    async with serving() as api:
        await api.has("a")
        assert (await api.delete(f"{CONFIG_MAPS}/a", body, **query)).code == code
        assert (await api.get(f"{CONFIG_MAPS}/a")).code == 200


@pytest.mark.parametrize("body, query", [(None, {"dryRun": "All"}), ({"dryRun": ["All"]}, {})])
async def test_a_dry_run_deletes_nothing(body, query):
    """Kubectl delete --dry-run=server."""
    async with serving() as api:
        await api.has("a")
        await api.has("held", metadata=HELD)
        for name in ("a", "held"):
            assert (await api.delete(f"{CONFIG_MAPS}/{name}", body, **query)).code == 200
            assert "deletionTimestamp" not in (await api.get(f"{CONFIG_MAPS}/{name}")).body["metadata"]


async def test_a_collection_is_deleted_by_selector():
    """Kubectl delete -l; what is not meant stays."""
    async with serving() as api:
        await api.has("a", "b", metadata={"labels": {"app": "web"}})
        await api.has("c", metadata={"labels": {"app": "web"}, **HELD})
        await api.has("d")

        reply = await api.delete(CONFIG_MAPS, labelSelector="app=web")

        assert (reply.code, reply.names) == (200, ["a", "b", "c"])
        left = (await api.get(CONFIG_MAPS)).body["items"]
        assert [(item["metadata"]["name"], "deletionTimestamp" in item["metadata"]) for item in left] == [("c", True), ("d", False)]
        assert (await api.delete(CONFIG_MAPS, fieldSelector="spec.x=1")).code == 400
        assert (await api.delete("/api/v1/configmaps")).code == 405


async def test_the_last_finalizer_can_go_by_any_kind_of_write():
    """Controllers patch, people edit."""
    async with serving() as api:
        await api.has("a", "b", metadata=HELD)
        for name in "ab":
            await api.delete(f"{CONFIG_MAPS}/{name}")
        await api.patch(f"{CONFIG_MAPS}/a", [{"op": "remove", "path": "/metadata/finalizers"}], kind=JSON_PATCH)
        held = (await api.get(f"{CONFIG_MAPS}/b")).body
        held["metadata"]["finalizers"] = []
        await api.put(f"{CONFIG_MAPS}/b", held)

        assert (await api.get(CONFIG_MAPS)).names == []


async def test_a_name_is_free_again_with_a_new_uid():
    """Two objects of one name are never taken for one another."""
    async with serving() as api:
        (first,) = await api.has("a")
        await api.delete(f"{CONFIG_MAPS}/a")
        (second,) = await api.has("a")
        assert first["metadata"]["uid"] != second["metadata"]["uid"]


async def test_the_namespaces_of_the_system_stay():
    """Nothing could be made in a cluster without its default namespace."""
    async with serving() as api:
        reply = await api.delete(f"{NAMESPACES}/default")
        assert (reply.code, reply.reason) == (403, "Forbidden")
        await api.delete(NAMESPACES)
        assert "default" in (await api.get(NAMESPACES)).names


async def test_a_large_collection_goes_whole():
    """In steps, and all of it."""
    async with serving() as api:
        await asyncio.gather(*(api.has(f"c{number}") for number in range(600)))
        assert len((await api.delete(CONFIG_MAPS)).body["items"]) == 600
        assert (await api.get(CONFIG_MAPS)).names == []
