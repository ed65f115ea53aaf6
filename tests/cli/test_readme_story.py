"""The story in README, typed word by word at a plane that runs: what a newcomer does first must come out as it is told."""

import os
import re
import shlex
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.support.homes import in_the_real_tier
from tests.support.kubectl import kubectls
from tests.support.program import PATIENCE, PROGRAM, Started, surroundings
from tests.support.raw_json import make
from tests.support.watching import until

from holdfast.agent.agent import Agent
from holdfast.agent.simulated import SimulatedDriver, uuid_of
from holdfast.api.kinds import CUSTOM, NAMESPACE
from holdfast.api.longhorn import DiskSchedule
from holdfast.kube.client import Client
from holdfast.kube.connect import connect
from holdfast.process import Process, Tasks

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not kubectls(), reason="there is no kubectl on this machine")]

HOME, DISK_SIZE = "longhorn-system", 400 * 2**30
README = Path(__file__).parents[2] / "README.md"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
NAMES_A_VALUE = re.compile(r"(\w+)=\$\(")


def told() -> Iterator[tuple[str, list[str]]]:
    """Each command of the story and what README says it prints."""
    story = README.read_text().partition("## The story of a disk\n")[2].partition("\n## ")[0]
    for block in re.findall(r"```console\n(.*?)```", story, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.rstrip("\n").split("\n")
            yield command, lines


def comparable(text: str) -> list[list[str]]:
    """Lines by their words; times and ages differ from run to run."""
    lines = [TIME.sub("TIME", line).split() for line in text.rstrip("\n").split("\n")]
    return [[word for word in line if not re.fullmatch(r"\d+s", word)] for line in lines]


@pytest.fixture
def up(tmp_path) -> Iterator[Path]:
    started = Started("up", "--port", "0", "--data", tmp_path / "data", environment=surroundings(tmp_path), last_line="Ctrl-C stops it")
    yield tmp_path / "data" / "kubeconfig"
    started.stop()


@pytest.fixture
async def cluster(control_plane, kinds, admin, tmp_path) -> AsyncIterator[Path]:
    """A real control plane with a manager, and with the four machines that ``up`` simulates."""
    await make(admin, NAMESPACE.path(), {"metadata": {"name": HOME}})
    command = ("manager", "--kubeconfig", control_plane.kubeconfig, "--metrics-port", "0")
    manager = Started(*command, environment=surroundings(tmp_path), last_line="Metrics:", listen_to="stderr")
    try:
        async with Tasks() as tasks:
            for number in range(1, 5):
                name = f"node-{number}"
                agent = Agent(admin, Process(name), SimulatedDriver(name, {"disk-1": DISK_SIZE}), node=name, namespace=HOME)
                tasks.spawn(agent.run(), name=name)
            for number in range(1, 5):
                await until(admin, DiskSchedule, uuid_of(f"node-{number}", "disk-1"), HOME, lambda books: books.status.limit.bytes > 0)
            yield control_plane.kubeconfig
    finally:
        manager.stop()
        await left_as_found(admin)


async def left_as_found(admin: Client) -> None:
    for kind in CUSTOM:
        for obj in (await admin.list(kind.type, HOME)).items:
            await admin.patch(kind.type, obj.metadata.name, HOME, {"metadata": {"finalizers": None}})
            await admin.delete(kind.type, obj.metadata.name, HOME)


@pytest.fixture(params=["up", in_the_real_tier("cluster")])
def plane(request) -> Path:
    """The kubeconfig of a plane that runs."""
    kubeconfig: Path = request.getfixturevalue(request.param)
    return kubeconfig


def in_a_shell(line: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/sh", "-c", line], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)


async def decided(kubeconfig: Path, uuid: str) -> None:
    """A person types slowly; here, every ask has its verdict before the next line is typed."""
    connection = connect(Process("person"), kubeconfig)
    try:
        await until(connection.client, DiskSchedule, uuid, HOME, lambda found: {*found.status.replicas} == {*found.spec.replicas})
    finally:
        await connection.client.close()


async def test_readme_tells_what_happens(plane, tmp_path):
    """Every command works as it stands there, and prints what stands below it."""
    environment = surroundings(tmp_path, KUBECONFIG=str(plane), PATH=os.environ["PATH"])
    for command, expected in told():
        typed = command.replace(".venv/bin/holdfast", shlex.join(PROGRAM))
        name = found.group(1) if (found := NAMES_A_VALUE.match(typed)) else ""
        line = f'{typed}; printf %s "${name}"' if name else typed
        done = in_a_shell(line, environment)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        if name:
            environment[name] = done.stdout
        if " patch " in command:
            await decided(plane, environment["DISK"])
        if expected:
            printed, wanted = comparable(done.stdout), comparable("\n".join(expected))
            if wanted[-1] == ["..."]:
                wanted.pop()
                printed = printed[: len(wanted)]
            assert printed == wanted
