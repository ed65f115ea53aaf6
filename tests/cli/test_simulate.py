"""``holdfast simulate`` as a person uses it: many seeds, one seed, and a failure that can be repeated by what was printed."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping

import pytest
from mutants.__main__ import mutants, plant


def simulate(*arguments: str, surroundings: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from holdfast.cli.main import run; run()", "simulate", *arguments]
    return subprocess.run(command, env={**os.environ, **(surroundings or {})}, check=False, capture_output=True, text=True, timeout=110)


def test_many_seeds_are_counted():
    """How many, how fast, and how much was looked at."""
    done = simulate("store", "--seeds", "4", "-j", "1")

    assert done.returncode == 0, done.stderr
    assert re.search(r"store, usual: 4 seeds, 0 failed; [\d.,]+ seeds/s, [\d,]+ API requests/s, \d+ revisions checked", done.stdout)


def test_one_seed_can_be_told_line_by_line():
    """Who did what, on which version, and what he heard."""
    done = simulate("ledger", "--seed", "3", "--trace")

    assert done.returncode == 0, done.stderr
    assert re.search(r"m1 +PATCH diskschedules/\S+/status on version \d+ -> 200 version \d+", done.stdout)
    assert done.stdout.splitlines()[-1].startswith("seed 3 of ledger: every promise was kept")


def test_a_part_of_a_seed_can_be_played():
    """What shrinking finds is written as options, and these play it."""
    done = simulate("ledger", "--seed", "3", "--steps", "1,2", "--without", "all", "--cast", "managers=1,nodes=1")

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("clouds",), "there is no area 'clouds'; there are ledger, runtime, store"),
        (("ledger", "--profile", "sunny"), "there is no profile 'sunny'; there are calm, usual, rough"),
        (("ledger", "--seed", "3", "--steps", "999"), "--steps: seed 3 has steps 1 to"),
        (("ledger", "--seed", "3", "--steps", "one"), "--steps: 'one' is no number"),
        (("ledger", "--seed", "3", "--without", "rain"), "--without: there is no fault 'rain'"),
        (("ledger", "--seed", "3", "--cast", "kings=1"), "--cast: area ledger has no 'kings'; it has managers"),
    ],
)
def test_what_is_not_there_is_refused_with_what_there_is(arguments, words):
    """A slip of the hand must not look like a clean run."""
    done = simulate(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert words in " ".join(done.stderr.split())


@pytest.mark.timeout(240)
def test_a_failure_is_cut_down_and_told_with_the_command_that_repeats_it(tmp_path):
    """With a bug planted into a copy of the program: the command that is printed fails in the same way."""
    (bug,) = mutants("ledger-refused-growth-loses-held")
    plant(bug, tmp_path)
    planted = {"PYTHONPATH": str(tmp_path / "src")}

    failed = simulate("ledger", "--seeds", "20", "-j", "1", surroundings=planted)
    again = re.search(r"^Again: holdfast simulate (.*)$", failed.stdout, re.MULTILINE)

    assert failed.returncode == 1
    assert again is not None, failed.stdout
    repeated = simulate(*shlex.split(again[1]), surroundings=planted)
    assert repeated.returncode == 1
    assert "BROKEN" in repeated.stdout
    assert simulate(*shlex.split(again[1])).returncode == 0  # without the bug the very same run is good
