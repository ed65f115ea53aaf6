"""The story in README, typed word by word at a plane that runs: what a newcomer does first must come out as it is told."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.kubectl import kubectls
from tests.support.program import PATIENCE, PROGRAM, Started, surroundings
from tests.support.watching import until

from holdfast.api.longhorn import DiskSchedule
from holdfast.kube.connect import connect
from holdfast.process import Process

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not kubectls(), reason="there is no kubectl on this machine")]

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
def plane(tmp_path) -> Iterator[Path]:
    started = Started("up", "--port", "0", "--data", tmp_path / "data", environment=surroundings(tmp_path), last_line="Ctrl-C stops it")
    yield tmp_path / "data" / "kubeconfig"
    started.stop()


def in_a_shell(line: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/sh", "-c", line], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)


async def decided(kubeconfig: Path, uuid: str) -> None:
    """A person types slowly; here, every ask has its verdict before the next line is typed."""
    connection = connect(Process("person"), kubeconfig)
    try:
        await until(
            connection.client, DiskSchedule, uuid, "longhorn-system", lambda found: {*found.status.replicas} == {*found.spec.replicas}
        )
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
