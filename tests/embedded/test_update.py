"""A write changes what it may, of the version that it was meant for, and nothing else."""

import asyncio

import pytest
from tests.support.raw_api import CONFIG_MAPS, JSON_PATCH, WIDGETS, Api, serving, with_widgets

LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"


async def widget(api: Api, **fields):
    await with_widgets(api)
    return (await api.has("w", path=WIDGETS, **{"spec": {"size": 1}, **fields}))[0]


async def test_a_stale_write_is_refused():
    """Two who change the same object must not undo one another."""
    async with serving() as api:
        (read,) = await api.has("a", data={"n": "1"})
        assert (await api.put(f"{CONFIG_MAPS}/a", {**read, "data": {"n": "2"}})).code == 200

        late = await api.put(f"{CONFIG_MAPS}/a", {**read, "data": {"n": "3"}})

        assert (late.code, late.reason) == (409, "Conflict")
        assert "the object has been modified; please apply your changes to the latest version and try again" in late.words
        assert (await api.get(f"{CONFIG_MAPS}/a")).body["data"] == {"n": "2"}


async def test_of_many_who_change_one_version_one_wins():
    """The promise that a ledger rests on, also for writes that are on their way together."""
    async with serving() as api:
        (read,) = await api.has("a")
        replies = await asyncio.gather(*(api.put(f"{CONFIG_MAPS}/a", {**read, "data": {"n": str(n)}}) for n in range(20)))

        assert sorted(reply.code for reply in replies) == [200] + [409] * 19


async def test_a_write_without_a_version_overwrites_where_kubernetes_lets_it():
    """ConfigMaps may be overwritten blindly; Leases and custom objects may not: they are locks."""
    async with serving() as api:
        await api.has("a")
        await widget(api)
        await api.has("l", path=LEASES)

        assert (await api.put(f"{CONFIG_MAPS}/a", {"metadata": {"name": "a"}, "data": {"n": "1"}})).code == 200
        for path, name in ((WIDGETS, "w"), (LEASES, "l")):
            refusal = await api.put(f"{path}/{name}", {"metadata": {"name": name}, "spec": {}})
            assert refusal.body["details"]["kind"] == path.rpartition("/")[2]
            assert (refusal.code, refusal.body["details"]["causes"][0]["field"]) == (422, "metadata.resourceVersion")
            assert "must be specified for an update" in refusal.words


async def test_what_only_the_server_says_stays():
    """A client that leaves it out, or makes it up, changes nothing."""
    async with serving() as api:
        (read,) = await api.has("a")
        sent = {"name": "a", "creationTimestamp": "2001-01-01T00:00:00Z", "generation": 7, "labels": {"a": "b"}}
        body = (await api.put(f"{CONFIG_MAPS}/a", {"metadata": sent})).body["metadata"]

        assert body["labels"] == {"a": "b"}
        for field in ("uid", "creationTimestamp", "namespace"):
            assert body[field] == read["metadata"][field]
        assert "generation" not in body


@pytest.mark.parametrize(
    "metadata, code",
    [
        ({"name": "b"}, 400),
        ({"namespace": "other"}, 400),
        ({"uid": "other"}, 409),
        ({"deletionTimestamp": "2001-01-01T00:00:00Z"}, 422),
        ({"resourceVersion": "x"}, 409),
    ],
)
async def test_an_identity_can_not_be_changed(metadata, code):
    """Another name, namespace or uid is another object."""
    async with serving() as api:
        (read,) = await api.has("a")
        assert (await api.put(f"{CONFIG_MAPS}/a", {"metadata": {**read["metadata"], **metadata}})).code == code


async def test_a_patch_can_not_change_an_identity_either():
    """The same by the other way in."""
    async with serving() as api:
        await api.has("a")
        for metadata, code in (({"name": "b"}, 400), ({"namespace": "b"}, 400), ({"uid": "b"}, 422), ({"resourceVersion": "1"}, 409)):
            assert (await api.patch(f"{CONFIG_MAPS}/a", {"metadata": metadata})).code == code
        assert (await api.patch(f"{CONFIG_MAPS}/b", {})).code == 404


async def test_the_generation_counts_changes_of_the_spec():
    """ObservedGeneration tells whether a controller has seen the latest wish: labels and status are no wishes."""
    async with serving() as api:
        await widget(api)

        async def generation_after(patch, path=f"{WIDGETS}/w") -> int:
            return int((await api.patch(path, patch)).body["metadata"]["generation"])

        assert await generation_after({"metadata": {"labels": {"a": "b"}, "generation": 9}}) == 1
        assert await generation_after({"status": {"phase": "x"}}, f"{WIDGETS}/w/status") == 1
        assert await generation_after({"spec": {"size": 2}}) == 2
        assert await generation_after({"spec": {"size": 2}}) == 2


