"""The suite is worth what it catches: each of these bugs is planted on purpose, and some test has to fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.planted_bugs import BUGS, VARIABLE

_ROOT = Path(__file__).parents[2]
_FAILED = 1
#: Seconds for a test that a bug keeps from ending.
_STUCK = 5


def _suite(tests: tuple[str, ...], bug: str = "") -> subprocess.CompletedProcess[str]:
    """A run of these tests of its own; xdist and the order of the day stay outside."""
    plugin = ["-p", "tests.support.planted_bugs"] if bug else []
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")} | ({VARIABLE: bug} if bug else {})
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *plugin,
            "-n0",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:randomly",
            f"--timeout={_STUCK}",
            *tests,
        ],
        cwd=_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("bug", sorted(BUGS))
def test_a_planted_bug_makes_the_suite_fail(bug):
    """A suite that passes with this bug would let it through one day."""
    run = _suite(BUGS[bug].tests, bug)

    assert run.returncode == _FAILED, run.stdout + run.stderr


@pytest.mark.slow
def test_without_a_bug_the_same_tests_pass():
    """Otherwise their failing would show nothing."""
    run = _suite(tuple(sorted({test for bug in BUGS.values() for test in bug.tests})))

    assert run.returncode == 0, run.stdout + run.stderr
