"""Our client against the server that Kubernetes is."""

from contextlib import aclosing

import pytest
from tests.support.real_control_plane import API
from tests.support.watching import until

from holdfast.api import json_patch
from holdfast.api.core import ConfigMap, Namespace, Secret
from holdfast.api.errors import AlreadyExists, Conflict, Expired, Forbidden, Invalid, NotFound
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec
from holdfast.api.meta import ObjectMeta

pytestmark = pytest.mark.usefixtures("kinds")


def config_map(name: str, namespace: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace, labels={"test": "yes"}), data=data)


async def test_what_is_made_is_read(admin, namespace):
    """The shortest way there and back."""
    made = await admin.create(config_map("c", namespace, a="b"))
    assert made.data == {"a": "b"}
    assert made.metadata.uid
    assert await admin.get(ConfigMap, "c", namespace) == made
    with pytest.raises(AlreadyExists):
        await admin.create(config_map("c", namespace))


async def test_a_dry_run_leaves_nothing(admin, namespace):
    """Who asks what would happen must not make it happen."""
    assert (await admin.create(config_map("c", namespace), dry_run=True)).metadata.name == "c"
    with pytest.raises(NotFound):
        await admin.get(ConfigMap, "c", namespace)


async def test_a_list_is_whole_however_many_pages_it_takes(admin, namespace):
    """A page that is lost is an ask that nobody decides."""
    names = {f"c{number}" for number in range(7)}
    for name in names:
        await admin.create(config_map(name, namespace))
    listing = await admin.list(ConfigMap, namespace, labels="test=yes", page=2)
    assert {found.metadata.name for found in listing.items} == names
    assert int(listing.resource_version) > 0


async def test_pages_that_expired_midway_are_read_again_as_one(control_plane, admin, namespace):
    """A list that takes longer than the server remembers is still whole, and of one moment."""
    names = {f"c{number}" for number in range(5)}
    for name in names:
        await admin.create(config_map(name, namespace))
    send, pages = admin.send, []

    async def forgetful(request):
        if "continue" in dict(request.query):
            pages.append(request)
            await admin.patch(ConfigMap, "c0", namespace, {"data": {"pages": str(len(pages))}})
            await control_plane.compact()
            await control_plane.restart(API)  # it has a memory of its own
        return await send(request)

    admin.send = forgetful
    listing = await admin.list(ConfigMap, namespace, labels="test=yes", page=2)
    assert {found.metadata.name for found in listing.items} == names
    assert len(pages) == 1


async def test_a_watch_tells_what_happened_after_the_list(admin, namespace):
    """Caches rest on this, in this order."""
    since = (await admin.list(ConfigMap, namespace)).resource_version
    await admin.create(config_map("c", namespace))
    await admin.patch(ConfigMap, "c", namespace, {"data": {"a": "b"}})
    await admin.delete(ConfigMap, "c", namespace)
    told = []
    async with aclosing(admin.watch(ConfigMap, namespace, since=since, labels="test=yes")) as events:
        async for event in events:
            if event.type == "BOOKMARK":
                continue
            told.append((event.type, event.object.data))
            if event.type == "DELETED":
                assert int(event.resource_version) > int(since)
                break
    assert told == [("ADDED", {}), ("MODIFIED", {"a": "b"}), ("DELETED", {"a": "b"})]


async def test_a_watch_from_a_version_that_is_forgotten_says_so(control_plane, admin, namespace):
    """Then the cache reads everything again, rather than to miss what happened meanwhile."""
    since = (await admin.create(config_map("c", namespace))).metadata.resource_version
    await admin.delete(ConfigMap, "c", namespace)
    await control_plane.restart(API)  # what it knew of the past it held in memory
    with pytest.raises(Expired):
        async with aclosing(admin.watch(ConfigMap, namespace, since=since)) as events:
            async for _ in events:
                raise AssertionError("nothing happens here any more")


async def test_a_patch_on_an_old_version_is_refused(admin, namespace):
    """The lock of the ledger."""
    before = await admin.create(config_map("c", namespace, a="1"))
    await admin.patch(ConfigMap, "c", namespace, {"data": {"a": "2"}})
    with pytest.raises(Conflict):
        await admin.change(before, config_map_with(before, a="3"), guarded=True)
    assert (await admin.get(ConfigMap, "c", namespace)).data == {"a": "2"}


