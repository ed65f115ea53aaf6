"""The client runtime holds its promises in any weather, and a run of it fails when they are broken."""

import asyncio

import pytest

from holdfast.api.core import ConfigMap
from holdfast.kube.cache import Cache
from holdfast.kube.election import Leadership
from holdfast.kube.ownership import SharedOwnership
from holdfast.kube.queue import WorkQueue
from holdfast.simulation.areas.runtime import AREA, RuntimeCast
from holdfast.simulation.run import Outcome, run, script_of
from holdfast.simulation.script import Script, Step


def script(*steps: Step, programs: int = 2, shared: int = 0, elects: int = 0, profile: str = "calm") -> Script:
    cast = RuntimeCast(programs=programs, shared=shared, elects=elects)
    return Script(area="runtime", seed=1, profile=profile, cast=cast, steps=steps, seconds=AREA.seconds)


def promises(outcome: Outcome) -> set[str]:
    return {violation.promise for violation in outcome.violations}


@pytest.mark.parametrize("seed", range(1, 9))
def test_seeds_run_clean(seed: int):
    """Whatever is drawn, the promises hold."""
    assert run(script_of("runtime", seed)).violations == ()


@pytest.mark.parametrize("seed", range(101, 104))
def test_rough_seeds_run_clean(seed: int):
    """Three times as much going wrong is no excuse."""
    assert run(script_of("runtime", seed, "rough")).violations == ()


def test_every_deed_is_somebodys():
    """A script that was cut down, or written by hand, still means something."""
    steps = tuple(Step(1.0 + number, deed, (number, 2 * number, 3 * number)) for number, deed in enumerate(AREA.deeds))
    outcome = run(script(*steps, shared=1, elects=1))
    assert outcome.violations == ()
    assert outcome.revisions > len(steps)


def test_a_script_with_nothing_to_do_comes_to_rest():
    """Shrinking ends there."""
    assert run(script(programs=1)).violations == ()


def test_a_program_that_dies_in_every_way_leaves_nothing():
    """Crashes, also within requests, and a server that is away: afterwards all is as if nothing had been."""
    steps = (
        Step(2.0, "crash", (0, 5)),
        Step(8.0, "crash-in-a-request", (1, 0, 1, 5)),
        Step(12.0, "patches", (0, 1, 2)),
        Step(15.0, "api-crash", (0, 5)),
        Step(18.0, "own-replace", (0, 0, 2)),
        Step(25.0, "clock-step", (0, -50)),
        Step(26.0, "old-cache", (1, 0, 10)),
        Step(27.0, "deletes", (0, 0, 0)),
    )
    assert run(script(*steps, shared=1, elects=1)).violations == ()


def test_a_cache_that_misses_a_deletion_fails_the_run(monkeypatch: pytest.MonkeyPatch):
    """A run that ends well means that the cache was right."""
    monkeypatch.setattr(Cache, "saw_gone", lambda _cache, _obj: None)
    assert "at rest a cache is the store" in promises(run(script(Step(3.0, "deletes", (0, 0, 0)))))


def test_a_cache_that_forgets_own_writes_fails_the_run(monkeypatch: pytest.MonkeyPatch):
    """A run that ends well means that programs read what they wrote."""
    monkeypatch.setattr(Cache, "wrote", lambda _cache, _obj: None)
    steps = (Step(2.0, "old-cache", (0, 0, 20)), Step(3.0, "own-patch", (0, 0, 1)), Step(9.0, "tells", (0, 0, 0)))
    assert "a program reads what it wrote" in promises(run(script(*steps, programs=1)))


def test_a_queue_that_tries_again_at_once_fails_the_run(monkeypatch: pytest.MonkeyPatch):
    """A run that ends well means that failures cost little."""
    monkeypatch.setattr(WorkQueue, "add_rate_limited", lambda queue, key: queue.add_after(key, 0.004))
    poison = Step(3.0, "creates", (2, 0, 0))
    assert "no round without a cause" in promises(run(script(poison, programs=1)))


def test_a_leader_that_never_doubts_fails_the_run(monkeypatch: pytest.MonkeyPatch):
    """A run that ends well means that nobody led beside another."""
    monkeypatch.setattr(Leadership, "remaining", property(lambda _: 5.0))
    monkeypatch.setattr(Leadership, "holds", property(lambda _: True))
    steps = (Step(6.0, "cut-off", (0, 20)), Step(30.0, "cut-off", (1, 20)), Step(50.0, "tells", (0, 0, 0)))
    assert "one leads" in promises(run(script(*steps, elects=1)))


def test_owners_that_know_only_themselves_fail_the_run(monkeypatch: pytest.MonkeyPatch):
    """A run that ends well means that work is shared out."""
    monkeypatch.setattr(SharedOwnership, "_take_stock", lambda _: None)
    assert {"who is here is known at rest", "a key has one owner at rest"} <= promises(run(script(shared=1)))


def test_a_task_that_outlives_its_program_fails_the_run(monkeypatch: pytest.MonkeyPatch):
    """A run that ends well means that a crash ends everything."""
    lived = Cache.wait_synced

    async def lingers(cache: Cache[ConfigMap]) -> None:
        asyncio.get_running_loop().create_task(asyncio.sleep(1000.0), name="lingers")
        await lived(cache)

    monkeypatch.setattr(Cache, "wait_synced", lingers)
    assert "the end of a program is the end of its tasks" in promises(run(script(Step(3.0, "crash", (0, 5)))))
