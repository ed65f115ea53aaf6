"""Asks that nobody wants any more are flagged at once and swept after the grace, and no other ask ever is."""

import pytest
from tests.support.builders import backing_image, machine, replica, simulated_disk, size
from tests.support.faulty_transports import Deaf, Outrun
from tests.support.world import World

from holdfast.api.longhorn import BackingImage, DiskSchedule, Replica
from holdfast.api.wire import Request
from holdfast.decide import settings
from holdfast.decide.tokens import Token
from holdfast.decide.values import AskKind

DISK = "n1/disk-1"


@pytest.fixture
async def world(world: World) -> World:
    """One disk of 100Gi, and a replica on it that is granted 60Gi."""
    await world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await world.has(replica("r1", on=world.uuid(DISK)))
    await world.settles()
    uid = world.sees(Replica, "r1").metadata.uid
    await world.asks("r1", "60Gi", on=DISK, token=Token(uid, 0, 0))
    await world.settles()
    return world


async def test_an_ask_without_an_object_is_granted_and_flagged_at_once(world):
    """A person can try the ledger with kubectl alone, and sees what will happen to the ask."""
    await world.asks("by-hand", "10Gi", on=DISK)
    await world.settles()

    entry = world.entry("by-hand", on=DISK)
    assert entry.scheduled_size == size("10Gi")
    assert entry.orphaned_since
    condition = world.condition(DISK, "OrphanedAsks")
    assert "by-hand" in condition.message
    assert world.events("AskOrphaned")


@pytest.mark.parametrize("name", ["", ".", "..", "../../nodes/n1", "a/b?c=d#e", "Upper Case", "ünï \n☃", "x" * 5000])
async def test_a_key_that_no_object_can_bear_harms_nobody(world, name):
    """A map of asks takes any text. One such key must not leave the others of its disk without a verdict, nor itself stay for ever."""
    await world.asks(name, "10Gi", on=DISK)
    await world.asks("good", "10Gi", on=DISK)
    await world.settles()
    decided = {key: entry.scheduled_size for key, entry in world.books(DISK).status.replicas.items()}

    await world.passes(620)
    await world.settles()

    assert decided == {"r1": size("60Gi"), name: size("10Gi"), "good": size("10Gi")}
    assert set(world.books(DISK).spec.replicas) == {"r1"}


async def test_an_orphan_is_swept_after_the_grace_and_not_before(world):
    """The grace is for people; what is leaked comes back without them."""
    await world.asks("by-hand", "10Gi", on=DISK)
    await world.settles()

    await world.passes(500)
    during = set(world.books(DISK).spec.replicas)
    await world.passes(120)
    await world.settles()

    assert during == {"r1", "by-hand"}
    assert set(world.books(DISK).spec.replicas) == set(world.books(DISK).status.replicas) == {"r1"}
    assert not world.says(DISK, "OrphanedAsks")


async def test_a_shorter_grace_counts_at_once(world):
    """The setting is live, also for asks that wait already."""
    await world.asks("by-hand", "10Gi", on=DISK)
    await world.settles()

    await world.sets(settings.ORPHAN_GRACE, "30s")
    await world.settles()
    await world.passes(40)
    await world.settles()

    assert "by-hand" not in world.books(DISK).spec.replicas


async def test_the_ask_of_a_deleted_replica_is_swept(world):
    """D-76: its bytes come back even when nobody releases them."""
    await world.deletes(Replica, "r1")
    await world.settles()
    flagged = world.entry("r1", on=DISK).orphaned_since

    await world.passes(700)
    await world.settles()

    assert flagged
    assert world.books(DISK).status.storage_scheduled == 0
    assert world.books(DISK).spec.tokens == {}


async def test_the_ask_of_a_living_replica_is_never_swept(world):
    """D-22: what lives is released by its owner alone."""
    await world.passes(2 * 3600)

    assert world.granted("r1", on=DISK) == size("60Gi")
    assert not world.entry("r1", on=DISK).orphaned_since


async def test_an_object_that_appears_ends_the_flag(world):
    """An ask may be seen before its object is: then nothing is swept."""
    await world.asks("r2", "10Gi", on=DISK)
    await world.settles()
    flagged = world.entry("r2", on=DISK).orphaned_since

    await world.has(replica("r2", on=world.uuid(DISK)))
    await world.passes(700)
    await world.settles()

    assert flagged
    assert not world.entry("r2", on=DISK).orphaned_since
    assert world.granted("r2", on=DISK) == size("10Gi")


async def test_an_ask_of_an_earlier_replica_of_that_name_is_an_orphan(world):
    """A name that came back with another uid inherits nothing."""
    await world.deletes(Replica, "r1")
    await world.has(replica("r1", on=world.uuid(DISK)))
    await world.settles()

    assert world.entry("r1", on=DISK).orphaned_since


