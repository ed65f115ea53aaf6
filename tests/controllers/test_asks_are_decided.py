"""Asks are granted or refused, never left without a verdict, and never over the limit of the disk."""

import pytest
from tests.support.builders import machine, simulated_disk, size
from tests.support.world import World

from holdfast.api.longhorn import DiskSchedule
from holdfast.api.longhorn.disk_schedule import State
from holdfast.decide.values import AskKind

DISK = "n1/disk-1"


@pytest.fixture
async def world(world: World) -> World:
    """One machine with one disk of 100Gi."""
    await world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await world.settles()
    return world


async def test_an_ask_that_fits_is_granted(world):
    """D-17, D-31, D-34, D-43: what is asked in spec is decided and recorded in status."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.settles()

    entry = world.entry("r1", on=DISK)
    assert (entry.state, entry.scheduled_size) == (State.SCHEDULED, size("60Gi"))


async def test_an_ask_beyond_the_room_is_refused_with_nothing(world):
    """D-37: a newcomer without room holds nothing, and the reason is there to read."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.asks("r2", "60Gi", on=DISK)
    await world.settles()

    refused = world.entry("r2", on=DISK)
    assert (refused.state, refused.scheduled_size, refused.reason) == (State.REJECTED, 0, "over-provisioning")


@pytest.mark.parametrize("asked, state", [("40Gi", State.SCHEDULED), (size("40Gi") + 1, State.REJECTED)])
async def test_the_last_byte_counts(world, asked, state):
    """D-47: an exact fit is granted, one byte more is not."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.asks("r2", asked, on=DISK)
    await world.settles()

    assert world.entry("r2", on=DISK).state is state


async def test_freed_space_goes_to_the_one_who_waits(world):
    """D-76: a release leaves status, its bytes are free, and who was refused is decided again."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.asks("r2", "60Gi", on=DISK)
    await world.settles()

    await world.releases("r1", on=DISK)
    await world.settles()

    assert set(world.books(DISK).status.replicas) == {"r2"}
    assert world.granted("r2", on=DISK) == world.books(DISK).status.storage_scheduled == size("60Gi")


@pytest.mark.parametrize("kind", list(AskKind))
async def test_a_release_removes_the_ask_for_replicas_and_images_alike(world, kind):
    """D-75: asking for nothing leaves no key behind, neither in spec nor in status."""
    await world.asks("x", "5Gi", on=DISK, kind=kind)
    await world.settles()
    held = world.books(DISK).status.storage_scheduled

    await world.releases("x", on=DISK, kind=kind)
    await world.settles()

    books = world.books(DISK)
    assert held == size("5Gi")
    assert (books.spec.replicas, books.spec.backing_images, books.status.replicas, books.status.backing_images) == ({}, {}, {}, {})


async def test_an_ask_set_to_zero_is_a_release(world):
    """D-75: a person who writes 0 with kubectl means nothing, and the key is removed."""
    await world.asks("r1", "5Gi", on=DISK)
    await world.settles()

    await world.applies(DiskSchedule, world.uuid(DISK), {"spec": {"replicas": {"r1": 0}}})
    await world.settles()

    assert world.books(DISK).spec.replicas == {}
    assert world.books(DISK).status.storage_scheduled == 0


async def test_growth_that_fits_is_granted(world):
    """D-44: an ask that was raised is looked at again."""
    await world.asks("r1", "10Gi", on=DISK)
    await world.settles()

    await world.asks("r1", "30Gi", on=DISK)
    await world.settles()

    assert world.granted("r1", on=DISK) == size("30Gi")


async def test_growth_that_is_refused_keeps_what_was_held(world):
    """D-44, D-62: the former size stays granted and counts, and the refusal is visible."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.asks("r2", "30Gi", on=DISK)
    await world.settles()

    await world.asks("r2", "50Gi", on=DISK)
    await world.settles()

    entry = world.entry("r2", on=DISK)
    assert (entry.state, entry.scheduled_size) == (State.REJECTED, size("30Gi"))
    assert world.books(DISK).status.storage_scheduled == size("90Gi")


async def test_shrinking_is_granted_at_once(world):
    """Giving space back needs nobody's permission, and lets the next one in."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.asks("r2", "60Gi", on=DISK)
    await world.settles()

    await world.asks("r1", "40Gi", on=DISK)
    await world.settles()

    assert (world.granted("r1", on=DISK), world.granted("r2", on=DISK)) == (size("40Gi"), size("60Gi"))


async def test_replicas_and_images_share_one_disk(world):
    """D-03, D-04, D-30, D-32, D-46: one sum, one limit, the same verdict for the last bytes."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.asks("b1", "40Gi", on=DISK, kind=AskKind.IMAGE)
    await world.settles()
    await world.asks("b2", "1Gi", on=DISK, kind=AskKind.IMAGE)
    await world.settles()

    status = world.books(DISK).status
    assert {name: entry.state for name, entry in status.backing_images.items()} == {"b1": State.SCHEDULED, "b2": State.REJECTED}
    assert status.storage_scheduled == size("100Gi")


async def test_many_asks_at_once_each_get_a_verdict(world):
    """D-14, D-48: exactly as many are granted as fit, and none is left waiting."""
    asks = {f"r{number}": size("7Gi") for number in range(20)}
    await world.applies(DiskSchedule, world.uuid(DISK), {"spec": {"replicas": asks}})
    await world.settles()

    states = [entry.state for entry in world.books(DISK).status.replicas.values()]
    assert (states.count(State.SCHEDULED), states.count(State.REJECTED)) == (14, 6)


async def test_absurd_sizes_are_refused_and_hurt_nobody(world):
    """Bad input of one asker must not cost another one its grant."""
    await world.asks("huge", 2**63 - 1, on=DISK)
    await world.asks("r1", "60Gi", on=DISK)
    await world.settles()

    assert (world.entry("huge", on=DISK).state, world.granted("r1", on=DISK)) == (State.REJECTED, size("60Gi"))


async def test_a_refusal_is_told_once_with_its_numbers(world):
    """A person who describes the schedule reads who was refused and by how much."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.settles()
    await world.asks("r2", "60Gi", on=DISK)
    await world.settles()

    (refusal,) = world.events("Rejected")
    assert "r2" in refusal
    assert "20Gi" in refusal


async def test_a_ready_disk_says_that_it_takes_asks(world):
    """D-36, D-40: the condition of the specification's example."""
    condition = world.condition(DISK, "Schedulable")

    assert (condition.status, condition.reason, condition.last_probe_time) == ("True", "", "")
    assert condition.message == "Disk disk-1 is ready for scheduling on node n1"
    assert condition.last_transition_time.endswith("Z")


@pytest.mark.takes_hours
async def test_quiet_means_no_writes(world):
    """A cluster in which nothing happens costs its API nothing but leases, also with asks that wait."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.asks("r2", "60Gi", on=DISK)
    await world.settles()
    await world.passes(700)  # the grace of asks without objects ends in between
    await world.settles()

    assert await world.written_during(2 * 3600) == set()


async def test_an_explanation_never_differs_from_the_decision(world):
    """What a person is told comes from the code that decided."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.settles()
    await world.asks("r2", "60Gi", on=DISK)
    await world.settles()

    explained = world.explains(DISK)

    assert not explained.recorded_differs
    assert {ask.name: (ask.granted, ask.shortfall) for ask in explained.asks} == {"r1": (size("60Gi"), 0), "r2": (0, size("20Gi"))}
