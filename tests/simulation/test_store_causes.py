"""What became durable is held against what was asked for, and against the rules of owners and finalizers."""

import pytest
from tests.support.store_story import DYING, SPACE, A, B, Story, config_map, owned_by

from holdfast.simulation.store_calls import NOT_SENT, UNKNOWN
from holdfast.simulation.store_causes import causes
from holdfast.simulation.store_chronicle import HOLD


@pytest.fixture
def story() -> Story:
    return Story()


@pytest.mark.parametrize("status, is_broken", [(201, False), (UNKNOWN, False), (503, True), (NOT_SENT, True)])
def test_what_was_refused_may_not_be_there(story: Story, status: int, is_broken: bool):
    """Its sender did something else instead."""
    story.writes(A, config_map())
    story.call("create", status=status, sent=config_map())
    assert ("a call takes place as often as its answer says" in story.promises()) == is_broken


def test_a_create_that_took_place_twice_is_found(story: Story):
    """Its sender asked once."""
    for key in (A, B):
        story.writes(key, config_map(key[2]))
    story.call("create", key=(*A[:2], ""), status=UNKNOWN)
    assert "a call takes place as often as its answer says" in story.promises()


def test_a_change_of_nobody_is_found(story: Story):
    """Nothing comes up, changes or goes by itself."""
    story.call("create", sent=config_map())
    story.writes(A, config_map())
    assert story.promises() == set()
    story.writes(A, {**config_map(), "data": {}})
    assert story.promises() == {"nothing changes without a cause"}
    story.writes(A, config_map(mark="unknown"))
    story.writes(A, None)
    assert len([*causes(story.calls, story.chronicle)]) == 3


@pytest.mark.parametrize("owner_lives", [False, True])
def test_the_collector_may_take_only_what_has_no_living_owner(story: Story, owner_lives: bool):
    """Too much collected is lost."""
    story.call("create", sent=config_map())
    story.call("create", key=B, mark="m2", sent=config_map("b", "m2", ownerReferences=owned_by("a")))
    story.writes(A, config_map())
    story.writes(B, config_map("b", "m2", ownerReferences=owned_by("a")))
    if not owner_lives:
        story.call("delete", mark="m3")
        story.writes(A, None)
    story.writes(B, None)
    assert story.promises() == ({"the collector takes only what has no living owner"} if owner_lives else set())


def test_the_collector_may_not_take_a_living_owner_from_anybody(story: Story):
    """Who has no owner left is never collected."""
    story.call("create", sent=config_map())
    story.call("create", key=B, mark="m2", sent=config_map("b", "m2", ownerReferences=owned_by("a")))
    story.writes(A, config_map())
    story.writes(B, config_map("b", "m2", ownerReferences=owned_by("a")))
    story.writes(B, config_map("b", "m2"))
    assert story.promises() == {"the collector takes only what has no living owner"}


def test_a_finalizer_holds_until_somebody_takes_it_away(story: Story):
    """Whose it is has something to do before the object goes."""
    story.call("create", sent=config_map(finalizers=[HOLD]))
    story.call("delete", mark="m2")
    story.writes(A, config_map(finalizers=[HOLD]))
    story.writes(A, config_map(finalizers=[HOLD], **DYING))
    story.writes(A, None)
    assert story.promises() == {"a finalizer holds what is being deleted"}
    story.call("test", mark="m3", changes=((("metadata", "finalizers"), None),))
    assert story.promises() == set()


@pytest.mark.parametrize("policy", ["foregroundDeletion", "orphan"])
def test_an_owner_may_not_go_before_its_dependents_are_seen_to(story: Story, policy: str):
    """In the foreground they go first; orphans are told first."""
    owned = config_map("b", "m2", ownerReferences=owned_by("a", blockOwnerDeletion=True))
    story.call("create", sent=config_map())
    story.call("create", key=B, mark="m2", sent=owned)
    story.call("delete", mark="m3", until=3)
    story.writes(A, config_map())
    story.writes(B, owned)
    story.writes(A, config_map(finalizers=[policy], **DYING))
    story.writes(A, None)
    expected = "orphans are told before their owner goes" if policy == "orphan" else "a finalizer holds what is being deleted"
    assert story.promises() == {expected}


def test_a_namespace_that_goes_before_its_content_is_found(story: Story):
    """What is left in it could never be reached again."""
    made = {"metadata": {"name": "default", "uid": "n", "annotations": {"mark": "m0"}}}
    story.call("create", key=SPACE, mark="m0", sent=made)
    story.call("create", sent=config_map())
    story.call("delete", key=SPACE, mark="m9")
    story.writes(SPACE, made)
    story.writes(A, config_map())
    story.writes(SPACE, None)
    assert story.promises() == {"a finalizer holds what is being deleted"}
