"""Sentences for people, made in one place."""

import pytest

from holdfast.decide import words
from holdfast.decide.codes import RULES, Code
from holdfast.decide.reasons import Act, Step
from holdfast.decide.values import AskKey, AskKind


@pytest.mark.parametrize(
    "count, text",
    [
        (0, "0"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1Ki"),
        (5 * 2**20, "5Mi"),
        (50 * 2**30, "50Gi"),
        (1536 * 2**20, "1,536Mi"),
        (50 * 2**30 + 1, "53,687,091,201 bytes"),
        (-(30 * 2**30), "-30Gi"),
    ],
)
def test_sizes_are_exact(count, text):
    """A rounded size makes sums that do not add up."""
    assert words.size(count) == text


@pytest.mark.parametrize("code", sorted(set(Code) - RULES - {Code.BEHIND_ELDER}))
def test_every_closed_disk_has_its_sentence(code):
    """A code without words would be a blank line when it matters."""
    said = words.schedulable("ssd1", "n3", code)
    assert said.startswith("Disk ssd1 takes nothing more: ")
    assert said != words.schedulable("ssd1", "n3", None)
    assert code.condition_reason.isalnum()


def test_no_two_causes_sound_alike():
    """Each closed disk is told from the others."""
    codes = set(Code) - RULES - {Code.BEHIND_ELDER}
    assert len({words.closed_because(code, "ssd1", "n3") for code in codes}) == len(codes)


@pytest.mark.parametrize("step", Step)
def test_every_step_of_a_fix_has_its_words(step):
    """Advice that can not be read is none."""
    assert words.fix((Act(step, 5),))


def test_acts_that_belong_together_are_joined():
    """Both have to be done."""
    said = words.fix((Act(Step.RELEASE, 2**30), Act(Step.FREE, 2**20)))
    assert said == "free 1Gi on this disk and remove 1Mi of files from its file system"


def test_kinds_are_named():
    """An image and a replica may bear one name."""
    assert words.named(AskKey(AskKind.IMAGE, "golden")) == "backing image golden"
    assert words.named(AskKey(AskKind.REPLICA, "r1")) == "replica r1"


@pytest.mark.parametrize("seconds, text", [(0, "0s"), (119, "119s"), (120, "2m"), (7200, "2h"), (86400 * 3, "3d")])
def test_ages_are_short(seconds, text):
    """As kubectl prints them."""
    assert words.age(seconds) == text


@pytest.mark.parametrize(
    "text, said",
    [
        ("pvc-1-r-2", "pvc-1-r-2"),
        ("by_hand", "by_hand"),
        ("", '""'),
        ("Upper Case", '"Upper Case"'),
        ("ünï☃", "ünï☃"),
        ("two\nlines\t", r'"two\nlines\t"'),
        ("\x1b[2J", r'"\x1b[2J"'),
        ("x" * 253, "x" * 253),
        ("x" * 100_000, '"' + "x" * 60 + '..."'),
    ],
)
def test_a_name_is_printed_so_that_it_harms_nobody(text, said):
    """A key can be any text; the line, the screen and the terminal stay whole."""
    assert words.shown(text) == said


def test_who_never_existed_is_not_called_gone():
    """An ask made by hand never had an object: words that speak of its end would send a person looking for it."""
    key = AskKey(AskKind.REPLICA, "first")
    assert words.orphan(key, 0.0, 600.0) == (
        "no object stands behind the ask of replica first (since 1970-01-01T00:00:00Z); it may be removed from 1970-01-01T00:10:00Z"
    )
    assert words.orphan_event(key) == "no object stands behind the ask of replica first; it is removed after disk-schedule-orphan-grace"
    assert words.orphaned([key]) == "no object stands behind 1 ask: replica first; removed after disk-schedule-orphan-grace"
