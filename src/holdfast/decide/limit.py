"""What a disk may still promise.

A limit policy is a few rules of one form: a sum over the disk's grants is at most a ceiling. Which sums and ceilings:

- ``written-aware``: nominal sizes against what the disk may promise (over-provisioning), what is granted and not yet written
  against its free bytes (free-space), and the available bytes against the share that must stay free (minimal-available).
- ``longhorn``: over-provisioning and minimal-available.
- ``storage-available``: all granted bytes against the available ones, and nothing else.

Bytes in one data directory exist once: of the grants that share it the largest counts. Only ``storage-available``, which adds
up every grant as it stands, counts each. Whole numbers only: two readers of the same numbers never differ by a byte.
"""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from holdfast.decide.codes import Code
from holdfast.decide.policy import LimitPolicy, Policy
from holdfast.decide.values import INT64_MAX, Disk


class Sums(NamedTuple):
    """What the grants on a disk add up to, in the four ways that rules count."""

    total: int = 0
    """Every granted byte, as ``status.storageScheduled`` counts."""
    scheduled: int = 0
    """The largest grant of each data directory."""
    owed: int = 0
    """What can still be written into granted space: per directory the grant less what its live head holds."""
    brought: int = 0
    """What newcomers will write at once and have not written yet."""


class Rule(NamedTuple):
    """One sum may be at most this much."""

    code: Code
    counts: int
    """Which of ``Sums``, by position."""
    ceiling: int


class Room(Struct, frozen=True, gc=False):
    """The bytes that a disk could still grant, and the rule that binds first. Less than 0: it has promised too much."""

    bytes: int
    code: Code


class Books:
    """The grants of one disk, added up while they are entered: one step each, however many there are."""

    __slots__ = ("_brings", "_brought", "_owed", "_scheduled", "_sizes", "_total", "_written")

    def __init__(self, written: Mapping[str, int]) -> None:
        self._written = written
        self._sizes: dict[str, int] = {}
        self._brings: dict[str, int] = {}
        self._total = self._scheduled = self._owed = self._brought = 0

    @property
    def sums(self) -> Sums:
        """What the grants entered so far add up to."""
        return Sums(self._total, self._scheduled, self._owed, self._brought)

    def sums_after(self, directory: str, growth: int, size: int, brings: int) -> Sums:
        """The sums if a grant in this directory grew by ``growth`` to ``size``."""
        before, brought = self._sizes.get(directory, 0), self._brings.get(directory, 0)
        largest, most = max(before, size), max(brought, brings)
        written = self._written.get(directory, 0)
        return Sums(
            self._total + growth,
            self._scheduled + largest - before,
            self._owed + max(0, largest - written) - max(0, before - written),
            self._brought + max(0, most - written) - max(0, brought - written),
        )

    def enter(self, directory: str, growth: int, size: int, brings: int) -> None:
        """A grant in this directory grew by ``growth`` to ``size``."""
        # The same sums as above, but this runs for every grant of every disk, and most have their directory to themselves.
        self._total += growth
        before = self._sizes.get(directory, 0)
        if size > before:
            written = self._written.get(directory, 0)
            self._sizes[directory] = size
            self._scheduled += size - before
            if size > written:
                self._owed += size - max(before, written)
        if brings:
            brought, written = self._brings.get(directory, 0), self._written.get(directory, 0)
            if brings > brought:
                self._brings[directory] = brings
                self._brought += max(0, brings - written) - max(0, brought - written)

    def held_in(self, directory: str) -> int:
        """What the grants of this directory take, once."""
        return self._sizes.get(directory, 0)


def rules_of(disk: Disk, policy: Policy) -> tuple[Rule, ...]:
    """The rules of the policy in force, with this disk's ceilings."""
    if policy.limit is LimitPolicy.STORAGE_AVAILABLE:
        return (Rule(Code.STORAGE_AVAILABLE, 0, disk.available),)
    nominal = Rule(Code.OVER_PROVISIONING, 1, promisable(disk, policy))
    # What must stay free is a strict bound: one byte above the share. Below 0 the disk is past it already and nothing fits.
    spare = Rule(Code.MINIMAL_AVAILABLE, 3, disk.available - least_available(disk, policy))
    if policy.limit is LimitPolicy.LONGHORN:
        return nominal, spare
    return nominal, Rule(Code.FREE_SPACE, 2, min(INT64_MAX, disk.available * policy.over_provisioning // 100)), spare


def promisable(disk: Disk, policy: Policy) -> int:
    """The nominal bytes that the disk may promise."""
    return min(INT64_MAX, max(0, disk.maximum - disk.reserved) * policy.over_provisioning // 100)


def least_available(disk: Disk, policy: Policy) -> int:
    """The fewest available bytes with which the disk still takes anything."""
    return disk.maximum * policy.minimal_available // 100 + 1


def fits(rules: tuple[Rule, ...], sums: Sums) -> bool:
    """Whether grants that add up to this keep every rule."""
    for _, counts, ceiling in rules:  # noqa: SIM110 - a generator costs more than all the comparisons
        if sums[counts] > ceiling:
            return False
    return True


def worst(rules: tuple[Rule, ...], sums: Sums) -> Rule | None:
    """The rule that these sums break by most bytes, the first of equals; None when they keep all."""
    broken = [rule for rule in rules if sums[rule.counts] > rule.ceiling]
    return max(broken, key=lambda rule: sums[rule.counts] - rule.ceiling) if broken else None


def room_on(rules: tuple[Rule, ...], sums: Sums) -> Room:
    """What a newcomer without data of its own could still get."""
    room, code = INT64_MAX, rules[0].code
    for rule in rules:
        left = rule.ceiling - sums[rule.counts]
        if rule.code is Code.MINIMAL_AVAILABLE:
            # A stop sign, no quantity: nominal sizes cost nothing while it is green.
            left = INT64_MAX if left >= 0 else 0
        if left < room:
            room, code = left, rule.code
    return Room(room, code)


def rules_when_empty(disk: Disk, policy: Policy) -> tuple[Rule, ...]:
    """The rules of a disk of this size that holds nothing."""
    return rules_of(Disk(disk.maximum, disk.reserved, disk.maximum), policy)
