"""Any number of managers, at once, dying at any moment: the same end, and no byte promised twice."""

import pytest
from tests.support.builders import machine, simulated_disk, size
from tests.support.faulty_transports import Mortal, Outrun
from tests.support.world import World

from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.disk_schedule import State
from holdfast.api.wire import Request

DISK = "n1/disk-1"
TEN_OF_20 = {f"r{number}": size("20Gi") for number in range(10)}


async def prepared(world: World) -> None:
    """Books of a disk of 100Gi, with ten asks of 20Gi each that nobody has decided."""
    manager = world.starts_manager("first")
    await world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await world.settles()
    await manager.dies()
    await world.applies(DiskSchedule, world.uuid(DISK), {"spec": {"replicas": TEN_OF_20}})


def granted_in(world: World) -> dict[str, int]:
    return {name: entry.scheduled_size for name, entry in world.books(DISK).status.replicas.items()}


async def test_managers_at_once_grant_no_byte_twice(empty_world):
    """D-01, D-06, D-13: whatever they do at the same time, each revision keeps the limit."""
    sums = []
    await prepared(empty_world)

    for name in ("m1", "m2", "m3"):
        empty_world.starts_manager(name)
    for number in range(10):
        await empty_world.asks(f"late-{number}", "20Gi", on=DISK)
        await empty_world.looks()
        sums.append(empty_world.books(DISK).status.storage_scheduled)
        await empty_world.passes(0.01)
    await empty_world.settles()

    states = [entry.state for entry in empty_world.books(DISK).status.replicas.values()]
    assert (states.count(State.SCHEDULED), len(states)) == (5, 20)
    assert max([*sums, empty_world.books(DISK).status.storage_scheduled]) == size("100Gi")


@pytest.mark.takes_hours
async def test_two_managers_are_as_quiet_as_one(empty_world):
    """Two that agree have nothing to write against each other."""
    await prepared(empty_world)
    empty_world.starts_manager("m1")
    empty_world.starts_manager("m2")
    await empty_world.settles()
    await empty_world.passes(700)
    await empty_world.settles()

    assert await empty_world.written_during(3600) == set()


async def test_a_verdict_on_what_has_changed_is_made_again(empty_world):
    """D-02, D-12: a conflict leads to another look, not to a lost or a blind write."""
    await prepared(empty_world)
    conflicts: list[Request] = []

    async def somebody_is_faster(request: Request):
        if request.method == "PATCH" and request.path.endswith(f"{empty_world.uuid(DISK)}/status") and len(conflicts) < 3:
            conflicts.append(request)
            await empty_world.asks(f"faster-{len(conflicts)}", "1Gi", on=DISK)

    empty_world.starts_manager("m1", Outrun(empty_world.transports(), somebody_is_faster))
    await empty_world.settles()

    assert len(conflicts) == 3
    assert empty_world.books(DISK).status.storage_scheduled <= size("100Gi")
    assert set(granted_in(empty_world)) == {*TEN_OF_20, "faster-1", "faster-2", "faster-3"}


async def test_a_stale_status_is_refused_by_the_server(empty_world):
    """D-02: the object's revision is the lock."""
    await prepared(empty_world)
    refused: list[Request] = []

    async def status_goes_first(request: Request):
        if request.method == "PATCH" and request.path.endswith("/status") and not refused:
            refused.append(request)
            await empty_world.status_by_hand(DISK, {"storageScheduled": 1})

    empty_world.starts_manager("m1", Outrun(empty_world.transports(), status_goes_first))
    await empty_world.settles()

    assert refused
    assert empty_world.books(DISK).status.storage_scheduled == size("100Gi")


async def test_a_restart_between_ask_and_grant_changes_nothing(empty_world):
    """D-18: the verdict rests on what is written, not on what a process remembers."""
    await prepared(empty_world)
    first = empty_world.starts_manager("m1")
    await empty_world.settles()
    expected = granted_in(empty_world)
    await empty_world.applies(DiskSchedule, empty_world.uuid(DISK), {"spec": {"replicas": {"r0": size("10Gi"), "late": size("5Gi")}}})

    await first.dies()
    empty_world.starts_manager("m2")
    await empty_world.settles()

    assert granted_in(empty_world) == expected | {"r0": size("10Gi"), "late": size("5Gi")}


@pytest.mark.parametrize("requests", range(1, 36))  # the whole story takes 35
@pytest.mark.takes_hours
async def test_a_manager_may_die_after_any_request(empty_world, requests):
    """D-06: another one goes on from what is written, to the same end, and no grant is lost or doubled."""
    transport = Mortal(empty_world.transports(), requests)
    mortal = empty_world.starts_manager("mortal", transport)
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi"), simulated_disk("disk-2", "10Gi")))
    await story(empty_world)
    await mortal.dies()
    await empty_world.settles()

    empty_world.starts_manager("heir")
    await empty_world.settles()
    await story(empty_world)
    await empty_world.passes(700)
    await empty_world.settles()

    # The ask of 80Gi was swept with the other orphans: nothing is left, and nothing is missing.
    books = empty_world.books(DISK)
    assert (books.spec.replicas, books.status.storage_scheduled, books.status.conditions[0].status) == ({}, 0, "True")
    assert empty_world.sees(DiskSchedule, empty_world.uuid("n1/disk-2")) is None
    assert len(empty_world.sees_all(DiskSchedule)) == 1


async def story(world: World) -> None:
    """A bit of everything a manager does; what cannot be done yet, or was done, is left out."""
    await world.settles()
    if world.sees(DiskSchedule, world.uuid(DISK)) is not None:
        await world.asks("r1", "80Gi", on=DISK)
        await world.asks("r2", "30Gi", on=DISK)
    await world.applies(LonghornNode, "n1", {"spec": {"disks": {"disk-2": None}}})
    await world.settles()


async def test_a_status_that_was_edited_by_hand_is_healed(empty_world):
    """D-17, D-46: status has one writer; another one's words do not last."""
    await prepared(empty_world)
    empty_world.starts_manager("m1")
    await empty_world.settles()
    expected = granted_in(empty_world)
    nonsense = {
        "storageScheduled": 5,
        "replicas": {"nobody": {"state": "scheduled", "scheduledSize": size("50Gi")}, "r0": {"scheduledSize": size("90Gi")}},
        "conditions": None,
    }

    await empty_world.status_by_hand(DISK, nonsense)
    await empty_world.settles()

    books = empty_world.books(DISK)
    assert granted_in(empty_world) == expected
    assert (books.status.storage_scheduled, books.status.conditions[0].type) == (size("100Gi"), "Schedulable")


async def test_a_grant_that_was_erased_by_hand_is_decided_again(empty_world):
    """D-43: what is in spec and not in status is to be decided, whoever removed it."""
    await prepared(empty_world)
    empty_world.starts_manager("m1")
    await empty_world.settles()

    await empty_world.status_by_hand(DISK, {"replicas": None})
    await empty_world.settles()

    assert sum(granted_in(empty_world).values()) == empty_world.books(DISK).status.storage_scheduled == size("100Gi")
