"""The ledger, end to end and in its core.

End to end: asks are written to an embedded API (journal on disk), controllers decide them. Every write that this took is recorded,
and then made again on a fresh API through the same client with nobody deciding: the ratio is what deciding costs.

The core: verdicts of the pure functions over 5,000 disks, against a loop over plain dicts that only sums.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import ROUNDS, Area, median, take_turns
from holdfast.api import kinds
from holdfast.api.core import Event, Namespace
from holdfast.api.longhorn import DiskSchedule, LonghornNode, Replica
from holdfast.api.longhorn.disk_schedule import DiskScheduleStatus
from holdfast.api.longhorn.node import DiskSpec, DiskStatus, NodeSpec, NodeStatus
from holdfast.api.longhorn.replica import ReplicaSpec
from holdfast.api.meta import Condition, ObjectMeta
from holdfast.api.struct import Int64, from_builtins
from holdfast.api.wire import Answer, Request, Stream, Transport
from holdfast.controllers.asks import ask
from holdfast.decide.ledger import decide
from holdfast.decide.policy import policy_of
from holdfast.decide.tokens import Token
from holdfast.decide.values import Ask, AskKey, AskKind, Disk, Situation
from holdfast.embedded.server import Server
from holdfast.embedded.sqlite_journal import SqliteJournal
from holdfast.kube.client import Client
from holdfast.plane.definitions import apply_missing
from holdfast.plane.manager import Manager
from holdfast.process import Process, Tasks

NAMESPACE = "longhorn-system"
DISKS, ASKS, IN_FLIGHT, GIB = 50, 2_000, 32, 2**30


class Recording:
    """A transport that notes the writes which succeeded."""

    def __init__(self, inner: Transport, writes: list[Request]) -> None:
        self._inner, self._writes = inner, writes

    async def send(self, request: Request) -> Answer:
        answer = await self._inner.send(request)
        if request.method != "GET" and answer.status < 300 and "/leases" not in request.path:
            self._writes.append(request)
        return answer

    async def open(self, request: Request) -> Answer | Stream:
        return await self._inner.open(request)

    async def close(self) -> None:
        await self._inner.close()

    def kill(self) -> None:
        self._inner.kill()


def node(number: int) -> LonghornNode:
    fine = tuple(Condition(type=kind, status="True") for kind in ("Ready", "Schedulable"))
    disk = DiskStatus(conditions=fine, storage_available=2**44, storage_maximum=2**44, disk_uuid=uuid(number), disk_name="disk-1")
    return LonghornNode(
        metadata=ObjectMeta(name=f"n{number}", namespace=NAMESPACE),
        spec=NodeSpec(name=f"n{number}", allow_scheduling=True, disks={"disk-1": DiskSpec(path="/disk", allow_scheduling=True)}),
        status=NodeStatus(conditions=fine, disk_status={"disk-1": disk}),
    )


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


async def prepared(client: Client, server: Server) -> None:
    """Nodes, their books as a manager opens them, and the replicas that will ask."""
    await client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
    await apply_missing(client)
    for number in range(DISKS):
        made = await client.create(node(number))
        await client.change(made, LonghornNode(metadata=made.metadata, spec=made.spec, status=node(number).status), subresource="status")
    async with Tasks() as opening:
        process = Process("manager")  # the one that will decide: no lease of another holds keys back
        opening.spawn(Manager(Client(server.transport(), process), process, namespace=NAMESPACE).run(), name="opener")
        while True:
            found = (await client.list(DiskSchedule, NAMESPACE)).items
            if len(found) == DISKS and all(schedule.status.limit.policy for schedule in found):
                break
            await asyncio.sleep(0.01)
    for number in range(ASKS):
        spec = ReplicaSpec(
            volume_size=Int64(GIB), node_id=f"n{number % DISKS}", disk_id=uuid(number % DISKS), data_directory_name=f"d{number}"
        )
        await client.create(Replica(metadata=ObjectMeta(name=f"r{number}", namespace=NAMESPACE), spec=spec))


async def end_to_end(writes: list[Request]) -> float:
    """Seconds from the first ask to the last verdict."""
    with tempfile.TemporaryDirectory() as folder:
        async with Tasks() as tasks:
            server = await Server.open(Process("api"), SqliteJournal(Path(folder)))
            tasks.spawn(server.run(), name="api")
            await prepared(Client(server.transport(), Process("setup")), server)
            manager_process, asker = Process("manager"), Client(Recording(server.transport(), writes), Process("asker"))
            manager = Manager(Client(Recording(server.transport(), writes), manager_process), manager_process, namespace=NAMESPACE)
            decided, waiting = asyncio.Event(), {f"r{number}" for number in range(ASKS)}

            def saw(change: Any) -> None:
                waiting.difference_update(change.object.status.replicas)
                if not waiting:
                    decided.set()

            books = manager.runtime.caches.of(DiskSchedule)
            manager.runtime.caches.on_change(DiskSchedule, saw)
            async with Tasks() as workers:
                workers.spawn(manager.run(), name="manager")
                await manager.runtime.caches.wait_synced()
                seen = {schedule.metadata.name: schedule for schedule in books.all()}
                start = time.perf_counter()

                async def asks(numbers: Sequence[int]) -> None:
                    for number in numbers:
                        key = AskKey(AskKind.REPLICA, f"r{number}")
                        patch = ask(seen[uuid(number % DISKS)], key, GIB, Token())
                        await asker.patch(DiskSchedule, uuid(number % DISKS), NAMESPACE, patch)

                await in_flight(asks)
                await decided.wait()
                seconds = time.perf_counter() - start
            await server.close()
        return seconds


async def in_flight(work: Any) -> None:
    async with Tasks() as tasks:
        await asyncio.wait([tasks.spawn(work(range(lane, ASKS, IN_FLIGHT)), name=f"lane {lane}") for lane in range(IN_FLIGHT)])


async def bare(writes: Sequence[Request]) -> float:
    """Seconds for the same writes through the same client, with nobody deciding."""
    with tempfile.TemporaryDirectory() as folder:
        async with Tasks() as tasks:
            server = await Server.open(Process("api"), SqliteJournal(Path(folder)))
            tasks.spawn(server.run(), name="api")
            client = Client(server.transport(), Process("setup"))
            await prepared(client, server)
            calls = [call_of(client, request) for request in writes]
            start = time.perf_counter()

            async def writes_again(lane: int) -> None:
                for call in calls[lane::IN_FLIGHT]:
                    await call()

            async with Tasks() as lanes:
                await asyncio.wait([lanes.spawn(writes_again(lane), name=f"lane {lane}") for lane in range(IN_FLIGHT)])
            seconds = time.perf_counter() - start
            await server.close()
        return seconds


def call_of(client: Client, request: Request) -> Callable[[], Awaitable[object]]:
    """The call of the client that made a request; without the revision, which is another one in another run."""
    body = json.loads(request.body)
    plural, *rest = request.path.partition(f"/namespaces/{NAMESPACE}/")[2].split("/")
    if request.method == "POST" and plural == "events":
        return partial(client.create, from_builtins(body, Event))
    if request.method != "PATCH":
        raise ValueError(f"a write that is not expected here: {request.method} {request.path}")
    if isinstance(body, dict):
        body.get("metadata", {}).pop("resourceVersion", None)
    (type_,) = [kind.type for kind in (*kinds.CUSTOM, kinds.EVENT) if kind.plural == plural]
    return partial(client.patch, type_, rest[0], NAMESPACE, body, subresource=rest[1] if len(rest) > 1 else "")


def core(area: Area) -> None:
    """Verdicts over 5,000 disks with twenty asks each, against a loop that only sums."""
    disks, asks = 5_000, 20
    policy = policy_of(())
    situations = [
        Situation(
            disk_name="disk-1",
            node_id=f"n{number}",
            asks=tuple(
                Ask(key=AskKey(AskKind.REPLICA, f"r{n}"), bytes=(n + 1) * GIB, directory=f"d{n}", created=float(n), is_known=True)
                for n in range(asks)
            ),
            status=DiskScheduleStatus(),
            disk=Disk(200 * GIB, 0, 200 * GIB),
            policy=policy,
            node_revision="1",
        )
        for number in range(disks)
    ]
    plain = [{f"r{n}": (n + 1) * GIB for n in range(asks)} for _ in range(disks)]

    def ours() -> float:
        start = time.perf_counter()
        for situation in situations:
            decide(situation, 0.0)
        return time.perf_counter() - start

    def sums() -> float:
        start = time.perf_counter()
        total = 0
        for sizes in plain:
            for size in sizes.values():
                total += size
        assert total
        return time.perf_counter() - start

    us, them = (median(figures) for figures in take_turns(ours, sums))
    area.add(
        "verdicts of the pure core, 5,000 disks",
        disks * asks / us,
        "verdicts/s",
        better="higher",
        reference="only sums",
        reference_value=disks * asks / them,
    )


async def rounds(area: Area) -> tuple[list[float], list[float], int]:
    ours, theirs, count = [], [], 0
    for turn in range(ROUNDS + 1):
        writes: list[Request] = []
        decided = await end_to_end(writes)
        written = await bare(writes)
        area.say(
            f"round {turn} of {ROUNDS}: {ASKS} asks decided in {decided:.2f} s; the same {len(writes)} writes alone take {written:.2f} s"
        )
        if turn:
            ours.append(decided)
            theirs.append(written)
            count = len(writes)
    return ours, theirs, count


def main() -> None:
    area = Area("ledger")
    ours, theirs, writes = asyncio.run(rounds(area))
    ratio = median([us / them for us, them in zip(ours, theirs, strict=True)])
    area.add(
        f"{ASKS} asks decided end to end ({writes} writes)",
        ASKS / median(ours),
        "asks/s",
        better="lower",
        reference="the same writes alone",
        reference_value=ASKS / median(theirs),
        ratio=ratio,
        goal=2.0,
    )
    core(area)
    area.finish()


if __name__ == "__main__":
    main()