def config_map_with(before: ConfigMap, **data: str) -> ConfigMap:
    return ConfigMap(metadata=before.metadata, data=data)


async def test_a_patch_whose_test_fails_changes_nothing(admin, namespace):
    """The other lock: a JSON patch that says what it was decided on."""
    await admin.create(config_map("c", namespace, a="1"))
    with pytest.raises(Invalid) as refused:
        await admin.patch(ConfigMap, "c", namespace, [json_patch.test("/data/a", "2"), json_patch.replace("/data/a", "3")])
    assert not refused.value.details.causes
    patched = await admin.patch(ConfigMap, "c", namespace, [json_patch.test("/data/a", "1"), json_patch.replace("/data/a", "3")])
    assert patched.data == {"a": "3"}


async def test_a_status_is_written_by_its_own_path_only(admin, namespace):
    """Asks and grants are written by different hands."""
    books = await admin.create(DiskSchedule(metadata=ObjectMeta(name="d", namespace=namespace), spec=DiskScheduleSpec(replicas={"r": 5})))
    assert books.metadata.generation == 1
    both = {"spec": {"replicas": {"s": 1}}, "status": {"storageScheduled": 7}}
    told = await admin.patch(DiskSchedule, "d", namespace, both, subresource="status")
    assert (told.spec, told.status.storage_scheduled, told.metadata.generation) == (books.spec, 7, 1)
    both["status"] = {"storageScheduled": 9}
    asked = await admin.patch(DiskSchedule, "d", namespace, both)
    assert (set(asked.spec.replicas), asked.status.storage_scheduled, asked.metadata.generation) == ({"r", "s"}, 7, 2)


async def test_only_the_object_that_was_meant_is_deleted(admin, namespace):
    """Another one of the same name may hold somebody's bytes."""
    made = await admin.create(config_map("c", namespace))
    with pytest.raises(Conflict):
        await admin.delete(ConfigMap, "c", namespace, uid="00000000-0000-4000-8000-000000000000")
    with pytest.raises(Conflict):
        await admin.delete(ConfigMap, "c", namespace, uid=made.metadata.uid, resource_version="1")
    told = []
    admin.deleted.append(lambda type_, key, uid: told.append((type_, key.name, uid)))
    await admin.delete(ConfigMap, "c", namespace, uid=made.metadata.uid)
    assert told == [(ConfigMap, "c", made.metadata.uid)]
    with pytest.raises(NotFound):
        await admin.delete(ConfigMap, "c", namespace)


async def test_a_finalizer_keeps_an_object_until_it_is_taken_off(admin, namespace):
    """Books are closed before they go."""
    await admin.create(LonghornNode(metadata=ObjectMeta(name="n", namespace=namespace, finalizers=("longhorn.io",))))
    await admin.delete(LonghornNode, "n", namespace)
    leaving = await until(admin, LonghornNode, "n", namespace, lambda node: bool(node.metadata.deletion_timestamp))
    assert leaving.metadata.finalizers == ("longhorn.io",)
    await admin.patch(LonghornNode, "n", namespace, {"metadata": {"finalizers": None}})
    with pytest.raises(NotFound):
        await admin.get(LonghornNode, "n", namespace)


async def test_what_a_definition_forbids_is_refused_with_its_field(admin, namespace):
    """People correct what they are told about."""
    await admin.create(DiskSchedule(metadata=ObjectMeta(name="d", namespace=namespace)))
    with pytest.raises(Invalid) as refused:
        await admin.patch(DiskSchedule, "d", namespace, {"spec": {"replicas": {"r": "many"}}})
    assert any("spec.replicas" in cause.field for cause in refused.value.details.causes)


async def test_nothing_is_made_in_a_namespace_that_ends(controllers, admin, namespace):
    """A manager that outlives its namespace is told, in words that it knows."""
    await admin.create(Secret(metadata=ObjectMeta(name="s", namespace=namespace, finalizers=("example.com/kept",))))
    await admin.delete(Namespace, namespace)
    with pytest.raises(Forbidden):
        await admin.create(config_map("c", namespace))
    await admin.patch(Secret, "s", namespace, {"metadata": {"finalizers": None}})
