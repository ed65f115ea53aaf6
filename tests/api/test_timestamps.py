import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.api.timestamps import micro_timestamp, seconds_of, timestamp

_YEAR_9999 = 253_402_300_799


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("1970-01-01T00:00:00Z", 0.0),
        ("2006-01-02T15:04:05Z", 1136214245.0),
        ("2006-01-02T15:04:05.5Z", 1136214245.5),
        ("2006-01-02T15:04:05.000001Z", 1136214245.000001),
        ("2006-01-02T15:04:05.123456789Z", 1136214245.123456),
        ("2006-01-02T16:04:05+01:00", 1136214245.0),
        ("2006-01-02T08:04:05-07:00", 1136214245.0),
    ],
)
def test_times_are_read_in_every_form_that_go_writes(text, seconds):
    """Objects have seconds, leases and events microseconds, and some writers their own time zone."""
    assert seconds_of(text) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0001-01-01T00:00:00Z",
        "never",
        "2006-01-02",
        "2006-01-02T15:04:05",
        "2006-01-02 15:04:05Z",
        "20060102T150405Z",
        "2006-13-02T15:04:05Z",
        "2006-01-02T25:04:05Z",
        "2006-01-02T15:04:05+99:00",
        "2006-W01-1T15:04:05Z",
        " 2006-01-02T15:04:05Z",
        "2006-01-02T15:04:05Z\n",
        "\u0662006-01-02T15:04:05Z",
    ],
)
def test_what_is_no_time_is_none(text):
    """Go's unset time and a typing error are both no time at which anything happened."""
    assert seconds_of(text) is None


@given(st.integers(0, _YEAR_9999))
def test_seconds_go_there_and_back(seconds):
    """Orders of age are kept in these texts."""
    assert seconds_of(timestamp(seconds)) == seconds
    assert len(timestamp(seconds)) == len("2006-01-02T15:04:05Z")


@given(st.integers(0, 4_000_000_000 * 10**6))
def test_microseconds_go_there_and_back(microseconds):
    """A lease that lost its microseconds could not be told from the renewal before."""
    seconds = seconds_of(micro_timestamp(microseconds / 10**6))

    assert seconds is not None
    assert round(seconds * 10**6) == microseconds


def test_a_fraction_is_dropped_not_rounded():
    """A time must not lie in the future."""
    assert timestamp(1136214245.999) == "2006-01-02T15:04:05Z"
    assert micro_timestamp(1136214245) == "2006-01-02T15:04:05.000000Z"


@given(
    st.text(max_size=30) | st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})", fullmatch=True)
)
def test_any_text_is_a_time_or_none(text):
    """Times are read from annotations and status that anybody may have written."""
    assert seconds_of(text) is None or isinstance(seconds_of(text), float)
