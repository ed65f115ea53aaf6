"""The limit against a second opinion: the same rules in fractions, added up from nothing each time."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.limit_oracle import Held, Numbers, broken_rules
from tests.support.situations import directories, disks, patient, policies

from holdfast.decide.limit import Books, fits, room_on, rules_of, worst
from holdfast.decide.policy import Policy
from holdfast.decide.values import INT64_MAX, Disk

grants = st.lists(st.tuples(directories, st.integers(1, 40), st.integers(0, 40)).map(lambda parts: Held(*parts)), max_size=6)


def numbers_of(disk: Disk, policy: Policy) -> Numbers:
    written = dict(disk.written)
    return Numbers(disk.maximum, disk.reserved, disk.available, written, policy.over_provisioning, policy.minimal_available, policy.limit)


def books_of(disk: Disk, held: list[Held]) -> Books:
    books = Books(disk.written)
    for grant in held:
        books.enter(grant.directory, grant.size, grant.size, grant.brings)
    return books


@patient
@given(disks(), policies, grants)
def test_the_rules_agree_with_the_second_opinion(disk, policy, held):
    """A sum that is kept up to date step by step must be the sum."""
    rules, sums = rules_of(disk, policy), books_of(disk, held).sums
    broken = broken_rules(numbers_of(disk, policy), held)
    assert {rule.code for rule in rules if sums[rule.counts] > rule.ceiling} == broken
    assert fits(rules, sums) == (not broken)
    found = worst(rules, sums)
    assert (found.code in broken) if found else not broken


@patient
@given(disks(), policies, grants)
def test_the_room_is_exactly_what_a_newcomer_can_get(disk, policy, held):
    """Other controllers choose disks by this number: one byte too many costs them a refusal, one too few a disk."""
    room = room_on(rules_of(disk, policy), books_of(disk, held).sums).bytes
    numbers = numbers_of(disk, policy)
    if room > 0:
        assert not broken_rules(numbers, [*held, Held("new", room)])
    if room < INT64_MAX:
        assert broken_rules(numbers, [*held, Held("new", max(0, room) + 1)])
    if room < 0:
        assert broken_rules(numbers, held)


@patient
@given(disks(), policies, grants, directories, st.integers(0, 40), st.integers(1, 40), st.integers(0, 40))
def test_a_look_ahead_is_what_entering_gives(disk, policy, held, directory, before, growth, brings):
    """A grant is judged by sums that are not entered yet."""
    books = books_of(disk, held)
    if before:
        books.enter(directory, before, before, brings)
    expected = books.sums_after(directory, growth, before + growth, brings)
    books.enter(directory, growth, before + growth, brings)
    assert books.sums == expected
    again = books_of(disk, [*held, Held(directory, before + growth, brings)])
    assert again.sums == expected
