"""`holdfast up` from the outside: a process, a port, a folder, and a person with a kubeconfig."""

import re
import shlex
import shutil
import signal
import stat
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest
from tests.support.program import PATIENCE, Ended, Started, holdfast, surroundings
from tests.support.watching import until

from holdfast.api.conditions import is_true
from holdfast.api.longhorn import DiskSchedule, LonghornNode
from holdfast.api.longhorn.disk_schedule import State
from holdfast.kube.client import Client
from holdfast.kube.connect import connect
from holdfast.process import Process
from holdfast.simulation.record import read_record

pytestmark = pytest.mark.slow

NAMESPACE = "longhorn-system"
GIB = 2**30


class Plane:
    """A running ``holdfast up``."""

    def __init__(self, home: Path, *more: str | Path) -> None:
        self.folder = home / "data"
        self.kubeconfig = self.folder / "kubeconfig"
        self.environment = surroundings(home, KUBECONFIG=str(self.kubeconfig))
        self.program = Started("up", "--data", self.folder, "--port", "0", *more, environment=self.environment, last_line="Ctrl-C stops it")

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        connection = connect(Process("person"), self.kubeconfig)
        try:
            yield connection.client
        finally:
            await connection.client.close()

    def explains(self, disk: str, *more: str) -> Ended:
        return holdfast("explain", "disk", disk, *more, environment=self.environment)


@pytest.fixture
def starts(tmp_path) -> Iterator[Callable[..., Plane]]:
    """Starts planes below one home, one after the other, and stops what still runs."""
    started: list[Plane] = []

    def start(*more: str | Path) -> Plane:
        started.append(Plane(tmp_path, *more))
        return started[-1]

    yield start
    for plane in started:
        plane.program.stop()


async def books(client: Client, node: str = "node-1", disk: str = "disk-1") -> DiskSchedule:
    found = (await client.list(DiskSchedule, NAMESPACE)).items
    return next(schedule for schedule in found if (schedule.spec.node_id, schedule.spec.name) == (node, disk))


async def ask(client: Client, uuid: str, **sizes: int | None) -> None:
    await client.patch(DiskSchedule, uuid, NAMESPACE, {"spec": {"replicas": sizes}})


async def verdict(client: Client, uuid: str, name: str, state: State) -> DiskSchedule:
    def is_so(schedule: DiskSchedule) -> bool:
        entry = schedule.status.replicas.get(name)
        return entry is not None and entry.state is state

    return await until(client, DiskSchedule, uuid, NAMESPACE, is_so)


async def test_the_story_of_the_first_five_minutes(starts):
    """Ask, see it granted; ask for too much, see it refused and why; free space, and the waiting ask is granted."""
    plane = starts("--nodes", "2", "--disk-size", "100Gi")
    async with plane.client() as client:
        uuid = (await books(client)).metadata.name
        await ask(client, uuid, first=25 * GIB)
        await verdict(client, uuid, "first", State.SCHEDULED)

        await ask(client, uuid, second=87 * GIB)
        refused = await verdict(client, uuid, "second", State.REJECTED)
        assert refused.status.replicas["second"].scheduled_size == 0
        assert refused.status.storage_scheduled == 25 * GIB

        why = plane.explains("node-1/disk-1")
        assert (why.code, why.err) == (0, "")
        assert "87Gi + 25Gi scheduled > 100Gi; short by 12Gi" in why.out
        assert plane.explains(uuid, "-o", "json").out.startswith("{\n")

        await ask(client, uuid, first=None)
        granted = await verdict(client, uuid, "second", State.SCHEDULED)
        assert granted.status.storage_scheduled == 87 * GIB
    ended = plane.program.ends_by(signal.SIGINT)
    assert (ended.code, ended.err) == (0, "Stopped. Nothing is lost: the next start goes on from here.\n")


async def test_a_second_start_goes_on(starts):
    """The same disks, the same grants, the same key: only the process is new."""
    first = starts("--nodes", "2")
    async with first.client() as client:
        uuid = (await books(client)).metadata.name
        await ask(client, uuid, kept=10 * GIB)
        before = await verdict(client, uuid, "kept", State.SCHEDULED)
        disks = {schedule.metadata.uid for schedule in (await client.list(DiskSchedule, NAMESPACE)).items}
    token = (first.folder / "token").read_bytes()
    assert first.program.ends_by(signal.SIGINT).code == 0

    second = starts("--nodes", "2")
    async with second.client() as client:
        after = await client.get(DiskSchedule, uuid, NAMESPACE)
        assert (after.metadata.uid, after.spec) == (before.metadata.uid, before.spec)
        assert after.status.replicas["kept"].scheduled_size == 10 * GIB
        assert {schedule.metadata.uid for schedule in (await client.list(DiskSchedule, NAMESPACE)).items} == disks
    assert (second.folder / "token").read_bytes() == token


