"""The store holds its promises in any weather, and a run of it fails when they are broken."""

import asyncio

import pytest

from holdfast.embedded.collection import Collection
from holdfast.embedded.history import History
from holdfast.embedded.store import Store
from holdfast.simulation.areas.store import AREA, StoreCast
from holdfast.simulation.run import Outcome, run, script_of
from holdfast.simulation.script import Script, Step


def script(*steps: Step, clients: int = 2, latency: int = 1, history: int = 3) -> Script:
    cast = StoreCast(clients=clients, watchers=3, latency=latency, history=history)
    return Script(area="store", seed=1, profile="calm", cast=cast, steps=steps, seconds=AREA.seconds)


def promises(outcome: Outcome) -> set[str]:
    return {violation.promise for violation in outcome.violations}


@pytest.mark.parametrize("seed", range(1, 13))
def test_seeds_run_clean(seed: int):
    """Whatever is drawn, the promises hold."""
    assert run(script_of("store", seed)).violations == ()


@pytest.mark.parametrize("seed", range(101, 105))
def test_rough_seeds_run_clean(seed: int):
    """Three times as much going wrong is no excuse."""
    assert run(script_of("store", seed, "rough")).violations == ()


def test_every_deed_is_somebodys():
    """A script that was cut down, or written by hand, still means something."""
    steps = tuple(Step(1.0 + number, deed, (number, 2 * number, 3 * number)) for number, deed in enumerate(AREA.deeds))
    outcome = run(script(*steps))
    assert outcome.violations == ()
    assert outcome.revisions > len(steps) / 2


def test_a_script_with_nothing_to_do_comes_to_rest():
    """Shrinking ends there."""
    assert run(script(clients=1)).violations == ()


@pytest.mark.parametrize("history", [0, 2, 3])
def test_a_server_that_dies_while_everybody_writes_loses_nothing_that_it_acknowledged(history: int):
    """However much it remembers, and however often it dies."""
    deaths = [Step(3.0 + 6 * number, "pulls-plug", (number, number, 17 * number)) for number in range(5)]
    steps = (Step(1.0, "creates", (0, 0, 0)), *deaths, Step(36.0, "fills-disk", (1, 2, 3)))
    assert run(script(*steps, latency=2, history=history)).violations == ()


def test_an_answer_before_the_journal_has_it_fails_the_run(monkeypatch: pytest.MonkeyPatch):
    """A run that ends well means that nothing acknowledged was at risk."""
    flush = Store._flush

    def flushes(store: Store) -> None:
        queue = list(store._queue)
        flush(store)
        for write in queue:
            asyncio.get_running_loop().call_soon(write.settle, None)

    monkeypatch.setattr(Store, "_flush", flushes)
    outcome = run(script(Step(1.0, "creates", (0, 0, 0)), Step(2.0, "creates", (1, 1, 1))))
    assert "an acknowledged write is durable, as it was asked for" in promises(outcome)


def test_a_history_that_leaves_one_out_fails_the_run(monkeypatch: pytest.MonkeyPatch):
    """A run that ends well means that each watch told everything."""
    after = History.place_after
    monkeypatch.setattr(History, "place_after", lambda history, revision: after(history, revision + 1))
    found = {promise for seed in range(1, 9) for promise in promises(run(script_of("store", seed, "calm")))}
    assert "a watch tells every change once, in order" in found


def test_pages_of_the_newest_state_fail_the_run(monkeypatch: pytest.MonkeyPatch):
    """A run that ends well means that long lists were whole."""
    select = Collection.select
    monkeypatch.setattr(
        Collection, "select_at", lambda self, _revision, resource, namespace, after=None: select(self, resource, namespace, after)
    )
    found = {promise for seed in range(1, 20) for promise in promises(run(script_of("store", seed, "calm")))}
    assert "the pages of a list show one moment" in found
