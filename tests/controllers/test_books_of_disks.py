"""Every disk has its books: opened when it is found, kept while it is away, closed when it is gone and nothing is in them."""

import pytest
from tests.support.builders import NAMESPACE, machine, schedule, simulated_disk, size
from tests.support.world import World

from holdfast.agent.simulated import uuid_of
from holdfast.agent.wishes import ANNOTATION
from holdfast.api.conditions import find
from holdfast.api.kinds import DISK_SCHEDULE, FINALIZER, LONGHORN_NODE
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.disk_schedule import State
from holdfast.api.struct import decode
from holdfast.api.wire import Request

DISK = "n1/disk-1"
GONE = {"spec": {"disks": {"disk-1": None}}}


@pytest.fixture
async def world(world: World) -> World:
    """One machine with one disk of 100Gi."""
    await world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await world.settles()
    return world


async def test_a_disk_has_books_under_its_uuid(world):
    """D-24, D-25, D-27, D-28, D-41: one object per disk, named by its UUID, that says whose it is."""
    node = world.sees(LonghornNode, "n1")
    uuid = node.status.disk_status["disk-1"].disk_uuid

    books = world.sees(DiskSchedule, uuid)

    assert (books.spec.name, books.spec.node_id) == ("disk-1", "n1")
    assert (DISK_SCHEDULE.api_version, DISK_SCHEDULE.plural, books.metadata.namespace) == (
        "longhorn.io/v1beta2",
        "diskschedules",
        NAMESPACE,
    )


async def test_books_have_the_finalizer_and_no_owner(world):
    """D-26: books must outlive their Node, and are not deleted by accident."""
    metadata = world.books(DISK).metadata

    assert (metadata.finalizers, metadata.owner_references) == ((FINALIZER,), ())


async def test_the_maps_of_books_are_always_there(world):
    """D-29, D-30: a JSON Patch can test a key of an empty map, but not of an absent one."""
    answer = await world.client.send(Request("GET", DISK_SCHEDULE.path(NAMESPACE, world.uuid(DISK))))

    spec = decode(answer.body, dict)["spec"]

    assert {name: spec.get(name) for name in ("replicas", "backingImages", "tokens", "imageTokens")} == {
        "replicas": {},
        "backingImages": {},
        "tokens": {},
        "imageTokens": {},
    }


async def test_a_new_disk_gets_books_while_everything_runs(world):
    """D-41: no restart is needed for a disk that was added."""
    await world.applies(LonghornNode, "n1", {"metadata": {"annotations": {ANNOTATION: '{"disks": {"disk-2": {"size": "50Gi"}}}'}}})
    await world.applies(LonghornNode, "n1", {"spec": {"disks": {"disk-2": {"path": "/disk-2", "allowScheduling": True}}}})
    await world.settles()
    await world.asks("r1", "50Gi", on="n1/disk-2")
    await world.settles()

    assert world.granted("r1", on="n1/disk-2") == size("50Gi")


async def test_the_books_of_a_removed_disk_are_closed(world):
    """D-42: a disk that left the Node takes its empty books along."""
    await world.applies(LonghornNode, "n1", GONE)
    await world.settles()

    assert world.sees(DiskSchedule, world.uuid(DISK)) is None


async def test_a_disk_that_is_away_keeps_its_books(world):
    """Away is not gone: only a spec without the disk counts."""
    before = world.books(DISK).metadata.uid
    world.machines["n1"].pull("disk-1")

    await world.passes(2 * 3600)

    assert world.books(DISK).metadata.uid == before