async def test_an_ask_that_its_replica_has_moved_away_from_is_an_orphan(world):
    """A newer placement proves that the ask is left over, for ever."""
    moved = {"metadata": {"annotations": {"holdfast.io/placement": "2"}}, "spec": {"diskID": "elsewhere"}}
    await world.applies(Replica, "r1", moved)
    await world.passes(700)
    await world.settles()

    assert world.books(DISK).spec.replicas == {}


async def test_the_ask_of_a_deleted_image_is_swept(world):
    """Images leak no bytes either."""
    await world.has(backing_image("b1", on=world.uuid(DISK)))
    await world.asks("b1", "10Gi", on=DISK, kind=AskKind.IMAGE)
    await world.settles()
    alive = world.entry("b1", on=DISK, kind=AskKind.IMAGE).orphaned_since

    await world.deletes(BackingImage, "b1")
    await world.passes(700)
    await world.settles()

    assert not alive
    assert world.books(DISK).spec.backing_images == {}


async def test_data_that_is_there_already_is_adopted_and_flagged(world):
    """A cluster that is taken over is never told that its data does not fit: the disk says that it holds too much."""
    await world.has(replica("old", on=world.uuid(DISK), is_healthy=True))
    await world.settles()

    await world.asks("old", "70Gi", on=DISK)
    await world.settles()

    entry = world.entry("old", on=DISK)
    assert (entry.scheduled_size, entry.adopted) == (size("70Gi"), True)
    assert world.says(DISK, "OverLimit")


async def test_the_older_object_is_served_first(world):
    """D-48: no order is promised by the specification; ours is the age of who asks."""
    await world.has(replica("young", on=world.uuid(DISK)))
    await world.passes(10)
    await world.has(replica("a-younger", on=world.uuid(DISK)))
    await world.asks("a-younger", "50Gi", on=DISK)
    await world.asks("young", "50Gi", on=DISK)
    await world.settles()

    await world.asks("r1", "50Gi", on=DISK, token=Token(world.sees(Replica, "r1").metadata.uid, 0, 0))
    await world.settles()

    assert (world.granted("young", on=DISK), world.granted("a-younger", on=DISK)) == (size("50Gi"), 0)


async def test_a_replica_that_a_manager_has_not_heard_of_is_no_orphan(empty_world):
    """Not in my cache is no evidence: a live read is made before anything is flagged or swept."""
    empty_world.starts_manager("m1", Deaf(empty_world.transports(), "replicas"))
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await empty_world.settles()
    await empty_world.has(replica("r1", on=empty_world.uuid(DISK)))
    await empty_world.asks("r1", "10Gi", on=DISK)
    await empty_world.passes(3600)

    assert empty_world.granted("r1", on=DISK) == size("10Gi")
    assert not empty_world.entry("r1", on=DISK).orphaned_since


async def test_a_replica_that_came_back_unheard_is_not_swept(empty_world):
    """The proof is made anew before the removal: a flag alone is none."""
    empty_world.starts_manager("m1", Deaf(empty_world.transports(), "replicas"))
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await empty_world.settles()
    await empty_world.asks("r1", "10Gi", on=DISK)
    await empty_world.settles()
    flagged = empty_world.entry("r1", on=DISK).orphaned_since

    await empty_world.has(replica("r1", on=empty_world.uuid(DISK)))
    await empty_world.passes(3600)

    assert flagged
    assert empty_world.granted("r1", on=DISK) == size("10Gi")


async def test_an_ask_that_changed_while_it_was_judged_is_not_removed(empty_world):
    """A late verdict on a dead ask must not land on the live one that came after."""
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    landed: list[Request] = []

    async def the_ask_is_renewed(request: Request):
        if request.method == "PATCH" and b'"op":"remove"' in request.body and not landed:
            landed.append(request)
            await empty_world.asks("r1", "20Gi", on=DISK, token=Token("another-uid", 1, 0))

    manager = empty_world.starts_manager("m1", Outrun(empty_world.transports(), the_ask_is_renewed))
    await empty_world.settles()
    await empty_world.asks("r1", "10Gi", on=DISK)
    await empty_world.passes(650)
    await manager.dies()
    await empty_world.looks()

    assert landed
    assert empty_world.books(DISK).spec.tokens == {"r1": "another-uid/1/0"}


async def test_odd_tokens_keep_no_orphan_alive(world):
    """Whatever a hand wrote among the tokens, the sweep gets through, also for the other asks of the disk."""
    spec = {"replicas": {"a": 1, "b": 2, "c": 3}, "tokens": {"a": "", "b": "junk", "nobody": "u/1/0"}}
    await world.applies(DiskSchedule, world.uuid(DISK), {"spec": spec})
    await world.settles()

    await world.passes(620)
    await world.settles()

    assert set(world.books(DISK).spec.replicas) == {"r1"}
