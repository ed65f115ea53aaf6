"""What belongs to something that is gone, goes; and only that."""

import asyncio

import pytest
from tests.support.raw_api import CONFIG_MAPS, Api, serving

from holdfast.embedded.memory_journal import MemoryJournal

SECRETS = CONFIG_MAPS.replace("configmaps", "secrets")


def owner(obj, **more):
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": obj["metadata"]["name"], "uid": obj["metadata"]["uid"], **more}


async def quiet(api: Api) -> None:
    """Wait until the collector has nothing left to do."""
    chores = api.server._background._garbage._chores

    async def nothing_moves() -> bool:
        revision = api.server.store.revision
        for _ in range(20):
            await asyncio.sleep(0)
        return not chores._waiting and api.server.store.revision == revision

    await api.until(nothing_moves)


async def test_dependents_follow_their_last_owner():
    """A whole tree goes with its root."""
    async with serving(background=True) as api:
        (root,) = await api.has("root")
        (child,) = await api.has("child", path=SECRETS, metadata={"ownerReferences": [owner(root)]})
        await api.has("grandchild", metadata={"ownerReferences": [owner(child)]})
        await api.has("bystander")

        await api.delete(f"{CONFIG_MAPS}/root")

        await api.gone(f"{SECRETS}/child", f"{CONFIG_MAPS}/grandchild")
        assert (await api.get(CONFIG_MAPS)).names == ["bystander"]


async def test_an_object_with_another_owner_stays_and_forgets_the_first():
    """Shared things go with the last of those who share them."""
    async with serving(background=True) as api:
        one, two = await api.has("one", "two")
        await api.has("shared", metadata={"ownerReferences": [owner(one), owner(two)]})

        await api.delete(f"{CONFIG_MAPS}/one")
        await quiet(api)
        left = (await api.get(f"{CONFIG_MAPS}/shared")).body["metadata"]["ownerReferences"]
        assert [reference["name"] for reference in left] == ["two"]

        await api.delete(f"{CONFIG_MAPS}/two")
        await api.gone(f"{CONFIG_MAPS}/shared")


async def test_an_owner_that_never_was_is_gone():
    """A name that was taken again is another object: the uid decides."""
    async with serving(background=True) as api:
        (first,) = await api.has("a")
        await api.delete(f"{CONFIG_MAPS}/a")
        await api.has("a")
        await api.has("late", metadata={"ownerReferences": [owner(first)]})

        await api.gone(f"{CONFIG_MAPS}/late")
        assert (await api.get(f"{CONFIG_MAPS}/a")).code == 200


async def test_an_owner_of_a_kind_that_is_not_served_is_left_alone():
    """What can not be judged is not deleted."""
    async with serving(background=True) as api:
        stranger = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "1"}
        await api.has("a", metadata={"ownerReferences": [stranger]})
        await quiet(api)
        assert (await api.get(f"{CONFIG_MAPS}/a")).code == 200


async def test_in_the_foreground_the_owner_goes_last():
    """Who watches the owner knows that everything is gone when it is."""
    async with serving(background=True) as api:
        (root,) = await api.has("root")
        held = {"finalizers": ["example.com/hold"], "ownerReferences": [owner(root, blockOwnerDeletion=True)]}
        await api.has("child", metadata=held)

        reply = await api.delete(f"{CONFIG_MAPS}/root", {"propagationPolicy": "Foreground"})
        assert reply.body["metadata"]["finalizers"] == ["foregroundDeletion"]
        await quiet(api)
        assert "deletionTimestamp" in (await api.get(f"{CONFIG_MAPS}/child")).body["metadata"]
        assert (await api.get(f"{CONFIG_MAPS}/root")).code == 200

        await api.patch(f"{CONFIG_MAPS}/child", {"metadata": {"finalizers": None}})
        await api.gone(f"{CONFIG_MAPS}/child", f"{CONFIG_MAPS}/root")


async def test_a_tree_goes_leaves_first_in_the_foreground():
    """The wait reaches down all levels."""
    async with serving(background=True) as api:
        (root,) = await api.has("root")
        (child,) = await api.has("child", metadata={"ownerReferences": [owner(root, blockOwnerDeletion=True)]})
        await api.has("leaf", metadata={"ownerReferences": [owner(child, blockOwnerDeletion=True)]})
        watch = await api.watch(CONFIG_MAPS, resourceVersion=api.server.store.revision)

        await api.delete(f"{CONFIG_MAPS}/root", propagationPolicy="Foreground")

        went: list[str] = []
        async with asyncio.timeout(10):
            while len(went) < 3:
                type_, name = await watch.told()
                went += [name] if type_ == "DELETED" else []
        await watch.close()
        assert went == ["leaf", "child", "root"]


