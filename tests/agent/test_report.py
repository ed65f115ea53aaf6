"""What an agent tells of its node, and when it keeps silent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from holdfast.agent.driver import DiskFault, DiskInfo, NodeInfo
from holdfast.agent.report import GRAIN, Sample, live_head, report
from holdfast.api.conditions import find, told
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec, DiskScheduleStatus, ScheduledResource, State
from holdfast.api.longhorn.node import DiskSpec, NodeSpec
from holdfast.api.meta import ObjectMeta
from holdfast.api.struct import decode, encode

Gi = 2**30
UP = NodeInfo()


def wanted(**disks) -> LonghornNode:
    spec = NodeSpec(allow_scheduling=True, disks=disks or {"d": DiskSpec(path="/d", allow_scheduling=True)})
    return LonghornNode(metadata=ObjectMeta(name="n"), spec=spec)


def sample(*, available=50 * Gi, maximum=100 * Gi, uuid="u", written=None, books=None) -> Sample:
    return Sample(info=DiskInfo(uuid=uuid, maximum=maximum, available=available), written=written or {}, books=books)


def books(*, node="n", disk="d", **granted) -> DiskSchedule:
    entries = {name: ScheduledResource(state=State.SCHEDULED, scheduled_size=size) for name, size in granted.items()}
    status = DiskScheduleStatus(replicas=entries, storage_scheduled=sum(granted.values()))
    return DiskSchedule(spec=DiskScheduleSpec(name=disk, node_id=node), status=status)


def tells(node, found, *, info=UP, now="2026-01-01T00:00:00Z", remark_types=()) -> LonghornNode:
    """The node after the report."""
    told_node: LonghornNode = replace(node, status=report(node, info, remark_types, found, now))
    return told_node


def test_a_disk_is_told_with_its_identity_and_sizes():
    """What the ledger decides with comes from here."""
    disk = tells(wanted(), {"d": sample(written={"vol": Gi})}).status.disk_status["d"]

    assert (disk.disk_uuid, disk.storage_maximum, disk.storage_available, disk.written) == ("u", 100 * Gi, 50 * Gi, {"vol": Gi})
    assert [(c.type, c.status) for c in disk.conditions] == [("Ready", "True"), ("Schedulable", "True")]


@pytest.mark.parametrize(
    "moved",
    [
        {"available": 50 * Gi - GRAIN},
        {"available": 50 * Gi + GRAIN},
        {"written": {"vol": GRAIN}},
        {"maximum": 101 * Gi},
        {"uuid": "other"},
        {"books": books(r=Gi)},
    ],
    ids=["less available", "more available", "written", "maximum", "another disk", "grants"],
)
def test_what_matters_is_told_exactly(moved):
    """When anything is told, all of it is as it was sampled."""
    before = tells(wanted(), {"d": sample()})
    exact = {"available": 50 * Gi - 1} | moved

    disk = tells(before, {"d": sample(**exact)}).status.disk_status["d"]

    assert disk.storage_available == exact["available"]


def test_small_movements_are_not_worth_a_write():
    """A node that only breathes costs nothing."""
    before = tells(wanted(), {"d": sample(written={"vol": Gi})})

    after = tells(before, {"d": sample(available=50 * Gi - GRAIN + 1, written={"vol": Gi + GRAIN - 1})}, now="2027-01-01T00:00:00Z")

    assert after.status is before.status


def test_a_disk_that_is_away_keeps_its_entry_and_its_identity():
    """Its books go on: away is not gone."""
    before = tells(wanted(), {"d": sample()})

    disk = tells(before, {"d": DiskFault("NoDiskInfo", "away")}).status.disk_status["d"]

    assert (disk.disk_uuid, disk.storage_maximum) == ("u", 100 * Gi)
    assert [(c.type, c.status, c.reason) for c in disk.conditions] == [
        ("Ready", "False", "NoDiskInfo"),
        ("Schedulable", "False", "DiskNotReady"),
    ]


def test_a_disk_that_left_the_spec_leaves_the_report():
    """Only a spec without the disk means that it is gone."""
    both = {"d": DiskSpec(path="/d"), "e": DiskSpec(path="/e")}
    before = tells(wanted(**both), {"d": sample(), "e": sample(uuid="v")})

    after = tells(replace(before, spec=replace(before.spec, disks={"d": both["d"]})), {"d": sample()})

    assert set(after.status.disk_status) == {"d"}


@pytest.mark.parametrize("claim", [{"node": "m"}, {"disk": "e"}], ids=["another node", "another disk of this node"])
def test_a_second_claimant_of_a_uuid_is_unready(claim):
    """One disk, one claimant: a disk that was copied with its identity must not be granted twice."""
    disk = tells(wanted(), {"d": sample(books=books(r=Gi, **claim))}).status.disk_status["d"]

    ready = find(disk.conditions, "Ready")
    assert ready is not None
    assert (ready.status, ready.reason) == ("False", "DuplicateUUID")
    assert (disk.disk_uuid, disk.storage_scheduled) == ("u", 0)


def test_grants_are_shown_where_longhorn_shows_them():
    """Readers of Longhorn's API find what is scheduled in the Node."""
    disk = tells(wanted(), {"d": sample(books=books(r=Gi, s=0))}).status.disk_status["d"]

    assert (disk.storage_scheduled, disk.scheduled_replica) == (Gi, {"r": Gi})


