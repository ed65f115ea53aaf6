"""Settings are obeyed while everything runs, and a bad one hurts nobody."""

import json

import pytest
from tests.support.builders import NAMESPACE, machine, setting, simulated_disk, size
from tests.support.world import World, said

from holdfast.api.kinds import SETTING
from holdfast.api.longhorn import Setting
from holdfast.api.longhorn.disk_schedule import State
from holdfast.api.wire import Request
from holdfast.decide import settings

DISK = "n1/disk-1"


@pytest.fixture
async def world(world: World) -> World:
    """One disk of 100Gi."""
    await world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await world.settles()
    return world


async def test_settings_that_are_used_exist_with_their_defaults(world):
    """People see what they can set."""
    values = {name: world.sees(Setting, name).value for name in settings.USED}

    assert values == {name: definition.default_text for name, definition in settings.USED.items()}
    assert all(world.sees(Setting, name).status.applied for name in settings.USED)


async def test_a_limit_that_is_raised_lets_in_who_waits(world):
    """D-45: the limit is taken at the time of the decision, and a change brings the next one."""
    await world.asks("r1", "150Gi", on=DISK)
    await world.settles()
    before = world.entry("r1", on=DISK).state

    await world.sets(settings.OVER_PROVISIONING, "200")
    await world.settles()

    assert (before, world.granted("r1", on=DISK)) == (State.REJECTED, size("150Gi"))


async def test_a_limit_that_is_lowered_takes_nothing_back(world):
    """D-47: grants stay, the disk says that it holds too much, and nothing more is granted."""
    await world.asks("r1", "80Gi", on=DISK)
    await world.settles()

    await world.sets(settings.OVER_PROVISIONING, "50")
    await world.settles()
    await world.asks("r2", "1Gi", on=DISK)
    await world.settles()

    over = world.condition(DISK, "OverLimit")
    assert over.status == "True"
    assert (world.granted("r1", on=DISK), world.entry("r2", on=DISK).state) == (size("80Gi"), State.REJECTED)
    assert world.events("OverLimit")


async def test_the_rule_of_the_specification_can_be_chosen(world):
    """D-45: with storage-available the sum of all grants stays within the available bytes, to the letter."""
    await world.sets(settings.LIMIT, "storage-available")
    world.machines["n1"].write("disk-1", "v-r1", size("30Gi"))
    await world.settles()
    await world.asks("r1", "60Gi", on=DISK)
    await world.asks("r2", "20Gi", on=DISK)
    await world.settles()

    limit = world.books(DISK).status.limit
    assert (limit.bytes, limit.rule, limit.policy) == (size("70Gi"), "storage-available", "storage-available")
    assert (world.granted("r1", on=DISK), world.entry("r2", on=DISK).reason) == (size("60Gi"), "storage-available")


async def test_what_a_grant_rested_on_is_recorded(world):
    """Anyone can check later that the limit was kept."""
    await world.asks("r1", "60Gi", on=DISK)
    await world.settles()

    limit = world.books(DISK).status.limit
    assert limit.bytes == size("100Gi")
    assert limit.node_revision
    assert set(limit.settings_revisions) == set(settings.USED)


@pytest.mark.parametrize("value", ["-5", "many", "", "1e9", "999999999999999999999"])
async def test_a_bad_value_is_refused_with_words_and_the_default_rules(world, value):
    """A slip of the hand must neither open nor close the cluster."""
    await world.sets(settings.OVER_PROVISIONING, value)
    await world.settles()
    await world.asks("r1", "100Gi", on=DISK)
    await world.asks("r2", "1Gi", on=DISK)
    await world.settles()

    refused = world.sees(Setting, settings.OVER_PROVISIONING)
    condition = said(refused.status.conditions, "Valid")
    assert (refused.value, refused.status.applied, condition.status) == (value, False, "False")
    assert "default 100" in condition.message
    assert (world.entry("r1", on=DISK).state, world.entry("r2", on=DISK).state) == (State.SCHEDULED, State.REJECTED)


async def test_a_refusal_is_written_in_full(world):
    """``kubectl get`` shows what is on the wire: a false that is left out is an empty column."""
    await world.sets(settings.OVER_PROVISIONING, "many")
    await world.settles()

    answer = await world.client.send(Request("GET", SETTING.path(NAMESPACE, settings.OVER_PROVISIONING)))

    assert json.loads(answer.body)["status"]["applied"] is False


async def test_a_value_that_is_mended_is_in_force(world):
    """And the status says so."""
    await world.sets(settings.OVER_PROVISIONING, "many")
    await world.settles()

    await world.sets(settings.OVER_PROVISIONING, "150")
    await world.settles()

    mended = world.sees(Setting, settings.OVER_PROVISIONING)
    assert (mended.status.applied, said(mended.status.conditions, "Valid").status) == (True, "True")


async def test_a_setting_that_is_deleted_comes_back_with_its_default(world):
    """Deleting is how people reset."""
    await world.sets(settings.OVER_PROVISIONING, "200")
    await world.deletes(Setting, settings.OVER_PROVISIONING)
    await world.settles()

    assert world.sees(Setting, settings.OVER_PROVISIONING).value == "100"


async def test_settings_of_others_are_left_alone(world):
    """Longhorn has many settings that we do not know."""
    await world.has(setting("backup-target", "s3://x"))
    await world.settles()

    theirs = world.sees(Setting, "backup-target")
    assert (theirs.value, theirs.status.conditions) == ("s3://x", ())


async def test_values_that_people_set_before_the_first_start_are_kept(empty_world):
    """Ours to judge, never to change."""
    await empty_world.has(setting(settings.OVER_PROVISIONING, "300"))
    empty_world.starts_manager()
    await empty_world.has(machine("n1", simulated_disk("disk-1", "100Gi")))
    await empty_world.settles()

    kept = empty_world.sees(Setting, settings.OVER_PROVISIONING)
    assert (kept.value, kept.status.applied) == ("300", True)
