from typing import Any, ClassVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import field
from msgspec.structs import replace

from holdfast.api import core, longhorn
from holdfast.api.longhorn import node
from holdfast.api.longhorn.disk_schedule import DiskSchedule, DiskScheduleSpec, DiskScheduleStatus, Limit, ScheduledResource, State
from holdfast.api.longhorn.replica import Replica, ReplicaSpec
from holdfast.api.merge_patch import PartialList, apply, diff_objects
from holdfast.api.meta import Condition, Object, ObjectMeta
from holdfast.api.struct import Int64, Wire, from_builtins, to_builtins

READ = ObjectMeta(name="disk", namespace="longhorn-system", resource_version="7")


def schedule(**status: Any) -> DiskSchedule:
    return DiskSchedule(metadata=READ, status=DiskScheduleStatus(**status))


def granted(size: int = 5, **more: Any) -> ScheduledResource:
    return ScheduledResource(state=State.SCHEDULED, scheduled_size=size, **more)


def test_only_what_changed_is_written():
    """Two writers of one object must not undo each other."""
    before = schedule(replicas={"a": granted(5), "b": granted(6)}, storage_scheduled=11)
    after = schedule(replicas={"a": granted(5), "b": granted(7)}, storage_scheduled=12)

    assert diff_objects(before, after) == {"status": {"replicas": {"b": {"scheduledSize": 7}}, "storageScheduled": 12}}


def test_nothing_is_written_when_nothing_differs():
    """No difference, no request; also not a guarded one."""
    before = schedule(replicas={"a": granted()}, conditions=(Condition(type="Schedulable", status="True"),))
    equal = schedule(replicas={"a": granted()}, conditions=(Condition(type="Schedulable", status="True"),))

    assert diff_objects(before, before) == {}
    assert diff_objects(before, equal, guarded=True) == {}


def test_a_guarded_patch_is_for_the_revision_that_was_read():
    """A grant decided on numbers that have changed since must be refused by the server."""
    patch = diff_objects(schedule(), schedule(storage_scheduled=1), guarded=True)

    assert patch == {"status": {"storageScheduled": 1}, "metadata": {"resourceVersion": "7"}}


def test_a_guard_needs_a_revision():
    """A guard with an empty revision would guard nothing, silently."""
    before = DiskSchedule(metadata=ObjectMeta(name="disk"))

    with pytest.raises(ValueError, match="DiskSchedule disk has no resourceVersion"):
        diff_objects(before, replace(before, spec=DiskScheduleSpec(name="x")), guarded=True)


def test_a_replaced_list_is_guarded_unasked():
    """A merge patch replaces a list whole: on another revision it would drop another writer's item."""
    patch = diff_objects(schedule(), schedule(conditions=(Condition(type="OverLimit", status="False"),)))

    assert patch["metadata"] == {"resourceVersion": "7"}
    assert patch["status"]["conditions"] == [
        {"type": "OverLimit", "status": "False", "lastProbeTime": "", "lastTransitionTime": "", "reason": "", "message": ""}
    ]


def test_a_new_entry_that_holds_a_list_is_guarded():
    """Somebody may have made the same entry, with a list of their own, since we read."""
    before = longhorn.LonghornNode(metadata=READ)
    after = replace(before, spec=node.NodeSpec(disks={"d": node.DiskSpec(path="/d", tags=("ssd",))}))

    patch = diff_objects(before, after)

    assert patch == {"spec": {"disks": {"d": {"path": "/d", "tags": ["ssd"]}}}, "metadata": {"resourceVersion": "7"}}


def test_an_emptied_list_is_removed_under_guard():
    """An empty tuple is a default, so it is not on the wire; leaving it out of the patch would leave the old list there."""
    patch = diff_objects(schedule(conditions=(Condition(type="OverLimit", status="False"),)), schedule())

    assert patch == {"status": {"conditions": None}, "metadata": {"resourceVersion": "7"}}


def test_lists_of_text_are_ours_to_replace():
    """A finalizer has no fields that we could miss."""
    before = DiskSchedule(metadata=READ)
    after = DiskSchedule(metadata=replace(READ, finalizers=("longhorn.io",)))

    assert diff_objects(before, after) == {"metadata": {"finalizers": ["longhorn.io"], "resourceVersion": "7"}}


