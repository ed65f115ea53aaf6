from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.api.selectors import LabelSelector, check_label_key, check_label_value

LABELS = {"app": "web", "tier": "", "example.com/zone": "a", "generation": "12", "in": "notin", "large": "9223372036854775808"}


@pytest.mark.parametrize(
    "text, matches",
    [
        ("", True),
        ("  ", True),
        ("app", True),
        ("missing", False),
        ("!app", False),
        ("!missing", True),
        ("! missing", True),
        ("app=web", True),
        ("app==web", True),
        ("app = web", True),
        ("app=db", False),
        ("missing=web", False),
        ("app=", False),
        ("tier=", True),
        ("tier==", True),
        ("tier=,app=web", True),
        ("missing=", False),
        ("app!=web", False),
        ("app!=db", True),
        ("missing!=web", True),
        ("app in (web)", True),
        ("app in (db, web)", True),
        ("app in(web)", True),
        ("app in (db)", False),
        ("missing in (web)", False),
        ("tier in (,x)", True),
        ("tier in (x,)", True),
        ("tier in (x,,y)", True),
        ("app in (x,,y)", False),
        ("app notin (web)", False),
        ("app notin (db)", True),
        ("missing notin (web)", True),
        ("generation>11", True),
        ("generation > 12", False),
        ("generation<13", True),
        ("generation<12", False),
        ("generation<9223372036854775807", True),
        ("large<9223372036854775807", False),
        ("large>1", False),
        ("app>1", False),
        ("missing<1", False),
        ("example.com/zone in (a,b),app,!missing", True),
        ("example.com/zone in (a,b),app,!tier", False),
        ("in=notin", True),
        ("in in (in, notin)", True),
        ("\tapp\n=\rweb ", True),
    ],
)
def test_selects_as_kubernetes_does(text, matches):
    """A selector that selects more on one server than on another deletes the wrong objects."""
    assert LabelSelector.parse(text).matches(LABELS) is matches


@pytest.mark.parametrize(
    "text",
    [
        ",", "app,", ",app", "app,,tier", "app web", "=web", "!", "!!app", "!app=web", "app=web=x", "app===web", "app=(web)",
        "app in", "app in web", "app in (web", "app in web)", "app in (web) tier", "app in ((web))",
        "app in (web db)", "app in (!web)", "app>", "app>x", "app>1.5", "app<-13", "app>9223372036854775808", "app>=1", "app<>1",
        "(app)", "app exists", "-app", "app-=x", "a/b/c", "/app", "app/", "Example.com/app", "exa_mple.com/app", "ex..com/app",
        "app=-web", "app=web-", "app=a/b", "app=\u00e9", "\u00e9", "app in (web,-)", "a" * 64, "app=" + "a" * 64,
        "a" * 254 + "/b", "app\x00", "app=we\x00b",
    ],
)  # fmt: skip
def test_a_mistake_is_refused_not_guessed(text):
    """A selector that is half understood would list, or delete, too much."""
    with pytest.raises(ValueError, match="unable to parse the label selector"):
        LabelSelector.parse(text)


@pytest.mark.parametrize(
    "text", ["a" * 63, "a" * 249 + ".com/" + "b" * 63, "a", "a.b-c_D", "1", "app=" + "a" * 63, "a-b.c/d", "example.com/A.b_c"]
)
def test_the_longest_and_shortest_labels_are_fine(text):
    """Bounds belong to what is allowed."""
    assert LabelSelector.parse(text).requirements


@pytest.mark.parametrize("key", ["", "-", "a/", "/a", "a/b/c", "a\n", "A/b", "a" * 64])
def test_a_key_that_no_label_can_have_is_told(key):
    """The server checks labels of objects by the same rule."""
    with pytest.raises(ValueError, match="invalid label key"):
        check_label_key(key)


@pytest.mark.parametrize("value", ["-", "a b", "a/b", "a\n", ".a", "a" * 64])
def test_a_value_that_no_label_can_have_is_told(value):
    """The server checks labels of objects by the same rule."""
    with pytest.raises(ValueError, match="invalid label value"):
        check_label_value(value)


def test_an_empty_value_is_a_value():
    """Kubectl label node n1 role="" is common."""
    check_label_value("")
    check_label_key("node-role.kubernetes.io/worker")


_WORDS = st.sampled_from(["a", "b", "c", "in", "notin"])
_VALUES = st.sampled_from(["", "x", "y", "1", "2"])


@given(st.dictionaries(_WORDS, _VALUES), _WORDS, st.lists(_VALUES, min_size=1, max_size=3))
def test_each_operator_has_its_opposite(labels, key, values):
    """What one selects the other leaves: a watch with one and a list with the other miss nothing."""
    listed = ",".join(values)
    pairs = [
        (f"{key}={values[0]}", f"{key}!={values[0]}"),
        (f"{key} in ({listed},)", f"{key} notin ({listed},)"),
        (key, f"!{key}"),
    ]

    for one, other in pairs:
        assert LabelSelector.parse(one).matches(labels) is not LabelSelector.parse(other).matches(labels)


@given(st.text(max_size=12) | st.text("ab=!<>(), in", max_size=20))
def test_any_text_is_a_selector_or_is_refused(text):
    """Selectors come from the query of a URL."""
    with suppress(ValueError):
        LabelSelector.parse(text).matches(LABELS)
