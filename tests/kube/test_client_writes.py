"""Writing objects: whole ones are only ever created, everything else is a patch."""

import pytest
from msgspec.structs import replace
from tests.support.fake_api import FakeApi, refuses, says

from holdfast.api.core import ConfigMap, Namespace, Node, NodeSpec, Taint
from holdfast.api.errors import BadRequest, Conflict
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec
from holdfast.api.merge_patch import PartialList
from holdfast.api.meta import Object, ObjectMeta
from holdfast.kube.client import Client
from holdfast.kube.keys import Key

SCHEDULE = DiskSchedule(
    metadata=ObjectMeta(name="d", namespace="longhorn-system", uid="u", resource_version="5"),
    spec=DiskScheduleSpec(replicas={"r1": 10, "r2": 20}),
)
ON_THE_WIRE = {"metadata": {"name": "d", "namespace": "longhorn-system", "uid": "u", "resourceVersion": "6"}}


async def test_a_created_object_says_its_kind(client: Client, api: FakeApi):
    """The server gives the name, and what it made is what the caller goes on with."""
    api.answers(says({"metadata": {"name": "c-x7f2p", "resourceVersion": "8"}}, 201))

    made = await client.create(ConfigMap(metadata=ObjectMeta(generate_name="c-", namespace="default"), data={"a": "b"}))

    assert made.metadata.name == "c-x7f2p"
    (request,) = api.requests
    assert (request.method, request.path) == ("POST", "/api/v1/namespaces/default/configmaps")
    assert request.headers["content-type"] == "application/json"
    expected = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "c-", "namespace": "default"}, "data": {"a": "b"}}
    assert request.json == expected


async def test_a_change_sends_only_the_difference(client: Client, api: FakeApi):
    """Other writers' fields, known to us or not, must not travel."""
    api.answers(says(ON_THE_WIRE))

    await client.change(SCHEDULE, replace(SCHEDULE, spec=DiskScheduleSpec(replicas={"r1": 15})))

    (request,) = api.requests
    assert (request.method, request.path) == ("PATCH", "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/diskschedules/d")
    assert request.headers["content-type"] == "application/merge-patch+json"
    assert request.json == {"spec": {"replicas": {"r1": 15, "r2": None}}}


async def test_a_change_that_changes_nothing_sends_nothing(client: Client, api: FakeApi):
    """A quiet plane means no writes at all, and a reconcile may always say what it wants."""
    same = replace(SCHEDULE, spec=DiskScheduleSpec(replicas={"r2": 20, "r1": 10}))

    assert await client.change(SCHEDULE, same) is SCHEDULE
    assert api.requests == []


async def test_a_guarded_change_carries_the_revision_that_was_read(client: Client, api: FakeApi):
    """A decision on numbers that have changed since is refused by the server."""
    api.answers(refuses(409, "Conflict", "the object has been modified"))

    with pytest.raises(Conflict):
        await client.change(SCHEDULE, replace(SCHEDULE, spec=DiskScheduleSpec(replicas={})), guarded=True, subresource="status")

    (request,) = api.requests
    assert request.path.endswith("/diskschedules/d/status")
    assert request.json["metadata"] == {"resourceVersion": "5"}


async def test_a_list_known_only_in_part_is_never_written(client: Client, api: FakeApi):
    """To send a partial object back would drop what we did not read."""
    node = Node(metadata=ObjectMeta(name="n"))
    tainted = replace(node, spec=NodeSpec(taints=(Taint(key="k"),)))

    with pytest.raises(PartialList):
        await client.change(node, tainted)
    assert api.requests == []


async def test_a_json_patch_travels_as_operations(client: Client, api: FakeApi):
    """An ask patches only its own key, under a test of what it saw."""
    api.answers(says(ON_THE_WIRE))
    operations = [{"op": "test", "path": "/spec/tokens/r1", "value": "t"}, {"op": "replace", "path": "/spec/replicas/r1", "value": 15}]

    patched = await client.patch(DiskSchedule, "d", "longhorn-system", operations)

    assert patched.metadata.resource_version == "6"
    assert api.requests[0].headers["content-type"] == "application/json-patch+json"
    assert api.requests[0].json == operations


async def test_a_partial_object_is_never_put(client: Client, api: FakeApi):
    """What we read is partial: a PUT of it would drop every field that we do not know."""
    api.answers(*[says(ON_THE_WIRE)] * 5)
    grown = replace(SCHEDULE, spec=DiskScheduleSpec(replicas={"r1": 11, "r2": 20}))

    await client.create(SCHEDULE)
    await client.change(SCHEDULE, grown)
    await client.change(SCHEDULE, grown, guarded=True, subresource="status")
    await client.patch(DiskSchedule, "d", "longhorn-system", [{"op": "remove", "path": "/spec/replicas/r1"}])
    await client.delete(DiskSchedule, "d", "longhorn-system")

    assert [request.method for request in api.requests] == ["POST", "PATCH", "PATCH", "PATCH", "DELETE"]


