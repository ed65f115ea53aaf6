"""How much is written is a field of ours: where others define the Node, the API server drops it, and its writer must come to rest."""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.support.builders import NAMESPACE, size
from tests.support.virtual_loop import virtual_process
from tests.support.world import World, said

from holdfast.agent.agent import Agent
from holdfast.agent.report import WRITTEN_KEPT
from holdfast.agent.simulated import SimulatedDriver
from holdfast.api import crds
from holdfast.api.core import CustomResourceDefinition
from holdfast.api.kinds import LONGHORN_NODE
from holdfast.api.longhorn import LonghornNode
from holdfast.api.meta import Condition
from holdfast.kube.client import Client
from holdfast.process import Tasks

_DISK = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/diskStatus/additionalProperties"


async def _defined(world: World, *, with_field: bool) -> None:
    """By us, or by somebody who knows all of a disk but how much is written on it, and keeps nothing else."""
    disk: Any = crds.crd_of(LONGHORN_NODE)
    for part in _DISK.split("/")[1:]:
        disk = disk[int(part) if part.isdecimal() else part]
    if not with_field:
        disk = {"type": "object", "properties": {name: field for name, field in disk["properties"].items() if name != "written"}}
    await world.client.patch(CustomResourceDefinition, LONGHORN_NODE.resource, "", [{"op": "replace", "path": _DISK, "value": disk}])


@contextlib.asynccontextmanager
async def _living(world: World, driver: SimulatedDriver) -> AsyncIterator[Counter[str]]:
    """An agent of n1, and what it patches, by kind."""
    process, patched = virtual_process("agent"), Counter[str]()
    client = Client(world.transports(), process)
    patch = client.patch

    async def counted(type_, *args, **more):
        patched[type_.__name__] += 1
        return await patch(type_, *args, **more)

    client.patch = counted  # type: ignore[method-assign]  # the agent's own client
    async with Tasks() as tasks:
        tasks.spawn(Agent(client, process, driver, node="n1", namespace=NAMESPACE).run(), name="agent")
        yield patched


@pytest.fixture
async def driver(world):
    """A disk with something on it, in a cluster that keeps no record of it."""
    await _defined(world, with_field=False)
    driver = SimulatedDriver("n1", {"disk-1": size("100Gi")})
    driver.write("disk-1", "v-1", size("3Gi"))
    return driver


def _complaint(world: World) -> Condition | None:
    conditions = world.sees(LonghornNode, "n1").status.conditions
    return next((condition for condition in conditions if condition.type == WRITTEN_KEPT), None)


async def test_a_field_that_is_dropped_is_not_written_in_vain(world, driver):
    """Every node would load the API with a write each round, for ever."""
    async with _living(world, driver) as patched:
        await world.settles()
        before = patched["LonghornNode"]
        await world.passes(200)
        assert patched["LonghornNode"] == before
        await world.passes(3600)
        assert patched["LonghornNode"] - before <= 15  # one for each watch, which may have ended because the definition changed


async def test_it_is_said_on_the_node(world, driver):
    """Granted space counts as unwritten there, and somebody will ask why."""
    async with _living(world, driver):
        await world.settles()
        first = said(world.sees(LonghornNode, "n1").status.conditions, WRITTEN_KEPT)
        await world.passes(3600)

        assert (first.status, first.reason) == ("False", "FieldDropped")
        assert "nodes.longhorn.io in this cluster drops status.diskStatus[].written" in first.message
        assert _complaint(world) == first


async def test_what_else_changes_is_still_told(world, driver):
    """Only the one field is no reason to write."""
    async with _living(world, driver):
        await world.settles()
        driver.write("disk-1", "v-1", size("2Gi"))
        await world.settles()
        assert world.sees(LonghornNode, "n1").status.disk_status["disk-1"].storage_available == size("95Gi")


async def test_a_definition_that_knows_the_field_is_noticed(world, driver):
    """Whoever mends the cluster need not look for agents to restart."""
    async with _living(world, driver):
        await world.settles()
        await _defined(world, with_field=True)
        await world.passes(900)

        assert world.sees(LonghornNode, "n1").status.disk_status["disk-1"].written == {"v-1": size("3Gi")}
        assert _complaint(world) is None


async def test_the_next_agent_tries_again_once(world, driver):
    """What the last one found out is not known to it, and may be so no more."""
    async with _living(world, driver):
        await world.settles()
    async with _living(world, driver) as patched:
        await world.passes(200)
        assert patched["LonghornNode"] == 1
        assert _complaint(world) is not None


async def test_where_the_field_is_kept_nothing_is_said(world, driver):
    """A condition that is never false tells nobody anything."""
    await _defined(world, with_field=True)
    async with _living(world, driver):
        await world.settles()
        assert world.sees(LonghornNode, "n1").status.disk_status["disk-1"].written == {"v-1": size("3Gi")}
        assert _complaint(world) is None
