"""Bugs that were planted on purpose: the list is long, each of them still fits the program, and the quickest are found here.

``make simulate-mutants`` looks for all of them; docs/planted-bugs.md has what it found.
"""

import re
from pathlib import Path

import pytest
from mutants.__main__ import HERE, MOST_SEEDS, TREE, hunt, mutants, plant

from holdfast.simulation.run import areas

#: Found within a few seeds each, one an area at least.
QUICK = ("ledger-refused-growth-loses-held", "ledger-closed-disk-grants")


def test_there_are_enough_of_them_and_each_says_what_it_is():
    """A list that shrinks, or a patch that nobody understands, protects nobody."""
    found = mutants()

    assert len(found) >= 25
    assert {each.area for each in found} == set(areas())
    assert all(re.fullmatch(r"[A-Z].{20,}\.", each.words) for each in found), [each.name for each in found]


@pytest.mark.parametrize("name", [each.name for each in mutants()])
def test_each_of_them_can_be_planted(name, tmp_path):
    """A patch that does not fit any more tests nothing; whoever changes the code changes it too."""
    (mutant,) = (each for each in mutants(name) if each.name == name)
    plant(mutant, tmp_path)

    changed = [path for path in (tmp_path / "src").rglob("*.py") if path.read_bytes() != (TREE / path.relative_to(tmp_path)).read_bytes()]
    assert changed


@pytest.mark.parametrize("name", QUICK)
def test_the_quickest_are_found(name):
    """The simulation would notice."""
    (mutant,) = mutants(f"{name}.patch")

    assert hunt(mutant, 40).seed > 0


def test_the_page_lists_all_of_them_as_found():
    """A table that is written by a command is only as good as its last run."""
    page = Path(TREE / "docs" / "planted-bugs.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \w+ \| (.+?) \| (.+?) \| (\d+|-) \|$", page, re.MULTILINE)

    assert [words for words, _, _ in rows] == [each.words for each in mutants()], f"write it anew: make simulate-mutants ({HERE.name}/)"
    assert all(seeds.isdecimal() and int(seeds) <= MOST_SEEDS for _, _, seeds in rows)