async def test_an_acknowledged_ask_survives_a_kill(starts):
    """Whoever got an answer may rely on it, also when nobody had time to put things away."""
    first = starts("--nodes", "1")
    async with first.client() as client:
        uuid = (await books(client)).metadata.name
        await ask(client, uuid, kept=10 * GIB)
    assert first.program.ends_by(signal.SIGKILL).code == -signal.SIGKILL

    async with starts("--nodes", "1").client() as client:
        await verdict(client, uuid, "kept", State.SCHEDULED)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_ends_well_when_it_is_told_to(starts, number):
    """Ctrl-C and a service manager are both orderly ends, also with a watch open."""
    plane = starts("--nodes", "1")
    async with plane.client() as client:
        listing = await client.list(DiskSchedule, NAMESPACE)
        async with aclosing(client.watch(DiskSchedule, NAMESPACE, since=listing.resource_version)) as events:
            await ask(client, listing.items[0].metadata.name, demo=GIB)
            await anext(events)
            ended = plane.program.ends_by(number)
    assert (ended.code, ended.err) == (0, "Stopped. Nothing is lost: the next start goes on from here.\n")


def test_what_opens_the_door_is_for_its_owner_only(starts):
    """The kubeconfig holds a token that may do everything."""
    plane = starts("--nodes", "1")
    for name in ("kubeconfig", "token"):
        assert stat.S_IMODE((plane.folder / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(plane.folder.stat().st_mode) == 0o700


async def test_more_nodes_join_and_fewer_are_told(starts):
    """A cluster grows by one option; what is left out is not forgotten, and not silently either."""
    starts("--nodes", "1").program.stop()
    grown = starts("--nodes", "3")
    async with grown.client() as client:
        for number in (1, 2, 3):
            await until(client, LonghornNode, f"node-{number}", NAMESPACE, lambda node: is_true(node.status.conditions, "Ready"))
    assert not [line for line in grown.program.said if line.startswith("Not running")]
    grown.program.stop()

    shrunk = starts("--nodes", "1")
    (line,) = [line for line in shrunk.program.said if line.startswith("Not running")]
    assert "node-2, node-3" in line
    async with shrunk.client() as client:
        assert len((await client.list(DiskSchedule, NAMESPACE)).items) == 3


async def test_several_managers_share_one_plane(starts):
    """More of them change nothing but who does the work."""
    plane = starts("--nodes", "2", "--disks", "2", "--managers", "3")
    async with plane.client() as client:
        for node in ("node-1", "node-2"):
            for disk in ("disk-1", "disk-2"):
                uuid = (await books(client, node, disk)).metadata.name
                await ask(client, uuid, demo=GIB)
                await verdict(client, uuid, "demo", State.SCHEDULED)


async def test_every_revision_is_recorded_on_request(starts, tmp_path):
    """A record is what a checker and a person with a question read afterwards."""
    plane = starts("--nodes", "1", "--record", tmp_path / "record.jsonl")
    async with plane.client() as client:
        uuid = (await books(client)).metadata.name
        await ask(client, uuid, demo=GIB)
        last = await verdict(client, uuid, "demo", State.SCHEDULED)
    plane.program.stop()
    revisions = list(read_record(tmp_path / "record.jsonl"))
    assert [found.revision for found in revisions] == sorted({found.revision for found in revisions})
    assert int(last.metadata.resource_version) in {found.revision for found in revisions if found.key[2] == uuid}


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on this machine")
async def test_the_printed_lines_do_what_they_say(starts):
    """A person copies them; they carry the names and sizes of this very plane."""
    plane = starts("--nodes", "1", "--disk-size", "10Gi")
    lines = [line.strip() for line in plane.program.said if line.startswith("    ")]
    assert lines[0] == f"export KUBECONFIG={shlex.quote(str(plane.kubeconfig))}"
    first, second, table, why, give_back = lines[1:]

    def runs(line: str) -> str:
        done = subprocess.run(shlex.split(line), env=plane.environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    async with plane.client() as client:
        uuid = (await books(client)).metadata.name
        runs(first)
        await verdict(client, uuid, "first", State.SCHEDULED)
        runs(second)
        await verdict(client, uuid, "second", State.REJECTED)
        header, row = runs(table).splitlines()
        assert re.split(r"\s+", header)[:6] == ["NAME", "NODE", "DISK", "SCHEDULED", "LIMIT", "SCHEDULABLE"]
        assert re.split(r"\s+", row)[:6] == [uuid, "node-1", "disk-1", str(2 * GIB), str(10 * GIB), "True"]
        assert why.endswith(" explain disk node-1/disk-1")
        runs(give_back)
        await verdict(client, uuid, "second", State.SCHEDULED)
