"""Patterns are written for Go: those that mean something else in Python must not."""

import pytest

from holdfast.embedded.schema.patterns import BadPattern, compiled


@pytest.mark.parametrize(
    "pattern,text,fits",
    [
        ("^a$", "a", True),
        ("^a$", "a\n", False),
        (r"^a\z", "a", True),
        (r"\d", "٣", False),
        (r"^\w+$", "é", False),
        ("[[:alpha:]]+[[:digit:]]", "ab1", True),
        ("^[[:^x]$", ":", True),
        ("[]a]", "]", True),
        ("[$]", "$", True),
        (r"\$", "$", True),
    ],
)
def test_a_pattern_fits_what_it_fits_in_go(pattern, text, fits):
    """A trailing newline or a foreign digit that slips through here would be refused by a cluster."""
    assert (compiled(pattern).search(text) is not None) is fits


@pytest.mark.parametrize("pattern", ["(?=a)", "(?!a)", "(?<=a)b", r"(a)\1", "(", "[a", "*a", r"a\Z", "(?P=x)"])
def test_what_go_does_not_know_is_refused(pattern):
    """A definition with such a pattern would be refused by a cluster."""
    with pytest.raises(BadPattern, match="error parsing regexp"):
        compiled(pattern)
