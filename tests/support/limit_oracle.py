"""The rules of the limit once more, in other arithmetic: fractions, whole sums, no running totals. Shares no code with ``decide``."""

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple


class Held(NamedTuple):
    """One grant: where, how much, and what it will write at once."""

    directory: str
    size: int
    brings: int = 0


class Numbers(NamedTuple):
    maximum: int
    reserved: int
    available: int
    written: dict[str, int]
    over: int
    least: int
    policy: str


def broken_rules(numbers: Numbers, grants: Iterable[Held]) -> set[str]:
    """The names of the rules that these grants break together."""
    grants = [grant for grant in grants if grant.size]
    groups = {grant.directory: [other for other in grants if other.directory == grant.directory] for grant in grants}
    largest = {name: max(grant.size for grant in group) for name, group in groups.items()}
    over, least = Fraction(numbers.over, 100), Fraction(numbers.least, 100)
    broken = set()
    if numbers.policy == "storage-available":
        if sum(grant.size for grant in grants) > numbers.available:
            broken.add("storage-available")
        return broken
    if sum(largest.values()) > max(0, numbers.maximum - numbers.reserved) * over:
        broken.add("over-provisioning")
    owed = sum(max(0, size - numbers.written.get(name, 0)) for name, size in largest.items())
    if numbers.policy == "written-aware" and owed > numbers.available * over:
        broken.add("free-space")
    coming = sum(max(0, max(grant.brings for grant in group) - numbers.written.get(name, 0)) for name, group in groups.items())
    if not numbers.available - coming > numbers.maximum * least:
        broken.add("minimal-available")
    return broken
