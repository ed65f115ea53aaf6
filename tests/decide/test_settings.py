"""Values that people type: what is understood, and what is said about the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.ledgers import setting
from tests.support.situations import patient

from holdfast.decide import settings
from holdfast.decide.policy import LimitPolicy, Policy, policy_of


def problem(name: str, value: str) -> str:
    found = settings.read(name, value)
    assert isinstance(found, settings.Problem)
    return found.words


@pytest.mark.parametrize(
    "name, text, value",
    [
        (settings.OVER_PROVISIONING, "0", 0),
        (settings.OVER_PROVISIONING, " 250 ", 250),
        (settings.OVER_PROVISIONING, '{"v1":"120","v2":"100"}', 120),
        (settings.OVER_PROVISIONING, '{"v1": 120}', 120),
        (settings.MINIMAL_AVAILABLE, "100", 100),
        (settings.LIMIT, "longhorn", "longhorn"),
        (settings.AGING, "600", 600),
        (settings.AGING, "10m", 600),
        (settings.AGING, "1h30m", 5400),
        (settings.AGING, "1.5h", 5400),
        (settings.ORPHAN_GRACE, "100ms", 0.1),
        (settings.ORPHAN_GRACE, "0", 0),
    ],
)
def test_a_value_is_plain_or_given_per_data_engine(name, text, value):
    """Longhorn writes settings in both forms; a setting that is misread silently moves every limit."""
    assert settings.read(name, text) == value


@pytest.mark.parametrize(
    "name, text",
    [
        *(
            (settings.OVER_PROVISIONING, text)
            for text in ("", "abc", "-1", "1.5", "1_000", "١٢", "+5", "1e3", "9" * 30, "9" * 5000, "1000001")
        ),
        *(
            (settings.OVER_PROVISIONING, text)
            for text in ("{", "{}", '{"v1":null}', '{"v1":true}', '{"v2":"100"}', '{"v1":{}}', "{" * 5000)
        ),
        *((settings.MINIMAL_AVAILABLE, text) for text in ("101", "-1", "25%")),
        *((settings.LIMIT, text) for text in ("", "Longhorn", "storage available")),
        *((settings.AGING, text) for text in ("", "10 m", "m", "-10m", "10x", "1h-5m", "9999999h", "99999999999", "infs", "nan", "1..5s")),
    ],
)
def test_anything_else_is_refused(name, text):
    """A guess about a slip of the hand would be worse than the default."""
    assert isinstance(settings.read(name, text), settings.Problem)


def test_a_refusal_says_what_is_needed_and_what_is_used():
    """The person who typed it sees the cure in the sentence."""
    said = problem("storage-over-provisioning-percentage", "abc")
    assert said == 'storage-over-provisioning-percentage is "abc": a whole number from 0 up is needed; the default 100 is used'
    assert "from 0 to 1000000 is needed" in problem("storage-over-provisioning-percentage", "9999999")
    assert "one of written-aware, storage-available and longhorn is needed; the default written-aware" in problem(
        "disk-schedule-limit", "x"
    )
    assert "10m or 1h30m, up to a year is needed; the default 10m is used" in problem("disk-schedule-aging", "soon")


def test_a_refusal_stays_short_and_on_one_line():
    """A megabyte of junk in a setting must not become a megabyte in a condition."""
    said = problem("disk-schedule-limit", 'a\n"' * 100_000)
    assert "\n" not in said
    assert len(said) < 300


@patient
@given(st.text())
def test_no_text_makes_reading_fail(text):
    """A setting is typed by people: whatever it is, the ledger goes on."""
    for name in settings.USED:
        assert settings.read(name, text) is not None


def test_the_defaults_are_in_force_where_nothing_is_set():
    """A fresh cluster has no Setting objects at all."""
    found = policy_of([])
    assert found == Policy()
    assert (found.over_provisioning, found.minimal_available, found.limit) == (100, 25, LimitPolicy.WRITTEN_AWARE)
    assert (found.aging, found.orphan_grace) == (600, 600)


def test_a_bad_value_leaves_its_default_and_is_told():
    """One slip must not take the other settings with it."""
    found = policy_of([setting("storage-over-provisioning-percentage", "lots"), setting("disk-schedule-aging", "2m")])
    assert (found.over_provisioning, found.aging) == (100, 120)
    assert [problem.setting for problem in found.problems] == ["storage-over-provisioning-percentage"]


def test_a_policy_knows_the_revisions_it_was_made_from():
    """A grant records them, so that anyone can check later what it rested on."""
    found = policy_of([setting("disk-schedule-limit", "longhorn", "41"), setting("default-replica-count", "3", "42")])
    assert found.revisions == {"disk-schedule-limit": "41"}
    assert found.limit is LimitPolicy.LONGHORN
