"""Our client runtime at the work of ``official_client.py``: prints one JSON line with its figures."""

import asyncio
import gc
import json
import os
import sys
import time
from pathlib import Path

from msgspec import Struct

from holdfast.api.core import Node, Pod
from holdfast.api.struct import decode
from holdfast.kube.cache import Change
from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.kube.collector import relax, settle
from holdfast.kube.http_transport import HttpTransport
from holdfast.process import Process, Tasks

REQUESTS_FOR = 0.6


class NodeList(Struct, frozen=True, gc=False):
    items: tuple[Node, ...]


class PodList(Struct, frozen=True, gc=False):
    items: tuple[Pod, ...]


class Pauses:
    """The longest pause of the collector while it was watched."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._begun = 0.0

    def __call__(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._begun = time.perf_counter()
        else:
            self.longest = max(self.longest, time.perf_counter() - self._begun)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def decode_seconds(nodes_file: str, pods_file: str) -> float:
    nodes, pods = Path(nodes_file).read_bytes(), Path(pods_file).read_bytes()
    start = time.perf_counter()
    decoded = decode(nodes, NodeList), decode(pods, PodList)
    seconds = time.perf_counter() - start
    assert (len(decoded[0].items), len(decoded[1].items)) == (5_000, 10_000)
    return seconds


async def watched(url: str, last_revision: str) -> dict[str, float]:
    relax()
    process = Process("bench")
    transport = HttpTransport(url)
    before, pauses = resident(), Pauses()
    gc.callbacks.append(pauses)
    caches = Caches(Client(transport, process), process, namespace="")
    caches.of(Node, "")
    caches.of(Pod, "")
    caches.index(Pod, "node", lambda pod: (pod.spec.node_name,))
    caches.index(Pod, "app", lambda pod: (pod.metadata.labels.get("app", ""),))
    times: list[float] = []
    done = asyncio.Event()

    def changed(change: Change[Pod]) -> None:
        if change.old is None or change.new is None:
            return
        if not times:
            times.append(time.perf_counter())
        if change.new.metadata.resource_version == last_revision:
            times.append(time.perf_counter())
            done.set()

    caches.on_change(Pod, changed)
    async with Tasks() as tasks:
        tasks.spawn(caches.run(), name="caches")
        await caches.wait_synced()
        settle()
        await done.wait()
        held = resident() - before
        gc.collect()
    await transport.close()
    return {"watch_seconds": times[1] - times[0], "resident": held, "longest_pause": pauses.longest}


async def requests_per_second(url: str, in_flight: int) -> float:
    """One pod, read again and again, so many times at once."""
    transport = HttpTransport(url)
    client = Client(transport, Process("bench"))
    done, begun = 0, time.perf_counter()

    async def reader() -> None:
        nonlocal done
        while time.perf_counter() - begun < REQUESTS_FOR:
            await client.get(Pod, "pod-00001", "team-1")
            done += 1

    await asyncio.gather(*(reader() for _ in range(in_flight)))
    rate = done / (time.perf_counter() - begun)
    await transport.close()
    return rate


def main() -> None:
    url, nodes_file, pods_file, last_revision = sys.argv[1:]
    figures = asyncio.run(watched(url, last_revision))
    for in_flight in (1, 16, 128):
        figures[f"requests_{in_flight}"] = asyncio.run(requests_per_second(url, in_flight))
    print(json.dumps(figures | {"decode_seconds": decode_seconds(nodes_file, pods_file)}))


main()
