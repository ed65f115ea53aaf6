"""Explaining a disk: what is read, and from where."""

import json
from typing import Any, TypeVar

import pytest

from holdfast.api.kinds import to_wire
from holdfast.api.longhorn import DiskSchedule, LonghornNode, Replica, Setting
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec, DiskScheduleStatus, ScheduledResource, State
from holdfast.api.longhorn.node import DiskSpec, DiskStatus, NodeSpec, NodeStatus
from holdfast.api.meta import Condition, Object, ObjectMeta
from holdfast.cli.dump import Dump, read
from holdfast.cli.explain import explained
from holdfast.cli.sources import Saved
from holdfast.decide.codes import Code
from holdfast.decide.explain_text import text
from holdfast.plane.failure import Failure

T = TypeVar("T", bound=Object)

GIB = 2**30
HERE = "longhorn-system"
READY = (Condition(type="Ready", status="True"),)
NOW = 1_800_000_000.0


def meta(name: str) -> ObjectMeta:
    return ObjectMeta(name=name, namespace=HERE, resource_version="7", uid=f"uid-{name}")


def node(name: str = "n1", disk: str = "disk-1", uuid: str = "uuid-1", **status: Any) -> LonghornNode:
    seen = DiskStatus(conditions=READY, storage_maximum=400 * GIB, storage_available=400 * GIB, disk_uuid=uuid, disk_name=disk)
    return LonghornNode(
        metadata=meta(name),
        spec=NodeSpec(allow_scheduling=True, disks={disk: DiskSpec(allow_scheduling=True)}),
        status=NodeStatus(
            conditions=READY, disk_status={disk: DiskStatus(**{f: getattr(seen, f) for f in seen.__struct_fields__} | status)}
        ),
    )


def books(uuid: str = "uuid-1", node_id: str = "n1", disk: str = "disk-1", **replicas: int) -> DiskSchedule:
    granted = {name: ScheduledResource(state=State.SCHEDULED, scheduled_size=size) for name, size in replicas.items() if name != "big"}
    return DiskSchedule(
        metadata=meta(uuid),
        spec=DiskScheduleSpec(name=disk, node_id=node_id, replicas=replicas),
        status=DiskScheduleStatus(replicas=granted, storage_scheduled=sum(entry.scheduled_size for entry in granted.values())),
    )


class Shelf(Saved):
    """A source that notes what was read."""

    def __init__(self, *objects: Object) -> None:
        by_type: dict[type[Object], tuple[Object, ...]] = {}
        for obj in objects:
            by_type[type(obj)] = (*by_type.get(type(obj), ()), obj)
        super().__init__(Dump(by_type))
        self.reads: list[str] = []

    async def get(self, type_: type[T], name: str) -> T | None:
        self.reads.append(f"{type_.__name__} {name}")
        return await super().get(type_, name)

    async def all(self, type_: type[T]) -> tuple[T, ...]:
        self.reads.append(f"all {type_.__name__}")
        return await super().all(type_)


@pytest.mark.parametrize("reference", ["uuid-1", "n1/disk-1", "disk-1"])
async def test_a_disk_is_explained_by_each_of_its_names(reference):
    """The answer is the same, whatever the table or the event called it."""
    found = await explained(Shelf(node(), books(small=100 * GIB, big=350 * GIB)), reference, HERE, NOW)

    assert (found.uuid, found.node, found.disk) == ("uuid-1", "n1", "disk-1")
    assert [(ask.name, ask.code, ask.shortfall) for ask in found.asks if ask.code] == [("big", Code.OVER_PROVISIONING, 50 * GIB)]
    assert "short by 50Gi" in text(found)


@pytest.mark.parametrize("reference", ["uuid-1", "n1/disk-1"])
async def test_an_exact_name_reads_no_list(reference):
    """In a cluster of thousands of disks one is asked about; what is not needed is not read, and needs no right."""
    shelf = Shelf(node(), books())
    await explained(shelf, reference, HERE, NOW)
    assert [read for read in shelf.reads if read.startswith("all")] == []


async def test_replicas_are_read_only_when_asks_name_them():
    """Their age is the order of the queue."""
    shelf = Shelf(node(), books(demo=GIB), Replica(metadata=meta("demo")))
    found = await explained(shelf, "uuid-1", HERE, NOW)
    assert [read for read in shelf.reads if read.startswith("all")] == ["all Replica"]
    assert found.asks[0].object_known


async def test_settings_that_are_in_force_count():
    """The numbers must be those that the controller decides by."""
    setting = Setting(metadata=meta("storage-over-provisioning-percentage"), value="200")
    found = await explained(Shelf(node(), books(), setting), "uuid-1", HERE, NOW)
    assert found.policy.over_provisioning == 200
    assert found.limit == 800 * GIB


async def test_books_whose_node_is_gone_are_explained():
    """They outlive it, and somebody wants to know what they hold."""
    found = await explained(Shelf(books(small=GIB)), "disk-1", HERE, NOW)
    assert found.closed is Code.NODE_MISSING
    assert [ask.name for ask in found.asks] == ["small"]


async def test_a_disk_without_books_is_explained_by_longhorns_own():
    """The command works beside an existing Longhorn, which has no DiskSchedules."""
    found = await explained(Shelf(node(scheduled_replica={"r": 300 * GIB})), "n1/disk-1", HERE, NOW)

    assert found.policy.limit == "longhorn"
    assert found.scheduled == 300 * GIB
    assert [(ask.name, ask.granted, ask.code) for ask in found.asks] == [("r", 300 * GIB, None)]
    assert [note.partition(":")[0] for note in found.notes] == ["this disk has no DiskSchedule"]


async def test_a_disk_that_its_node_can_not_find_says_why():
    """There are no numbers yet; the node's own words are the best there is."""
    silent = node(uuid="", conditions=(Condition(type="Ready", status="False", message="disk disk-1 is away from node n1"),))
    with pytest.raises(Failure, match=r"has not been found by its node yet: disk disk-1 is away from node n1\."):
        await explained(Shelf(silent), "n1/disk-1", HERE, NOW)


async def test_a_disk_that_was_only_wanted_says_so():
    """It stands in the spec; the node's agent has not looked yet."""
    wanted = LonghornNode(metadata=meta("n1"), spec=NodeSpec(disks={"new": DiskSpec()}))
    with pytest.raises(Failure, match=r"disk new of node n1 has not been found by its node yet\."):
        await explained(Shelf(wanted), "new", HERE, NOW)


async def test_a_copied_disk_is_not_explained_by_the_books_of_the_other():
    """Its numbers would be another disk's."""
    with pytest.raises(Failure, match=r"one is a copy of the other. To see the books: holdfast explain disk uuid-1"):
        await explained(Shelf(node(), node("n2", "copy"), books()), "n2/copy", HERE, NOW)


async def test_a_dump_gives_the_same_answer_as_its_source(tmp_path):
    """A support case is answered from a file."""
    objects = (node(), books(small=100 * GIB, big=350 * GIB), Replica(metadata=meta("small")))
    (tmp_path / "dump.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [to_wire(obj) for obj in objects]}))

    live = await explained(Shelf(*objects), "n1/disk-1", HERE, NOW)
    saved = await explained(Saved(read(tmp_path, HERE)), "n1/disk-1", HERE, NOW)

    assert saved == live
    assert text(saved) == text(live)