async def test_a_dry_run_tells_no_cache(client: Client, api: FakeApi):
    """What was only tried must not show up anywhere."""
    told: list[Object] = []
    client.written.append(told.append)
    api.answers(says(ON_THE_WIRE), says(ON_THE_WIRE, 201))

    await client.patch(DiskSchedule, "d", "longhorn-system", {"spec": {}}, dry_run=True)
    await client.create(SCHEDULE, dry_run=True)

    assert [request.query for request in api.requests] == [{"dryRun": "All"}] * 2
    assert told == []


async def test_own_writes_are_told_before_the_writer_goes_on(client: Client, api: FakeApi):
    """A cache that shows its owner's own writes at once hears of them here."""
    told: list[Object] = []
    client.written.append(told.append)
    api.answers(says(ON_THE_WIRE, 201), says(ON_THE_WIRE), refuses(409, "Conflict"))

    made = await client.create(SCHEDULE)
    changed = await client.patch(DiskSchedule, "d", "longhorn-system", {"spec": {}})
    with pytest.raises(Conflict):
        await client.patch(DiskSchedule, "d", "longhorn-system", {"spec": {}})

    assert told == [made, changed]


async def test_a_delete_names_what_it_means(client: Client, api: FakeApi):
    """The object of this uid at this revision, not whatever has the name by then."""
    api.answers(says({"kind": "Status", "status": "Success", "details": {"uid": "u"}}))

    await client.delete(DiskSchedule, "d", "longhorn-system", uid="u", resource_version="5", propagation="Foreground")

    assert api.requests[0].json == {
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "propagationPolicy": "Foreground",
        "preconditions": {"uid": "u", "resourceVersion": "5"},
    }


async def test_a_delete_of_another_uid_is_a_conflict(client: Client, api: FakeApi):
    """The name was taken by a new object, which must live."""
    removed: list[Key] = []
    client.deleted.append(lambda _type, key, _uid: removed.append(key))
    api.answers(refuses(409, "Conflict", "the UID in the precondition (u) does not match the UID in record (v)"))

    with pytest.raises(Conflict, match="does not match"):
        await client.delete(DiskSchedule, "d", "longhorn-system", uid="u")
    assert removed == []


async def test_a_removed_object_is_told_with_its_uid(client: Client, api: FakeApi):
    """A cache removes that object, not a new one of the same name."""
    removed: list[tuple[type[Object], Key, str]] = []
    client.deleted.append(lambda type_, key, uid: removed.append((type_, key, uid)))
    api.answers(says({"kind": "Status", "status": "Success", "details": {"uid": "u9"}}), says({"kind": "Node", "metadata": {"uid": "u8"}}))

    await client.delete(DiskSchedule, "d", "longhorn-system")
    await client.delete(Node, "n")

    assert removed == [(DiskSchedule, Key("longhorn-system", "d"), "u9"), (Node, Key("", "n"), "u8")]


async def test_a_deleted_object_that_finalizers_keep_is_told_as_written(client: Client, api: FakeApi):
    """It is still there, with a deletion timestamp."""
    written: list[Object] = []
    removed: list[Key] = []
    client.written.append(written.append)
    client.deleted.append(lambda _type, key, _uid: removed.append(key))
    metadata = {"name": "d", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["longhorn.io"]}
    api.answers(says({"kind": "DiskSchedule", "metadata": metadata, "spec": {"name": "disk-1"}}))

    await client.delete(DiskSchedule, "d", "longhorn-system")

    assert removed == []
    (left,) = written
    assert isinstance(left, DiskSchedule)
    assert (left.spec.name, left.metadata.deletion_timestamp) == ("disk-1", "2026-01-01T00:00:00Z")


async def test_an_object_of_a_namespace_is_not_written_without_one(client: Client, api: FakeApi):
    """Without it the path is that of another kind of request."""
    with pytest.raises(BadRequest, match="a ConfigMap lives in a namespace"):
        await client.create(ConfigMap(metadata=ObjectMeta(name="c")))
    with pytest.raises(BadRequest, match="a DiskSchedule lives in a namespace"):
        await client.patch(DiskSchedule, "d", "", {})
    assert api.requests == []


async def test_an_object_without_namespaces_is_written_without_one(client: Client, api: FakeApi):
    """Namespaces themselves have none."""
    api.answers(says({"metadata": {"name": "n"}}, 201))

    await client.create(Namespace(metadata=ObjectMeta(name="n")))

    assert api.requests[0].path == "/api/v1/namespaces"
