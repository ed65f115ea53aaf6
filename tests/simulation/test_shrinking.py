"""A failing run is cut down to one that a person can read, and fails in the same way."""

from typing import Any

import pytest

from holdfast.controllers.disk_claims import DiskClaims
from holdfast.decide import ledger
from holdfast.simulation.run import Outcome, run, script_of
from holdfast.simulation.shrink import shrunk


@pytest.fixture
def closed_disks_grant(monkeypatch):
    """A planted bug: what does not fit is granted."""
    monkeypatch.setattr(ledger, "fits", lambda *_: True)


def first_failing(area: str) -> Outcome:
    return next(outcome for seed in range(1, 60) if not (outcome := run(script_of(area, seed))).is_good)


def test_a_failing_run_is_cut_down(closed_disks_grant):
    """Forty things that happen hide the two that matter."""
    failing = first_failing("ledger")
    told: list[str] = []

    small = shrunk(failing, told.append, most_runs=120)

    assert not small.is_good
    assert {each.promise for each in small.violations} & {each.promise for each in failing.violations}
    assert len(small.script.steps) <= 4 < len(failing.script.steps)
    assert told[-1].startswith(f"{len(small.script.steps)} steps")


def test_what_was_cut_down_can_be_played_again(closed_disks_grant):
    """The small run is a script like any other."""
    small = shrunk(first_failing("ledger"), most_runs=60)

    assert run(small.script).violations == small.violations


def test_a_search_has_an_end(closed_disks_grant):
    """Every try is a whole run; whoever waits wants an answer."""
    tries: list[Any] = []
    shrunk(first_failing("ledger"), tries.append, most_runs=5)

    assert len(tries) <= 5


def test_another_failure_is_no_smaller_form_of_this_one(monkeypatch):
    """Or the search would wander off to a bug that nobody asked about."""
    monkeypatch.setattr(ledger, "fits", lambda *_: True)
    failing = first_failing("ledger")
    monkeypatch.undo()

    async def fails(*_: object) -> None:
        raise KeyError("another bug")

    monkeypatch.setattr(DiskClaims, "reconcile", fails)

    assert shrunk(failing, most_runs=20) is failing
