"""The kind as the API serves it: what it takes, what it refuses, and what it gives back."""

from typing import Any

import pytest
from tests.support.builders import NAMESPACE

from holdfast.api.errors import BadRequest, Invalid, NotFound
from holdfast.api.kinds import CUSTOM_RESOURCE_DEFINITION, DISK_SCHEDULE
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec, State
from holdfast.api.meta import ObjectMeta
from holdfast.api.struct import decode
from holdfast.api.wire import Request

UUID = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"


@pytest.fixture
async def client(empty_world):
    """A client of an API with the books of one disk, which nobody decides."""
    spec = DiskScheduleSpec(name="example-disk", node_id="example-node", replicas={"r1": 53687091200}, backing_images={"b1": 5})
    await empty_world.client.create(DiskSchedule(metadata=ObjectMeta(name=UUID, namespace=NAMESPACE), spec=spec))
    yield empty_world.client
    empty_world.violations.clear()  # what is written here is nobody's promise


async def with_status(client, status: dict[str, Any]) -> DiskSchedule:
    patched = await client.patch(DiskSchedule, UUID, NAMESPACE, {"status": status}, subresource="status")
    assert isinstance(patched, DiskSchedule)
    return patched


async def test_it_is_served_where_the_specification_says(client):
    """D-24: group, version, plural, short name, in a namespace, with a status of its own."""
    definition = decode((await client.send(Request("GET", CUSTOM_RESOURCE_DEFINITION.path(name=DISK_SCHEDULE.resource)))).body, dict)

    spec, version = definition["spec"], definition["spec"]["versions"][0]
    assert (spec["group"], version["name"], spec["names"]["plural"]) == ("longhorn.io", "v1beta2", "diskschedules")
    assert (spec["scope"], spec["names"]["shortNames"], version["subresources"]) == ("Namespaced", ["lhds"], {"status": {}})


async def test_asks_are_read_as_bytes(client):
    """D-27, D-28, D-29, D-30: what was written comes back."""
    spec = (await client.get(DiskSchedule, UUID, NAMESPACE)).spec

    assert (spec.name, spec.node_id, spec.replicas, spec.backing_images) == ("example-disk", "example-node", {"r1": 53687091200}, {"b1": 5})


@pytest.mark.parametrize("field", ["name", "nodeID", "replicas", "backingImages"])
async def test_every_field_of_spec_is_optional(client, field):
    """D-27 to D-30: older writers leave out what they do not know."""
    await client.patch(DiskSchedule, UUID, NAMESPACE, {"spec": {field: None}})

    assert await client.get(DiskSchedule, UUID, NAMESPACE)


@pytest.mark.parametrize("entries", ["replicas", "backingImages"])
async def test_a_verdict_has_a_state_and_a_size(client, entries):
    """D-31, D-32, D-34: entries of both maps have one form."""
    status = (await with_status(client, {entries: {"x": {"state": "rejected", "scheduledSize": 7}}})).status

    entry = (status.replicas | status.backing_images)["x"]
    assert (entry.state, entry.scheduled_size) == (State.REJECTED, 7)


@pytest.mark.parametrize("entry", [{"state": "waiting"}, {"state": ""}, {"scheduledSize": 5}], ids=["other", "empty", "absent"])
async def test_another_word_than_the_two_is_refused(client, entry):
    """D-33, D-38: there is no third state, and none is no state either."""
    with pytest.raises(Invalid):
        await with_status(client, {"replicas": {"x": entry}})


async def test_sums_are_kept_as_written(client):
    """D-35: a sum is a 64-bit number of bytes."""
    assert (await with_status(client, {"storageScheduled": 2**63 - 1})).status.storage_scheduled == 2**63 - 1


@pytest.mark.parametrize("conditions", [None, [], [{"type": "Schedulable", "status": "True"}]], ids=["null", "none", "one"])
async def test_conditions_may_be_null_or_a_list(client, conditions):
    """D-36: Go writes null for a list that was never made."""
    status = (await with_status(client, {"conditions": conditions})).status

    assert [condition.type for condition in status.conditions] == [condition["type"] for condition in conditions or []]


@pytest.mark.parametrize("size", [-1, "5Gi", 1.5, 2**63, True], ids=str)
async def test_a_size_that_is_no_number_of_bytes_is_refused(client, size):
    """Bad input gets an answer where it is put in, and nothing is lost."""
    with pytest.raises((Invalid, BadRequest)):
        await client.patch(DiskSchedule, UUID, NAMESPACE, {"spec": {"replicas": {"x": size}}})

    assert (await client.get(DiskSchedule, UUID, NAMESPACE)).spec.replicas == {"r1": 53687091200}


async def test_who_writes_spec_does_not_write_status(client):
    """D-17: askers cannot grant themselves anything by the way."""
    await client.patch(DiskSchedule, UUID, NAMESPACE, {"status": {"storageScheduled": 5}})

    assert (await client.get(DiskSchedule, UUID, NAMESPACE)).status.storage_scheduled == 0


async def test_books_live_in_the_namespace_of_longhorn(client):
    """D-24: readers look in one place."""
    with pytest.raises(NotFound):
        await client.get(DiskSchedule, UUID, "default")
