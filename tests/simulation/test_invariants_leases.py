"""How a lease of an election may change hands."""

import pytest
from tests.support.records import RecordByHand

MEET = "leaders do not meet"
A, B = "m1_bcdfghjklm", "m2_bcdfghjklm"


@pytest.fixture
def record() -> RecordByHand:
    """m1 leads."""
    record = RecordByHand()
    record.lease("the-one", A, leaseTransitions=1)
    record.renews("the-one", at=2)
    return record


def test_renewals_take_overs_and_releases_break_nothing(record):
    """The whole life of a lease."""
    record.renews("the-one", at=30, holderIdentity=B, leaseTransitions=2)
    record.renews("the-one", at=32)
    record.renews("the-one", at=32.5, holderIdentity="")
    record.renews("the-one", at=33, holderIdentity=A, leaseTransitions=3)
    record.renews("the-one", at=20, holderIdentity=B, leaseTransitions=4)
    assert record.broken() == []


@pytest.mark.parametrize("holder", [B, ""], ids=["another", "one after nobody"])
def test_a_lease_that_changes_hands_uncounted_is_caught(record, holder):
    """Two write it in turn: each believes that it leads."""
    record.renews("the-one", at=4, holderIdentity=holder)
    record.renews("the-one", at=5, holderIdentity=A)
    assert set(record.broken()) == {MEET}


def test_a_count_that_falls_is_caught(record):
    """What was written under it would be taken for news."""
    record.renews("the-one", at=4, leaseTransitions=0)
    assert record.broken() == [MEET]


def test_a_renewal_back_in_time_is_caught(record):
    """A request that was late overwrote a newer one."""
    record.renews("the-one", at=1)
    assert record.broken() == [MEET]


def test_a_lease_that_is_made_anew_begins_anew(record):
    """Somebody deleted it; whoever led knows by its uid."""
    record.deletes("Lease", "the-one")
    record.lease("the-one", B, leaseTransitions=1)
    assert record.broken() == []


@pytest.mark.parametrize(
    "name, one, other", [("holdfast-node-n1", "agent-n1", "agent-n1b"), ("kube-scheduler", "n1_4f1c-9a", "n2_77aa-01")]
)
def test_other_leases_are_not_judged(record, name, one, other):
    """Signs of life lead nothing, and other programs have other customs."""
    record.lease(name, one, at=10)
    record.renews(name, at=5, holderIdentity=other)
    record.renews(name, at=4)
    assert record.broken() == []
