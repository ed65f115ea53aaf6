"""A list of conditions that is changed by value."""

from holdfast.api.conditions import find, forgotten, is_true, observed, told
from holdfast.api.meta import Condition
from holdfast.api.node_leases import lease_name, node_of

THEN, NOW = "2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z"
READY = Condition(type="Ready", status="True", message="old words", last_transition_time=THEN)
OTHER = Condition(type="Other", status="False", last_transition_time=THEN)


def test_new_words_for_the_same_answer_keep_its_time():
    """Since when something holds is not changed by saying it in another way."""
    (ready, _) = observed((READY, OTHER), told("Ready", holds=True, message="new words"), NOW)

    assert (ready.message, ready.last_transition_time) == ("new words", THEN)


def test_another_answer_has_a_new_time():
    """And only that one: the others stay as they were, in their places."""
    seen = observed((READY, OTHER), told("Ready", holds=False, reason="Lost"), NOW)

    assert (seen[0].status, seen[0].reason, seen[0].last_transition_time) == ("False", "Lost", NOW)
    assert seen[1] == OTHER


def test_a_first_observation_is_added_at_the_end():
    """Readers of the list find old ones where they were."""
    assert [condition.type for condition in observed((OTHER,), told("Ready", holds=True), NOW)] == ["Other", "Ready"]


def test_an_observation_that_says_the_same_changes_nothing():
    """Equal lists cost no write."""
    assert observed((READY, OTHER), told("Ready", holds=True, message="old words"), NOW) == (READY, OTHER)


def test_a_condition_that_was_never_observed_is_not_true():
    """Unknown is not good news."""
    assert (is_true((READY,), "Ready"), is_true((OTHER,), "Other"), is_true((), "Ready")) == (True, False, False)


def test_a_condition_can_be_forgotten():
    """One that ended without an answer leaves the list."""
    assert find(forgotten((READY, OTHER), "Ready"), "Ready") is None


def test_the_lease_of_an_agent_leads_back_to_its_node():
    """And a Lease of somebody else leads nowhere."""
    assert (node_of(lease_name("n1")), node_of("holdfast-manager-m1")) == ("n1", "")
