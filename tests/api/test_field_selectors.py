from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.api.selectors import FieldSelector

FIELDS = {"metadata.name": "n1", "metadata.namespace": "longhorn-system", "spec.text": "a,b=c\\d"}


def field(path: str) -> str:
    return FIELDS.get(path, "")


@pytest.mark.parametrize(
    "text, matches",
    [
        ("", True),
        (",", True),
        ("metadata.name=n1", True),
        ("metadata.name==n1", True),
        ("metadata.name!=n1", False),
        ("metadata.name=n2", False),
        ("metadata.name!=n2", True),
        ("metadata.name=n1,metadata.namespace=longhorn-system", True),
        ("metadata.name=n1,metadata.namespace!=longhorn-system", False),
        ("spec.nodeName=", True),
        ("spec.nodeName!=", False),
        ("metadata.name!=", True),
        (r"spec.text=a\,b\=c\\d", True),
        (r"spec.text!=a\,b\=c\\d", False),
    ],
)
def test_selects_as_kubernetes_does(text, matches):
    """Kubectl get --field-selector, and every watch of a single object."""
    assert FieldSelector.parse(text).matches(field) is matches


@pytest.mark.parametrize("text", ["metadata.name", "a=b=c", "a==b==c", "a===b", "a=b\\", r"a=b\n", r"a=\x", "a in (b)", "a!b", "a=b,c"])
def test_a_mistake_is_refused_not_guessed(text):
    """A selector that is half understood would list, or delete, too much."""
    with pytest.raises(ValueError, match="invalid field selector"):
        FieldSelector.parse(text)


def test_requirements_are_told_in_one_form():
    """The server must know which fields are asked for, to refuse those that it does not serve."""
    assert FieldSelector.parse(r"metadata.name==a,b!=c\,d").requirements == (("metadata.name", "=", "a"), ("b", "!=", "c,d"))


@given(st.text(max_size=8), st.text(max_size=8))
def test_an_escaped_value_selects_exactly_itself(value, other):
    """Any text can be asked for."""
    escaped = "".join("\\" + character if character in "\\,=" else character for character in value)

    selector = FieldSelector.parse(f"f={escaped},g!=x")

    assert selector.requirements == (("f", "=", value), ("g", "!=", "x"))
    assert selector.matches({"f": other, "g": ""}.__getitem__) is (value == other)


@given(st.text("ab=!,\\", max_size=12))
def test_any_text_is_a_selector_or_is_refused(text):
    """Selectors come from the query of a URL."""
    with suppress(ValueError):
        FieldSelector.parse(text).matches(field)