async def test_a_removed_disk_that_holds_grants_keeps_its_books_and_says_what_they_hold(world):
    """D-42: nobody forgets bytes that are still on the disk."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()

    await world.applies(LonghornNode, "n1", GONE)
    await world.settles()

    assert world.granted("r1", on=DISK) == size("10Gi")
    held = world.node_condition("n1", "DisksReleased")
    assert (held.status, held.reason) == ("False", "DiskInUse")
    assert "replica r1" in held.message
    schedulable = world.condition(DISK, "Schedulable")
    assert schedulable.status == "False"
    assert world.events("DiskInUse")


async def test_the_last_release_closes_the_books_of_a_removed_disk(world):
    """And the Node has nothing to complain of any more."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()
    await world.applies(LonghornNode, "n1", GONE)
    await world.settles()

    await world.releases("r1", on=DISK)
    await world.settles()

    assert world.sees(DiskSchedule, world.uuid(DISK)) is None
    assert find(world.sees(LonghornNode, "n1").status.conditions, "DisksReleased") is None


async def test_a_disk_that_is_put_back_finds_its_books(world):
    """A removal that was refused is undone without loss."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()
    await world.applies(LonghornNode, "n1", GONE)
    await world.settles()

    await world.applies(LonghornNode, "n1", {"spec": {"disks": {"disk-1": {"path": "/disk-1", "allowScheduling": True}}}})
    await world.settles()
    await world.asks("r2", "10Gi", on=DISK)
    await world.settles()

    assert (world.granted("r1", on=DISK), world.granted("r2", on=DISK)) == (size("10Gi"), size("10Gi"))
    assert find(world.sees(LonghornNode, "n1").status.conditions, "DisksReleased") is None


async def test_empty_books_that_were_deleted_by_hand_are_opened_again(world):
    """D-41: the disk is still there."""
    before = world.books(DISK).metadata.uid

    await world.deletes(DiskSchedule, world.uuid(DISK))
    await world.settles()

    assert world.books(DISK).metadata.uid != before
    assert world.books(DISK).metadata.deletion_timestamp == ""


async def test_books_that_hold_grants_survive_a_deletion_by_hand(world):
    """No grant is lost by a slip of the hand: the books stay until the last release, and say so."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()

    await world.deletes(DiskSchedule, world.uuid(DISK))
    await world.settles()

    assert world.books(DISK).metadata.deletion_timestamp
    assert world.granted("r1", on=DISK) == size("10Gi")
    assert world.condition(DISK, "Deleting").status == "True"
    assert world.condition(DISK, "Schedulable").status == "True"
    assert "replica r1" in world.events("DeletionWaits")[0]


async def test_books_that_were_deleted_by_hand_begin_anew_after_the_last_release(world):
    """The disk exists, so it has books."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()
    before = world.books(DISK).metadata.uid
    await world.deletes(DiskSchedule, world.uuid(DISK))
    await world.settles()

    await world.releases("r1", on=DISK)
    await world.settles()

    books = world.books(DISK)
    assert books.metadata.uid != before
    assert (books.metadata.deletion_timestamp, books.status.storage_scheduled) == ("", 0)


async def test_a_finalizer_that_was_removed_by_hand_comes_back(world):
    """Without it, the next slip of the hand would lose what is granted."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()

    await world.applies(DiskSchedule, world.uuid(DISK), {"metadata": {"finalizers": None}})
    await world.settles()
    await world.deletes(DiskSchedule, world.uuid(DISK))
    await world.settles()

    assert world.books(DISK).metadata.finalizers == (FINALIZER,)
    assert world.granted("r1", on=DISK) == size("10Gi")


async def test_books_that_were_torn_up_begin_anew(world):
    """Who removes the finalizer of books that are being deleted has lost what they held; the disk goes on with new ones."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()
    before = world.books(DISK).metadata.uid

    await world.deletes(DiskSchedule, world.uuid(DISK))
    await world.applies(DiskSchedule, world.uuid(DISK), {"metadata": {"finalizers": None}})
    await world.settles()
    await world.asks("r2", "100Gi", on=DISK)
    await world.settles()

    assert world.books(DISK).metadata.uid != before
    assert set(world.books(DISK).status.replicas) == {"r2"}
    assert world.granted("r2", on=DISK) == size("100Gi")
    torn_up = world.violations.pop()  # what no controller may do, a person did
    assert "gone with r1" in str(torn_up)


async def test_a_node_that_is_deleted_by_hand_comes_back_with_its_grants(world):
    """Its agent lives and its disks are there: the books wait for it."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()
    before = world.books(DISK).metadata.uid

    await world.deletes(LonghornNode, "n1")
    await world.settles()
    await world.asks("r2", "10Gi", on=DISK)
    await world.settles()

    assert world.books(DISK).metadata.uid == before
    assert (world.granted("r1", on=DISK), world.granted("r2", on=DISK)) == (size("10Gi"), size("10Gi"))