@pytest.mark.parametrize("taints", [(), (core.Taint(key="a"), core.Taint(key="b"))])
def test_a_list_whose_items_we_know_in_part_is_not_written(taints):
    """Taint has fields that we do not declare (timeAdded): replacing the list would drop them."""
    before = core.Node(metadata=READ, spec=core.NodeSpec(taints=(core.Taint(key="a"),)))

    with pytest.raises(PartialList, match=r"the list spec\.taints: its items \(Taint\)") as refused:
        diff_objects(before, core.Node(metadata=READ, spec=core.NodeSpec(taints=taints)))
    assert (refused.value.item, refused.value.field) == (core.Taint, "spec.taints")


def test_a_partial_list_that_did_not_change_is_no_obstacle():
    """We must be able to write other fields of a Node."""
    before = core.Node(metadata=READ, spec=core.NodeSpec(taints=(core.Taint(key="a"),)))
    after = core.Node(metadata=READ, spec=core.NodeSpec(taints=(core.Taint(key="a"),), unschedulable=True))

    assert diff_objects(before, after) == {"spec": {"unschedulable": True}}


def test_a_field_back_at_its_default_is_removed():
    """The default is not on the wire, so only null says it."""
    before = schedule(replicas={"a": granted(reason="NoRoom", adopted=True)})
    after = schedule(replicas={"a": granted()})

    assert diff_objects(before, after) == {"status": {"replicas": {"a": {"reason": None, "adopted": None}}}}


def test_a_field_made_by_a_factory_is_always_written():
    """A grant of 0 bytes is a statement; an absent one is not."""
    assert diff_objects(schedule(replicas={"a": granted(5)}), schedule(replicas={"a": granted(0)})) == {
        "status": {"replicas": {"a": {"scheduledSize": 0}}}
    }
    assert diff_objects(schedule(storage_scheduled=3), schedule()) == {"status": {"storageScheduled": 0}}


def test_a_struct_back_at_its_default_is_emptied_not_removed():
    """Removing it whole would take along the fields that we do not know."""
    before = schedule(limit=Limit(bytes=7, rule="free-space", node_revision="3"))
    patch = diff_objects(before, schedule())

    assert patch == {"status": {"limit": {"bytes": 0, "rule": None, "nodeRevision": None}}}
    on_server = to_builtins(before)
    on_server["status"]["limit"]["unknown"] = "kept"
    assert apply(patch, on_server)["status"]["limit"] == {"bytes": 0, "unknown": "kept"}


def test_maps_differ_key_by_key():
    """One ask comes, one goes, one stays: who writes another key at the same time is not in our way."""
    before = DiskSchedule(metadata=READ, spec=DiskScheduleSpec(replicas={"goes": 1, "stays": 2, "grows": 3}))
    after = DiskSchedule(metadata=READ, spec=DiskScheduleSpec(replicas={"stays": 2, "grows": 4, "comes": 5}))

    assert diff_objects(before, after) == {"spec": {"replicas": {"goes": None, "grows": 4, "comes": 5}}}


def test_an_emptied_map_loses_only_the_keys_that_we_saw():
    """A key that came since we read is not ours to remove."""
    before = DiskSchedule(metadata=READ, spec=DiskScheduleSpec(replicas={"a": 1}))

    assert diff_objects(before, DiskSchedule(metadata=READ)) == {"spec": {"replicas": {"a": None}}}


def test_a_new_entry_is_written_whole():
    """A merge patch that adds an entry must carry all of it that is on the wire."""
    patch = diff_objects(schedule(), schedule(replicas={"a": ScheduledResource(state=State.REJECTED, reason="NoRoom")}))

    assert patch == {"status": {"replicas": {"a": {"state": "rejected", "scheduledSize": 0, "reason": "NoRoom"}}}}


def test_numbers_that_travel_as_text_do_so_in_patches():
    """Longhorn's webhook refuses a volumeSize that is a number."""
    before = Replica(metadata=READ, spec=ReplicaSpec(volume_size=Int64(5)))

    assert diff_objects(before, replace(before, spec=ReplicaSpec(volume_size=Int64(6)))) == {"spec": {"volumeSize": "6"}}


