"""Random families: who is left is who should be."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.raw_api import CONFIG_MAPS, Api, serving

from holdfast.embedded.memory_journal import MemoryJournal

# For each object, the elders among those before it: no circles.
_FAMILIES = st.integers(2, 9).flatmap(
    lambda count: st.tuples(*(st.frozensets(st.integers(0, max(0, child - 1)), max_size=2 if child else 0) for child in range(count)))
)
_POLICIES = st.sampled_from(["Background", "Foreground"])


async def _family(api: Api, elders: Any, *, blocking: bool) -> None:
    made: list[dict[str, Any]] = []
    for number, owners in enumerate(elders):
        references = [
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "name": made[owner]["metadata"]["name"],
                "uid": made[owner]["metadata"]["uid"],
                "blockOwnerDeletion": blocking,
            }
            for owner in sorted(owners)
        ]
        made += await api.has(f"m{number}", metadata={"ownerReferences": references})


def _survivors(elders: Any, deleted: set[int]) -> set[str]:
    alive: set[int] = set()
    for number, owners in enumerate(elders):
        if number not in deleted and (not owners or owners & alive):
            alive.add(number)
    return {f"m{number}" for number in alive}


async def _settled(api: Api, expected: set[str]) -> None:
    async def holds() -> bool:
        return set((await api.get(CONFIG_MAPS)).names) == expected

    await api.until(holds)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_FAMILIES, st.data())
async def test_those_with_a_living_owner_stay_and_all_others_go(elders, data):
    """Too much collected is lost; too little is leaked."""
    deleted = data.draw(st.sets(st.integers(0, len(elders) - 1), min_size=1, max_size=3))
    policy = data.draw(_POLICIES)
    async with serving(background=True) as api:
        await _family(api, elders, blocking=data.draw(st.booleans()))
        for number in sorted(deleted):
            # It may be gone by now, with its owner.
            assert (await api.delete(f"{CONFIG_MAPS}/m{number}", propagationPolicy=policy)).code in {200, 404}

        await _settled(api, _survivors(elders, deleted))
        for item in (await api.get(CONFIG_MAPS)).body["items"]:
            assert "deletionTimestamp" not in item["metadata"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_FAMILIES, st.data())
async def test_a_restart_in_the_middle_changes_nothing(elders, data):
    """The collector keeps no memory that it would need."""
    journal = MemoryJournal()
    deleted = data.draw(st.integers(0, len(elders) - 1))
    policy = data.draw(_POLICIES)
    async with serving(journal) as api:
        await _family(api, elders, blocking=True)
        await api.delete(f"{CONFIG_MAPS}/m{deleted}", propagationPolicy=policy)

    async with serving(journal, background=True) as api:
        await _settled(api, _survivors(elders, {deleted}))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_FAMILIES)
async def test_orphans_of_the_eldest_all_stay(elders):
    """Orphaning goes one level deep: the children lose their owner, and theirs keep them."""
    async with serving(background=True) as api:
        await _family(api, elders, blocking=True)
        await api.delete(f"{CONFIG_MAPS}/m0", propagationPolicy="Orphan")

        await _settled(api, {f"m{number}" for number in range(1, len(elders))})
        for item in (await api.get(CONFIG_MAPS)).body["items"]:
            owners = item["metadata"].get("ownerReferences", [])
            assert "m0" not in [owner["name"] for owner in owners]