async def test_books_made_by_hand_for_an_unknown_disk_grant_nothing(world):
    """A typing error in a UUID must not promise bytes that are nowhere."""
    await world.has(schedule("0000-no-such-disk", node="nowhere", disk="none", asks={"r1": "1Gi"}))
    await world.settles()

    condition = world.condition("0000-no-such-disk", "Schedulable")
    assert (condition.status, condition.reason) == ("False", "NodeMissing")
    assert world.entry("r1", on="0000-no-such-disk").state is State.REJECTED


async def test_books_made_by_hand_for_a_known_disk_are_taken_in_charge(empty_world):
    """They get what ours have: the claim, the finalizer and the maps."""
    uuid = uuid_of("n1", "disk-1")
    path = DISK_SCHEDULE.path(NAMESPACE)
    by_hand = b'{"apiVersion":"longhorn.io/v1beta2","kind":"DiskSchedule","metadata":{"name":"%s"},"spec":{}}' % uuid.encode()
    await empty_world.client.send(Request("POST", path, headers={"content-type": "application/json"}, body=by_hand))
    empty_world.starts_manager()
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await empty_world.settles()
    await empty_world.asks("r1", "10Gi", on=DISK)
    await empty_world.settles()

    books = empty_world.books(DISK)
    assert (books.metadata.finalizers, books.spec.node_id, books.spec.name) == ((FINALIZER,), "n1", "disk-1")
    assert empty_world.granted("r1", on=DISK) == size("10Gi")


async def test_a_uuid_that_can_name_no_object_is_told(world):
    """Garbage on a disk costs that disk its books, and nobody else anything."""
    garbage = '{"disks": {"disk-2": {"size": "50Gi", "uuid": "No UUID!"}}}'
    await world.applies(LonghornNode, "n1", {"metadata": {"annotations": {ANNOTATION: garbage}}})
    await world.applies(LonghornNode, "n1", {"spec": {"disks": {"disk-2": {"path": "/disk-2", "allowScheduling": True}}}})
    await world.settles()
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()

    assert "No UUID!" in world.events("BadDiskUUID")[0]
    assert world.granted("r1", on=DISK) == size("10Gi")


def test_longhorn_knows_its_nodes_by_the_same_name_as_kubernetes():
    """Two kinds are called Node: ours is told apart by its group."""
    assert LONGHORN_NODE.resource == "nodes.longhorn.io"


@pytest.mark.parametrize("what", ["removed", "deleted"])
async def test_books_that_wait_for_a_release_cost_nothing(world, what):
    """A person may take days to release: until then nobody writes."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()
    if what == "removed":
        await world.applies(LonghornNode, "n1", GONE)
    else:
        await world.deletes(DiskSchedule, world.uuid(DISK))
    await world.settles()

    assert await world.written_during(300) == set()


async def test_the_books_of_a_node_that_is_gone_for_good_wait_for_their_last_release(world):
    """The machine is lost, its replicas are not forgotten; when they are given up, nothing is left."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()
    world.machines["n1"].fall()
    await world.passes(20)

    await world.deletes(LonghornNode, "n1")
    await world.settles()
    held = world.granted("r1", on=DISK)
    reason = world.condition(DISK, "Schedulable").reason
    await world.releases("r1", on=DISK)
    await world.settles()

    assert (held, reason) == (size("10Gi"), "NodeMissing")
    assert world.sees(DiskSchedule, world.uuid(DISK)) is None
