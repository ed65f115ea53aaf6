"""A seed is a run: the same, byte for byte, wherever and whenever it is played."""

import os
import subprocess
import sys

import pytest

from holdfast.simulation.run import run, script_of


def trace_of(area: str, seed: int, hash_seed: str) -> bytes:
    """As a process of its own tells it, with sets and dicts of text in another order."""
    program = "from holdfast.cli.main import run; run()"
    command = [sys.executable, "-c", program, "simulate", area, "--seed", str(seed), "--trace"]
    surroundings = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, env=surroundings, check=True, capture_output=True, timeout=60).stdout


@pytest.mark.parametrize("area", ["ledger", "runtime", "store"])
@pytest.mark.parametrize("seed", [3, 8])
def test_two_processes_tell_the_same_trace(area, seed):
    """Whoever is told a seed can repeat what it shows, on another machine too."""
    one, other = (trace_of(area, seed, hash_seed) for hash_seed in ("1", "777"))

    assert one == other
    assert one.count(b"\n") > 100


def test_a_run_leaves_nothing_for_the_next():
    """What a seed shows does not depend on which were played before it."""
    script = script_of("ledger", 5)
    first = run(script, keeps=True).lines
    run(script_of("ledger", 6))

    assert run(script, keeps=True).lines == first


def test_a_trace_changes_nothing():
    """To look is not to touch."""
    script = script_of("ledger", 7)
    silent, told = run(script), run(script, keeps=True)

    assert (silent.requests, silent.revisions, silent.violations) == (told.requests, told.revisions, told.violations)
    assert told.lines
    assert not silent.lines
