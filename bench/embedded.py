"""The embedded API against etcd and kube-apiserver: the same client over the same HTTPS, both syncing to the same disk, in turns.

The embedded API serves no pods, so both hold ConfigMaps that carry a pod's text each.
"""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from bench import objects
from bench.harness import BUILD, ROUNDS, Area, median
from bench.homes import Embedded, Home, Real, cpu_seconds, resident
from holdfast.api.core import ConfigMap, Namespace, Node
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec
from holdfast.api.meta import ObjectMeta
from holdfast.api.wire import Answer, Request
from holdfast.kube.client import Client
from holdfast.plane.definitions import apply_missing

IN_FLIGHT = {1: 80, 16: 500, 128: 1200}
"""Requests of one round, by how many are under way at once."""
BOOKS = 400
WATCHERS = {1: 400, 10: 300, 100: 100}
"""Changes of one round, by how many watch them."""
FILLERS = 64
NAMESPACE = "bench"

Figures = dict[str, list[float]]


class Contender(Struct):
    """A home, a client that is connected to it, and what was measured."""

    home: Home
    client: Client
    figures: Figures

    def note(self, figure: str, value: float) -> None:
        self.figures.setdefault(figure, []).append(value)

    def median(self, figure: str) -> float:
        return median(self.figures[figure])


async def timed(work: Callable[[int], Awaitable[object]], numbers: range, in_flight: int) -> tuple[float, list[float]]:
    """Seconds in all, and of each call, with so many calls under way at once."""
    rest, each = iter(numbers), []

    async def worker() -> None:
        for number in rest:
            begun = time.perf_counter()
            await work(number)
            each.append(time.perf_counter() - begun)

    begun = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(in_flight)))
    return time.perf_counter() - begun, sorted(each)


Work = Callable[[Client, int], Awaitable[object]]
Measure = Callable[["Contender"], Awaitable[None]]