async def test_status_and_spec_are_written_apart():
    """Users write wishes, controllers observations; neither can overwrite the other."""
    async with serving() as api:
        await widget(api)
        change = {"metadata": {"labels": {"a": "b"}}, "spec": {"size": 5}, "status": {"phase": "Ready"}}

        by_status = (await api.patch(f"{WIDGETS}/w/status", change)).body
        assert (by_status["spec"]["size"], by_status["status"], by_status["metadata"].get("labels")) == (1, {"phase": "Ready"}, None)

        by_main = (await api.patch(f"{WIDGETS}/w", {**change, "status": {"phase": "Broken"}})).body
        assert (by_main["spec"]["size"], by_main["status"], by_main["metadata"]["labels"]) == (5, {"phase": "Ready"}, {"a": "b"})

        read = (await api.get(f"{WIDGETS}/w/status")).body
        assert read == by_main
        assert (await api.put(f"{WIDGETS}/w/status", {**read, "status": {"phase": "Put"}})).body["status"] == {"phase": "Put"}
        assert (await api.put(f"{WIDGETS}/w/status", {**read, "status": {"phase": "Late"}})).code == 409


async def test_a_write_that_changes_nothing_is_no_event():
    """A cluster at rest makes no revisions, whoever reconciles."""
    async with serving() as api:
        await widget(api)
        read = (await api.get(f"{WIDGETS}/w")).body
        revision = api.server.store.revision

        for reply in (
            await api.put(f"{WIDGETS}/w", read),
            await api.patch(f"{WIDGETS}/w", {"spec": {"size": 1}}),
            await api.patch(f"{WIDGETS}/w", [{"op": "test", "path": "/spec/size", "value": 1}], kind=JSON_PATCH),
            await api.patch(f"{WIDGETS}/w", {"metadata": {"managedFields": [{}], "creationTimestamp": "2001-01-01T00:00:00Z"}}),
            await api.patch(f"{WIDGETS}/w/status", {"spec": {"size": 9}}),
        ):
            assert (reply.code, reply.version) == (200, read["metadata"]["resourceVersion"])
        assert api.server.store.revision == revision


async def test_true_is_not_one():
    """To Python they are equal; to JSON they are not, and the change must not get lost."""
    async with serving() as api:
        await with_widgets(api)
        await api.has("s", path=CONFIG_MAPS, immutable=True)
        assert (await api.patch(f"{CONFIG_MAPS}/s", {"immutable": 1})).code in {400, 422}
        assert (await api.patch(f"{CONFIG_MAPS}/s", {"immutable": None})).code == 422
        assert (await api.patch(f"{CONFIG_MAPS}/s", {"data": {"a": "b"}})).code == 422
        assert (await api.patch(f"{CONFIG_MAPS}/s", {"metadata": {"labels": {"a": "b"}}})).code == 200


async def test_a_dry_run_judges_and_keeps_nothing():
    """What it answers is what would be."""
    async with serving() as api:
        await widget(api)
        before = await api.get(f"{WIDGETS}/w")
        would_be = await api.patch(f"{WIDGETS}/w", {"spec": {"size": 2}}, dryRun="All")

        assert (would_be.body["spec"]["size"], would_be.body["metadata"]["generation"]) == (2, 2)
        assert (await api.patch(f"{WIDGETS}/w", {"spec": {"size": -2}}, dryRun="All")).code == 422
        assert await api.get(f"{WIDGETS}/w") == before


async def test_what_breaks_the_schema_is_refused_with_its_field():
    """The old object stays."""
    async with serving() as api:
        await widget(api)
        refusal = await api.patch(f"{WIDGETS}/w", {"spec": {"size": "big"}})

        assert (refusal.code, refusal.body["details"]["causes"][0]["field"]) == (422, "spec.size")
        assert (await api.get(f"{WIDGETS}/w")).body["spec"]["size"] == 1
        assert (await api.patch(f"{WIDGETS}/w/status", {"status": {"phase": 1}})).code == 422


async def test_the_name_must_stand_in_the_body_too():
    """A body that was meant for another object must not replace this one."""
    async with serving() as api:
        await api.has("a")
        assert (await api.put(f"{CONFIG_MAPS}/a", {"data": {"n": "1"}})).code == 400
        assert (await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"name": None}})).code == 400
        assert (await api.put(f"{CONFIG_MAPS}/nobody", {"metadata": {"name": "nobody"}})).code == 404
