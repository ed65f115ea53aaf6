"""scripts/kubernetes, with a compiler that only writes down that it was called."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.looking import until_true

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "kubernetes"
PROGRAMS = {"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"}
#: What scripts need beside Go, if the machine has it.
TOOLS = ["sh", "git", "cut", "mktemp", "mkdir", "rm", "mv", "dirname", "cat", "nice", "flock", "chmod", "head", "cmp", "pwd", "python3"]
GO = """#!/bin/sh
case $1 in
    env) echo "${FAKE_VERSION:-go1.99}"; echo linux; echo amd64 ;;
    build)
        while [ $# -gt 0 ]; do [ "$1" != -o ] || out=$2; shift; done
        echo "$out" >> "$FAKE_CALLS"
        while [ -e "${FAKE_WAITS_FOR:-/nowhere}" ]; do sleep 0.02; done
        [ -z "${FAKE_FAILS:-}" ] || exit 1
        echo '#!/bin/sh' > "$out"; chmod 755 "$out" ;;
esac
"""


class Workshop:
    """A machine with a cache of its own and the tools that it is given."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache" / "holdfast" / "kubernetes"
        self.calls = folder / "calls"
        self.calls.touch()
        self.gate = folder / "gate"
        self.tools = folder / "tools"
        self.tools.mkdir()
        for tool in TOOLS:
            if found := shutil.which(tool):
                (self.tools / tool).symlink_to(found)
        self.environment = {"PATH": str(self.tools), "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
        self.environment |= {"FAKE_CALLS": str(self.calls), "FAKE_WAITS_FOR": str(self.gate)}

    def has_go(self) -> None:
        (self.tools / "go").write_text(GO)
        (self.tools / "go").chmod(0o755)

    def runs(self, *arguments: str, script: Path = SCRIPT, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([script, *arguments], env=self.environment | more, capture_output=True, text=True, check=False)

    async def starts(self) -> asyncio.subprocess.Process:
        """A build in a group of its own."""
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(SCRIPT, env=self.environment, stdout=pipe, stderr=pipe, start_new_session=True)

    @property
    def built(self) -> list[str]:
        """The programs that the compiler was asked for, in order."""
        return [Path(line).name for line in self.calls.read_text().splitlines()]

    @property
    def folders(self) -> list[Path]:
        return [path for path in self.cache.glob("*") if path.is_dir()]


@pytest.fixture
def machine(tmp_path) -> Iterator[Workshop]:
    machine = Workshop(tmp_path)
    machine.has_go()
    yield machine
    machine.gate.unlink(missing_ok=True)


def test_they_are_built_once(machine):
    """Minutes, the first time; nothing, ever after."""
    assert machine.runs("--where").returncode == 1
    first = machine.runs()
    folder = Path(first.stdout.strip())
    assert {path.name for path in folder.iterdir()} == PROGRAMS
    assert machine.runs().stdout == machine.runs("--where").stdout == first.stdout
    assert set(machine.built) == PROGRAMS
    assert len(machine.built) == len(PROGRAMS)


def test_another_compiler_builds_anew(machine):
    """What an older Go built is not what is judged by."""
    assert machine.runs().stdout != machine.runs(FAKE_VERSION="go2.0").stdout
    assert len(machine.built) == 2 * len(PROGRAMS)


async def test_two_at_once_build_once(machine):
    """Two terminals, or two jobs of one CI machine."""
    machine.gate.touch()
    both = [await machine.starts(), await machine.starts()]
    await until_true(lambda: len(machine.built) >= 1)
    machine.gate.unlink()
    said = [await run.communicate() for run in both]
    assert [run.returncode for run in both] == [0, 0]
    assert said[0][0] == said[1][0]
    assert set(machine.folders) == {Path(said[0][0].decode().strip())}
    if shutil.which("flock"):
        assert len(machine.built) == len(PROGRAMS)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
async def test_a_build_that_is_interrupted_leaves_nothing_half_built(machine, number):
    """Half of the programs would fail every test of every run after it."""
    machine.gate.touch()
    run = await machine.starts()
    await until_true(lambda: len(machine.built) == 1)
    os.killpg(run.pid, number)
    await run.communicate()
    assert run.returncode != 0
    machine.gate.unlink()
    assert machine.runs("--where").returncode == 1
    folder = machine.runs().stdout.strip()
    assert machine.folders == [Path(folder)]


def test_a_build_that_fails_leaves_nothing(machine):
    """The next one begins from the start, and nobody takes what is there for all there is."""
    assert machine.runs(FAKE_FAILS="yes").returncode != 0
    assert machine.folders == []


def test_programs_that_are_there_already_are_taken(machine, tmp_path):
    """A CI image brings them; and one that brings half of them is told so."""
    given = tmp_path / "given"
    given.mkdir()
    for program in PROGRAMS:
        (given / program).touch(mode=0o755)
    assert machine.runs(HOLDFAST_KUBERNETES=str(given)).stdout.strip() == str(given)
    (given / "kubectl").unlink()
    refused = machine.runs(HOLDFAST_KUBERNETES=str(given))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "kubectl" in refused.stderr
    assert machine.built == []


def test_a_run_without_go_skips_loudly_and_fails_in_ci(machine):
    """A tier that is left out without a word is taken for one that has passed."""
    (machine.tools / "go").unlink()
    script = ROOT / "scripts" / "test"
    at_home = machine.runs("--version", script=script)
    assert at_home.returncode == 0
    assert "REAL TIER IS SKIPPED" in at_home.stderr
    in_ci = machine.runs("--version", script=script, CI="true")
    assert (in_ci.returncode, in_ci.stdout) == (1, "")
    assert "Go" in in_ci.stderr


@pytest.mark.parametrize("ci, outcome", [("", "1 skipped"), ("true", "1 error")], ids=["at home", "in CI"])
def test_without_the_programs_a_test_is_skipped_at_home_and_fails_in_ci(tmp_path, ci, outcome):
    """Whoever calls pytest himself gets the same answer as from `make test`."""
    command = [sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'inner'}"]
    command.append("tests/real/test_control_plane.py::test_it_serves_the_version_that_we_are_judged_by")
    environment = os.environ | {"CI": ci, "HOLDFAST_KUBERNETES": str(tmp_path)}
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert outcome in said.stdout
    assert "there is no program etcd in it" in said.stdout
