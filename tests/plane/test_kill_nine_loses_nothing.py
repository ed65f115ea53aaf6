"""``kill -9`` of ``holdfast up`` while many write: what was acknowledged is there after the next start."""

import asyncio
import contextlib
import signal
from pathlib import Path

import pytest
from tests.support.program import Started, surroundings

from holdfast.api.core import ConfigMap, Namespace
from holdfast.api.errors import AlreadyExists, ApiError
from holdfast.api.meta import ObjectMeta
from holdfast.api.wire import Unreachable
from holdfast.kube.client import Client
from holdfast.kube.connect import connect
from holdfast.process import Process, Randomness, Tasks

KILLS, WRITERS = 20, 16
LOAD = "load"


class Acknowledged:
    """What the server said it has kept."""

    def __init__(self) -> None:
        self.created: set[str] = set()
        self.counted: dict[str, int] = {}
        self.new = 0

    def missing_in(self, found: tuple[ConfigMap, ...]) -> list[str]:
        by_name = {config_map.metadata.name: config_map for config_map in found}
        gone = sorted(self.created - by_name.keys())
        fallen = [name for name, count in self.counted.items() if int(by_name[name].data["count"]) < count] if not gone else []
        return gone + fallen


async def write_until_it_dies(client: Client, writer: int, acknowledged: Acknowledged, grew: asyncio.Event) -> None:
    """Create, and count up in one object, until no answer comes any more."""
    counter, round_ = f"counter-{writer}", acknowledged.counted.get(f"counter-{writer}", -1) + 1
    try:
        if counter not in acknowledged.created:
            await create(client, counter)
            acknowledged.created.add(counter)
        while True:
            name = f"object-{writer}-{round_}"
            await create(client, name)
            acknowledged.created.add(name)
            await client.patch(ConfigMap, counter, LOAD, {"data": {"count": str(round_)}})
            acknowledged.counted[counter] = round_
            acknowledged.new += 2
            grew.set()
            round_ += 1
    except (Unreachable, ApiError):
        return  # it is dead; what had no answer may be there or not


async def create(client: Client, name: str) -> None:
    with contextlib.suppress(AlreadyExists):  # made in a life before, whose answer nobody heard
        await client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace=LOAD), data={"count": "0"}))


async def load_and_kill(plane: Started, kubeconfig: Path, acknowledged: Acknowledged, enough: int) -> None:
    connection = connect(Process("loader"), kubeconfig)
    grew = asyncio.Event()
    acknowledged.new = 0
    async with Tasks() as tasks:
        writers = [tasks.spawn(write_until_it_dies(connection.client, n, acknowledged, grew), name=f"writer {n}") for n in range(WRITERS)]
        async with asyncio.timeout(60):
            while acknowledged.new < enough:
                grew.clear()
                await grew.wait()
        plane.ends_by(signal.SIGKILL)
        for writer in writers:
            writer.cancel()
        await asyncio.wait(writers)
    await connection.client.close()


async def all_there(kubeconfig: Path, acknowledged: Acknowledged) -> list[str]:
    connection = connect(Process("auditor"), kubeconfig)
    try:
        return acknowledged.missing_in((await connection.client.list(ConfigMap, LOAD)).items)
    finally:
        await connection.client.close()


@pytest.mark.timeout(300)
async def test_every_acknowledged_write_survives(tmp_path: Path) -> None:
    """An answer is a promise, also when nobody says goodbye."""
    folder, acknowledged, randomness = tmp_path / "data", Acknowledged(), Randomness(9)
    kubeconfig = folder / "kubeconfig"

    async def start() -> Started:
        arguments = ("up", "--data", folder, "--port", "0", "--nodes", "1")
        environment = surroundings(tmp_path, KUBECONFIG=str(kubeconfig))
        begun = asyncio.get_running_loop().run_in_executor(None, lambda: Started(*arguments, environment=environment, last_line="Ctrl-C"))
        return await begun

    plane = await start()
    connection = connect(Process("setup"), kubeconfig)
    await connection.client.create(Namespace(metadata=ObjectMeta(name=LOAD)))
    await connection.client.close()
    for _ in range(KILLS):
        await load_and_kill(plane, kubeconfig, acknowledged, enough=20 + randomness.below(200))
        plane = await start()
        assert await all_there(kubeconfig, acknowledged) == []
    plane.stop()
    assert len(acknowledged.created) > KILLS * 10
