"""Whatever is asked of them, the embedded API and the real one answer alike.

Scripts of random requests, the same for the same seed; ``make conformance N=20000`` runs other and more ones.
"""

import pytest
from tests.support.differential import two_homes
from tests.support.differential_scripts import script_of

_SEEDS = 2_000


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_random_scripts_are_answered_alike(control_plane):
    """A client that was tried on one home must not meet a surprise in the other: each of its answers is compared."""
    async with two_homes(control_plane) as runs:
        found = await runs.of_seeds(range(_SEEDS))

    assert not found, "\n\n".join(difference.words() for difference in found)


def test_a_seed_stands_for_one_script():
    """A difference that can not be seen again can not be mended."""
    assert script_of(7) == script_of(7)
    assert script_of(7) != script_of(8)


def test_scripts_try_everything():
    """A verb or a kind that is never drawn is never judged."""
    steps = [step for seed in range(300) for step in script_of(seed)]

    assert {step.method for step in steps} == {"GET", "POST", "PUT", "PATCH", "DELETE"}
    assert {step.words for step in steps} >= {"watch", "next page", "update status", "patch status", "delete all", "let go"}
    assert {step.content.partition("/")[2].partition("+")[0] for step in steps} == {
        "json",
        "merge-patch",
        "json-patch",
        "strategic-merge-patch",
    }
    assert {parameter for step in steps for parameter, _ in step.query} >= {
        "labelSelector",
        "fieldSelector",
        "limit",
        "continue",
        "resourceVersion",
        "resourceVersionMatch",
        "dryRun",
        "fieldValidation",
        "sendInitialEvents",
    }
