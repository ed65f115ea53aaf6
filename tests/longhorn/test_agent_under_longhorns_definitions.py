"""The agent of a node where Longhorn defines what a Node is: how much is written is not a part of it."""

import asyncio
from collections import Counter

from tests.support.builders import size

from holdfast.agent.agent import Agent
from holdfast.agent.report import WRITTEN_KEPT
from holdfast.agent.simulated import SimulatedDriver
from holdfast.api.longhorn import LonghornNode
from holdfast.process import Process, Tasks

_ROUNDS = 30


async def test_the_agent_comes_to_rest_and_says_why(longhorn, place, monkeypatch):
    """Longhorn's API server drops the field without a word; a write each round, of each node, would never help."""
    calls, rounds = Counter[str](), asyncio.Event()
    patch, get = longhorn.patch, longhorn.get

    async def patched(type_, *args, **more):
        calls["patched"] += type_ is LonghornNode
        return await patch(type_, *args, **more)

    async def got(type_, *args):
        calls["looked"] += type_ is LonghornNode
        if calls["looked"] >= _ROUNDS:
            rounds.set()
        return await get(type_, *args)

    monkeypatch.setattr(longhorn, "patch", patched)
    monkeypatch.setattr(longhorn, "get", got)
    driver = SimulatedDriver("n1", {"disk-1": size("100Gi")})
    driver.write("disk-1", "v-1", size("3Gi"))
    async with Tasks() as tasks:
        agent = Agent(longhorn, Process("agent"), driver, node="n1", namespace=place, interval=0.05)
        tasks.spawn(agent.run(), name="agent")
        await asyncio.wait_for(rounds.wait(), 60)

    status = (await get(LonghornNode, "n1", place)).status
    assert (status.disk_status["disk-1"].written, status.disk_status["disk-1"].storage_available) == ({}, size("97Gi"))
    assert [condition.reason for condition in status.conditions if condition.type == WRITTEN_KEPT] == ["FieldDropped"]
    # What it found, why it does not tell how much is written; and perhaps once more when it began to listen.
    assert calls["patched"] <= 3
