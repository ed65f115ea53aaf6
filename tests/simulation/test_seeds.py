"""Three hundred worlds of each area, with everything that can go wrong in them: every promise is kept."""

import pytest

from holdfast.simulation.run import run, script_of

AREAS = ("ledger", "runtime", "store")
SEEDS, PIECE = 300, 20


@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", range(1, SEEDS, PIECE))
@pytest.mark.parametrize("area", AREAS)
def test_no_seed_breaks_a_promise(area, first):
    """One that does is a bug with a way to repeat it: ``holdfast simulate AREA --seed SEED`` cuts it down and tells it."""
    outcomes = [run(script_of(area, seed)) for seed in range(first, first + PIECE)]

    broken = [f"holdfast simulate {area} --seed {each.script.seed}: {each.violations[0]}" for each in outcomes if not each.is_good]
    assert broken == []
    assert sum(each.revisions for each in outcomes) > 20 * PIECE  # a world in which nothing happens shows nothing


@pytest.mark.parametrize("area", AREAS)
def test_a_rough_world_keeps_its_promises_too(area):
    """Three times as much of everything that goes wrong."""
    broken = [seed for seed in range(1, 11) if not run(script_of(area, seed, "rough")).is_good]

    assert broken == []
