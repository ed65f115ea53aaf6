"""docs/coverage names, for every numbered demand, the test that shows it; here the tables are held to the truth."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLES = sorted((ROOT / "docs" / "coverage").glob("*.md"))
LAST_ID = {"disk-schedule": ("D", 90)}
ROW = re.compile(r"^\| ([A-Z]-\d+) \| (.+?) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
#: A demand that nothing shows yet must say what it waits for.
WAITS = re.compile(r"^waits for \w+")


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_there_is_a_table_for_every_spec_that_is_begun() -> None:
    """A check over no tables would always pass."""
    assert {table.stem for table in TABLES} == set(LAST_ID)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_every_demand_has_its_row(table: Path) -> None:
    """None is forgotten, none is told twice."""
    letter, last = LAST_ID[table.stem]

    told = [number for number, _ in ROW.findall(table.read_text())]

    assert told == [f"{letter}-{number:02d}" for number in range(1, last + 1)]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_every_named_test_exists(table: Path) -> None:
    """A renamed test must not leave a demand unguarded."""
    for number, shown_by in ROW.findall(table.read_text()):
        named = TEST.findall(shown_by)
        assert named or WAITS.match(shown_by), f"{number} names no test and does not say what it waits for"
        for path, name in named:
            assert (ROOT / path).is_file(), f"{number}: {path} does not exist"
            assert name in names_in(ROOT / path), f"{number}: {path} has no test {name}"