async def measure_writes(what: str, in_flight: int, numbers: range, work: Work, contender: Contender) -> None:
    # Connections are made before: a watcher that hangs up takes his with him, and handshakes are no writes.
    await asyncio.gather(*(contender.client.get(Namespace, NAMESPACE) for _ in range(in_flight)))
    used = cpu_seconds(contender.home)
    seconds, each = await timed(partial(work, contender.client), numbers, in_flight)
    contender.note(f"{what} {in_flight}", len(numbers) / seconds)
    contender.note(f"{what} {in_flight} p50", 1000 * each[len(each) // 2])
    contender.note(f"{what} {in_flight} p99", 1000 * each[len(each) * 99 // 100])
    contender.note(f"{what} {in_flight} cpu", 1e6 * (cpu_seconds(contender.home) - used) / len(numbers))


def config_map(number: int, name: str = "c") -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=f"{name}-{number}", namespace=NAMESPACE, labels={"app": f"app-{number % 50}"}), data=PAYLOAD)


PAYLOAD = {f"setting-{number}": f"what the program shall do in case {number}: " + "wait, try again, tell " * 2 for number in range(12)}


def books(number: int) -> DiskSchedule:
    asks = {f"volume-{ask}-r-{number:08x}": 10 * 2**30 for ask in range(5)}
    spec = DiskScheduleSpec(name="disk-1", node_id=f"node-{number}", replicas=asks, tokens=dict.fromkeys(asks, f"{number:032x}/1/1"))
    return DiskSchedule(metadata=ObjectMeta(name=f"books-{number}", namespace=NAMESPACE), spec=spec)


def write_measures(first: int) -> Iterator[Measure]:
    """One round of writes, of objects from this number on."""
    for in_flight, size in IN_FLIGHT.items():
        numbers = range(first, first + size)
        first += size
        yield partial(measure_writes, "creates", in_flight, numbers, create)
        yield partial(measure_writes, "patches", in_flight, numbers, patch)
    yield partial(measure_writes, "custom", 16, range(first, first + BOOKS), create_books)


def create(client: Client, number: int) -> Awaitable[ConfigMap]:
    return client.create(config_map(number))


def patch(client: Client, number: int) -> Awaitable[ConfigMap]:
    return client.patch(ConfigMap, f"c-{number}", NAMESPACE, {"data": {"setting-1": str(time.perf_counter())}})


def create_books(client: Client, number: int) -> Awaitable[DiskSchedule]:
    return client.create(books(number))


async def watch_round(watchers: int, changes: int, contender: Contender) -> None:
    """Deliveries a second, from the first change to the last line that the last watcher reads."""
    client, transport = contender.client, contender.client._transport  # noqa: SLF001 - below the client: no time goes into decoding
    since = (await client.list(ConfigMap, NAMESPACE, fields="metadata.name=none")).resource_version
    query = (("watch", "true"), ("resourceVersion", since), ("fieldSelector", "metadata.namespace=" + NAMESPACE))
    streams = [await transport.open(Request("GET", f"/api/v1/namespaces/{NAMESPACE}/configmaps", query)) for _ in range(watchers)]

    async def read(stream: Any) -> None:
        seen = 0
        async for piece in stream:
            seen += piece.count(b"\n")
            if seen >= changes:
                return

    def change(number: int) -> Awaitable[ConfigMap]:
        return client.patch(ConfigMap, f"w-{number % 64}", NAMESPACE, {"data": {"setting-2": str(time.perf_counter())}})

    assert not any(isinstance(stream, Answer) for stream in streams)
    begun = time.perf_counter()
    await asyncio.gather(timed(change, range(changes), 16), *(read(stream) for stream in streams))
    contender.note(f"watch {watchers}", watchers * changes / (time.perf_counter() - begun))
    for stream in streams:
        await stream.close()


async def list_round(contender: Contender) -> None:
    for name, type_, expected in (("nodes", Node, objects.NODES), ("pods", ConfigMap, objects.PODS)):
        begun = time.perf_counter()
        listing = await contender.client.list(type_, "" if type_ is Node else "full")
        contender.note(f"list {name}", time.perf_counter() - begun)
        assert len(listing.items) == expected


async def fill(contender: Contender) -> None:
    """5,000 nodes and 10,000 ConfigMaps."""
    client = contender.client
    post = {"content-type": "application/json"}

    def node(number: int) -> Awaitable[Answer]:
        whole = {"apiVersion": "v1", "kind": "Node", **objects.node(number)}
        return client.send(Request("POST", "/api/v1/nodes", headers=post, body=_fresh(whole)))

    def text(number: int) -> Awaitable[Answer]:
        pod = objects.pod(number)
        metadata = {"name": f"pod-{number:05d}", "namespace": "full", "labels": pod["metadata"]["labels"]}
        del pod["metadata"]["managedFields"]
        whole = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"pod": msgspec.json.encode(pod).decode()}}
        return client.send(Request("POST", "/api/v1/namespaces/full/configmaps", headers=post, body=msgspec.json.encode(whole)))

    await timed(node, range(objects.NODES), FILLERS)
    await timed(text, range(objects.PODS), FILLERS)


def _fresh(node: dict[str, Any]) -> bytes:
    """As its kubelet sends it for the first time."""
    for field in ("uid", "resourceVersion", "creationTimestamp", "managedFields"):
        del node["metadata"][field]
    return msgspec.json.encode(node)


async def start_rounds(area: Area, folder: Path) -> dict[str, list[float]]:
    """Seconds from nothing to the first answer, in turns; each time with a new folder."""
    seconds: dict[str, list[float]] = {"embedded": [], "real": []}
    for turn in range(ROUNDS):
        for name, make in (("embedded", Embedded), ("real", Real)):
            home: Home = make(folder / f"{name}-start-{turn}")
            begun = time.perf_counter()
            try:
                await home.start()
                seconds[name].append(time.perf_counter() - begun)
            finally:
                home.stop()
    area.say(f"start: {median(seconds['embedded']):.2f} s against {median(seconds['real']):.2f} s")
    return seconds


async def prepared(home: Home) -> Contender:
    await home.start()
    client = home.client()
    contender = Contender(home, client, {})
    contender.note("rest", resident(home))
    for name in (NAMESPACE, "full"):
        await client.create(Namespace(metadata=ObjectMeta(name=name)))
    await apply_missing(client)
    await asyncio.gather(*(client.create(config_map(number, "w")) for number in range(64)))
    return contender