def test_conditions_of_others_are_kept():
    """A controller may say something about the node, too."""
    node = wanted()
    theirs = replace(told("DisksReleased", holds=False), last_transition_time="2025-01-01T00:00:00Z")
    node = replace(node, status=replace(node.status, conditions=(theirs,)))

    assert find(tells(node, {}).status.conditions, "DisksReleased") == theirs


def test_times_of_conditions_move_only_with_their_status():
    """Since when a disk is ready must not be forgotten by the next report."""
    before = tells(wanted(), {"d": sample()}, now="2026-01-01T00:00:00Z")

    after = tells(before, {"d": sample(available=0)}, now="2026-02-02T00:00:00Z")

    assert {c.last_transition_time for c in after.status.conditions} == {"2026-01-01T00:00:00Z"}


def test_a_remark_of_the_driver_ends_when_it_is_no_longer_made():
    """What was simulated and is healed leaves no trace."""
    remarked = tells(wanted(), {}, info=NodeInfo(remarks=(told("Simulation", holds=True),)), remark_types=("Simulation",))

    healed = tells(remarked, {}, remark_types=("Simulation",))

    assert find(remarked.status.conditions, "Simulation") is not None
    assert find(healed.status.conditions, "Simulation") is None


def test_a_disk_that_may_not_be_used_says_so():
    """It is an administrator's word, not a fault."""
    node = wanted(d=DiskSpec(path="/d", allow_scheduling=False))

    disk = tells(node, {"d": sample()}).status.disk_status["d"]

    assert [(c.type, c.status, c.reason) for c in disk.conditions] == [
        ("Ready", "True", ""),
        ("Schedulable", "False", "SchedulingDisabled"),
    ]


heads = st.dictionaries(st.sampled_from("abc"), st.integers(0, 100))


@given(heads, heads)
def test_written_is_the_smaller_of_two_looks(first, second):
    """What was written while free space was read must not count as written and as free."""
    head = live_head(first, second)

    assert all(head[name] <= min(first[name], second[name]) for name in head)
    assert set(head) == set(first) & set(second)


def test_a_full_disk_says_0_and_not_nothing():
    """On the wire a number that is left out looks unknown, to ``kubectl get`` and to other programs."""
    told_node = tells(wanted(), {"d": sample(available=0)})
    on_the_wire = decode(encode(told_node), dict)["status"]["diskStatus"]["d"]
    assert (on_the_wire["storageAvailable"], on_the_wire["storageScheduled"], on_the_wire["storageMaximum"]) == (0, 0, 100 * Gi)