def test_what_only_the_server_writes_is_no_difference():
    """A state built on an older read must not carry old revisions back."""
    after = DiskSchedule(metadata=replace(READ, resource_version="9", uid="u", generation=3, labels={"a": "b"}))

    assert diff_objects(DiskSchedule(metadata=READ), after) == {"metadata": {"labels": {"a": "b"}}}


@pytest.mark.parametrize(
    "other",
    [
        DiskSchedule(metadata=ObjectMeta(name="another", namespace="longhorn-system")),
        DiskSchedule(metadata=ObjectMeta(name="disk", namespace="another")),
        Replica(metadata=READ),
    ],
)
def test_a_patch_is_between_two_states_of_one_object(other):
    """A mix-up of objects is a mistake in our code and must not reach the server."""
    with pytest.raises(ValueError, match="between two states of one object"):
        diff_objects(DiskSchedule(metadata=READ), other)


class Part(Wire):
    count: int = 0
    always: int = field(default_factory=int)
    note: str | None = None
    tags: tuple[str, ...] = ()
    size: Int64 = Int64(0)


class Whole(Wire):
    complete: ClassVar[bool] = True

    key: str
    count: int = 0


class Thing(Object):
    part: Part = Part()
    maybe: Part | None = None
    parts: dict[str, Part] = {}
    numbers: dict[str, int] = {}
    lists: dict[str, tuple[int, ...]] = {}
    nested: dict[str, dict[str, int]] = {}
    wholes: tuple[Whole, ...] = ()
    flag: bool = False


_NAMES = st.sampled_from(["a", "b", "c"])
_PARTS = st.builds(
    Part,
    count=st.integers(0, 2),
    always=st.integers(0, 2),
    note=st.sampled_from([None, "", "x"]),
    tags=st.lists(_NAMES, max_size=2).map(tuple),
    size=st.integers(0, 2).map(Int64),
)
_THINGS = st.builds(
    Thing,
    metadata=st.builds(
        ObjectMeta,
        name=st.just("t"),
        resource_version=st.just("1"),
        labels=st.dictionaries(_NAMES, st.sampled_from(["", "1"])),
        finalizers=st.lists(_NAMES, max_size=2).map(tuple),
    ),
    part=_PARTS,
    maybe=st.one_of(st.none(), _PARTS),
    parts=st.dictionaries(_NAMES, _PARTS, max_size=3),
    numbers=st.dictionaries(_NAMES, st.integers(0, 2)),
    lists=st.dictionaries(_NAMES, st.lists(st.integers(0, 2), max_size=2).map(tuple)),
    nested=st.dictionaries(_NAMES, st.dictionaries(_NAMES, st.integers(0, 1), max_size=2)),
    wholes=st.lists(st.builds(Whole, key=_NAMES, count=st.integers(0, 1)), max_size=2).map(tuple),
    flag=st.booleans(),
)


@given(_THINGS, _THINGS)
def test_a_patched_object_is_what_was_wanted_and_keeps_what_we_do_not_know(before, after):
    """Both halves of every write, for any two states."""
    on_server = to_builtins(before)
    others_write = [on_server]
    others_write += [on_server[place] for place in ("metadata", "part") if place in on_server]
    others_write += [on_server["maybe"]] if before.maybe and after.maybe else []
    others_write += [on_server["parts"][name] for name in before.parts.keys() & after.parts.keys()]
    for place in others_write:
        place["unknown"] = {"x": [1, None]}

    patch = diff_objects(before, after)
    patched = apply(patch, on_server)

    assert from_builtins(patched, Thing) == after
    assert msgspec.json.encode(patched).count(b'"unknown":{"x":[1,null]}') == len(others_write)
    assert bool(patch) is (before != after)


def _lists_of(thing: Thing) -> Any:
    tags = {name: part.tags for name, part in thing.parts.items()}
    return thing.wholes, thing.lists, thing.metadata.finalizers, thing.part.tags, thing.maybe and thing.maybe.tags, tags


def _holds_list(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and any(map(_holds_list, value.values())))


@given(_THINGS, _THINGS)
def test_a_patch_is_guarded_exactly_when_it_writes_a_list(before, after):
    """A guard that is not needed makes needless conflicts; one that is missing loses writes."""
    patch = diff_objects(before, after)
    is_guarded = "resourceVersion" in patch.get("metadata", {})

    assert is_guarded or not _holds_list(patch)
    assert not is_guarded or _lists_of(before) != _lists_of(after)