async def main() -> None:
    area = Area("embedded")
    BUILD.mkdir(parents=True, exist_ok=True)
    # Beside the tree and not in a folder for temporary files, which may be memory: both have to sync to a disk.
    with tempfile.TemporaryDirectory(dir=BUILD) as name:
        folder = Path(name)
        starts = await start_rounds(area, folder)
        homes: list[Home] = [Embedded(folder / "embedded"), Real(folder / "real")]
        try:
            contenders = [await prepared(home) for home in homes]
            await rounds(area, contenders)
            for contender in contenders:
                await contender.client.close()
        finally:
            for home in homes:
                home.stop()
    report(area, starts, *contenders)
    area.finish()


async def rounds(area: Area, contenders: list[Contender]) -> None:
    size = sum(IN_FLIGHT.values()) + BOOKS
    for measure in write_measures(0):  # warms up, and does not count
        for contender in contenders:
            await measure(contender)
    for contender in contenders:
        contender.figures = {"rest": contender.figures["rest"]}
    for turn in range(1, ROUNDS + 1):
        watches = [partial(watch_round, watchers, changes) for watchers, changes in WATCHERS.items()]
        # In turns with each single measurement: what else the machine does hits both alike.
        for measure in (*write_measures(turn * size), *watches):
            for contender in contenders:
                await measure(contender)
        rates = " against ".join(f"{contender.figures['creates 16'][-1]:,.0f}" for contender in contenders)
        area.say(f"round {turn} of {ROUNDS}: {rates} creates/s")
    for contender in contenders:
        await fill(contender)
        area.say(f"{contender.home.name} holds {objects.NODES + objects.PODS:,} objects more")
    for _ in range(ROUNDS):
        for contender in contenders:
            await list_round(contender)
    for contender in contenders:
        contender.note("full", resident(contender.home))


def report(area: Area, starts: dict[str, list[float]], ours: Contender, theirs: Contender) -> None:
    def both(name: str, figure: str, unit: str, better: str, goal: float | None = None, scale: float = 1) -> None:
        area.add(
            name,
            ours.median(figure) * scale,
            unit,
            better=better,
            reference=theirs.home.name,
            reference_value=theirs.median(figure) * scale,
            # Of the rounds, not of the medians: what disturbed a round disturbed both.
            ratio=median([one / other for one, other in zip(ours.figures[figure], theirs.figures[figure], strict=True)]),
            goal=goal,
        )

    for what in ("creates", "patches"):
        for in_flight in IN_FLIGHT:
            both(f"durable {what}, {in_flight} in flight", f"{what} {in_flight}", "/s", "higher", None if in_flight == 1 else 3)
            both(f"{what}, {in_flight} in flight, p50", f"{what} {in_flight} p50", "ms", "lower")
            both(f"{what}, {in_flight} in flight, p99", f"{what} {in_flight} p99", "ms", "lower")
    both("durable creates of DiskSchedules, 16 in flight", "custom 16", "/s", "higher", 3)
    both("CPU of the server for a create, 16 in flight", "creates 16 cpu", "us", "lower")
    both("CPU of the server for a patch, 16 in flight", "patches 16 cpu", "us", "lower")
    both(f"list {objects.NODES:,} nodes", "list nodes", "s", "lower", 1)
    both(f"list {objects.PODS:,} ConfigMaps of a pod's size", "list pods", "s", "lower", 1)
    for watchers in WATCHERS:
        both(f"events delivered to {watchers} watchers", f"watch {watchers}", "/s", "higher")
    area.add(
        "start to first answer",
        median(starts["embedded"]),
        "s",
        better="lower",
        reference=theirs.home.name,
        reference_value=median(starts["real"]),
        goal=0.2,
    )
    both("memory at rest", "rest", "MB", "lower", 1, 1e-6)
    both(f"memory with {objects.NODES:,} nodes and {objects.PODS:,} ConfigMaps", "full", "MB", "lower", 1, 1e-6)


if __name__ == "__main__":
    asyncio.run(main())