async def test_a_circle_of_owners_goes_whole():
    """Everybody in it waits for everybody else; somebody has to begin."""
    async with serving(background=True) as api:
        (one,) = await api.has("one")
        (two,) = await api.has("two", metadata={"ownerReferences": [owner(one, blockOwnerDeletion=True)]})
        await api.patch(f"{CONFIG_MAPS}/one", {"metadata": {"ownerReferences": [owner(two, blockOwnerDeletion=True)]}})

        await api.delete(f"{CONFIG_MAPS}/one", propagationPolicy="Foreground")
        await api.gone(f"{CONFIG_MAPS}/one", f"{CONFIG_MAPS}/two")


async def test_a_circle_of_which_everybody_is_deleted_in_the_foreground_goes_whole():
    """Each of them waits, so none of them is there to be collected."""
    async with serving(background=True) as api:
        held = {"finalizers": ["example.com/hold"]}
        (one,) = await api.has("one", metadata=held)
        (two,) = await api.has("two", metadata={**held, "ownerReferences": [owner(one, blockOwnerDeletion=True)]})
        await api.patch(f"{CONFIG_MAPS}/one", {"metadata": {"ownerReferences": [owner(two, blockOwnerDeletion=True)]}})
        await asyncio.gather(*(api.delete(f"{CONFIG_MAPS}/{name}", propagationPolicy="Foreground") for name in ("one", "two")))

        for name in ("one", "two"):
            found = (await api.get(f"{CONFIG_MAPS}/{name}")).body["metadata"]["finalizers"]
            await api.patch(
                f"{CONFIG_MAPS}/{name}", {"metadata": {"finalizers": [each for each in found if each not in held["finalizers"]]}}
            )
        await api.gone(f"{CONFIG_MAPS}/one", f"{CONFIG_MAPS}/two")


async def test_orphans_stay_and_forget_their_owner():
    """Kubectl delete --cascade=orphan."""
    async with serving(background=True) as api:
        (root,) = await api.has("root")
        await api.has("child", metadata={"ownerReferences": [owner(root)]})

        reply = await api.delete(f"{CONFIG_MAPS}/root", propagationPolicy="Orphan")
        assert reply.body["metadata"]["finalizers"] == ["orphan"]
        await api.gone(f"{CONFIG_MAPS}/root")
        await quiet(api)
        assert "ownerReferences" not in (await api.get(f"{CONFIG_MAPS}/child")).body["metadata"]


@pytest.mark.parametrize("background", [False, True])
async def test_what_was_left_behind_is_collected_after_a_start(background):
    """A server that was killed between the owner and its dependents goes on where it was."""
    journal = MemoryJournal()
    async with serving(journal) as api:
        (root,) = await api.has("root")
        await api.has("child", metadata={"ownerReferences": [owner(root)]})
        await api.delete(f"{CONFIG_MAPS}/root")
        assert (await api.get(f"{CONFIG_MAPS}/child")).code == 200

    async with serving(journal, background=background) as api:
        if background:
            await api.gone(f"{CONFIG_MAPS}/child")
        else:
            assert (await api.get(f"{CONFIG_MAPS}/child")).code == 200


async def test_collection_goes_on_when_the_disk_has_room_again():
    """A write that could not be stored is not a thing that was done."""
    journal = MemoryJournal()
    async with serving(journal, background=True) as api:
        (root,) = await api.has("root")
        await api.has("child", metadata={"ownerReferences": [owner(root)]})
        await api.delete(f"{CONFIG_MAPS}/root")
        journal.failure = "full"
        for _ in range(5):
            await asyncio.sleep(0)
        journal.failure = ""
        await api.gone(f"{CONFIG_MAPS}/child")


async def test_what_always_stays_is_not_collected():
    """The default namespace, whatever somebody wrote into it."""
    async with serving(background=True) as api:
        nobody = {"apiVersion": "v1", "kind": "Namespace", "name": "nobody", "uid": "1"}
        await api.patch("/api/v1/namespaces/default", {"metadata": {"ownerReferences": [nobody]}})
        await quiet(api)
        assert (await api.get("/api/v1/namespaces/default")).body["status"] == {"phase": "Active"}


async def test_an_owner_without_namespace_is_found_from_any():
    """Nodes own Leases."""
    async with serving(background=True) as api:
        (node,) = await api.has("n1", path="/api/v1/nodes")
        await api.has("a", metadata={"ownerReferences": [owner(node)]})
        await quiet(api)
        assert (await api.get(f"{CONFIG_MAPS}/a")).code == 200

        await api.delete("/api/v1/nodes/n1")
        await api.gone(f"{CONFIG_MAPS}/a")
