"""Links in the pages lead somewhere: a newcomer follows them first."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED_PAGE = re.compile(r"`(docs/[\w/-]+\.md)`")


def headings(page: Path) -> set[str]:
    """The anchors that a page offers."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    """Pages are renamed more often than they are read again."""
    for link in LINK.findall(page.read_text()):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in headings(target), f"{link} names no heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_page_that_is_named_exists(page: Path) -> None:
    """A name without a link is looked for by hand."""
    for name in NAMED_PAGE.findall(page.read_text()):
        assert (ROOT / name).is_file(), f"{name} does not exist"
