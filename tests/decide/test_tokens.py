"""Tokens: which intent an ask belongs to, and who may go on with whose grant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.situations import patient

from holdfast.decide.tokens import Token, inherits

tokens = st.builds(Token, st.sampled_from(["u", "v"]), st.integers(0, 3), st.integers(0, 3))


@patient
@given(tokens)
def test_a_token_is_read_as_it_is_written(token):
    """It travels as text through objects that other writers keep."""
    assert Token.parse(str(token)) == token


@patient
@given(st.text())
def test_any_text_is_some_token(text):
    """Hand-written tokens must not stop the ledger; equal texts stay equal."""
    assert Token.parse(text) == Token.parse(text)


@pytest.mark.parametrize("text", ["u/1", "u/x/1", "u/-1/0", "u/1/2/3", "u/٣/1", "u/1/" + "9" * 40, "/1/2"])
def test_a_text_that_is_no_token_fences_as_an_unknown_uid(text):
    """Counters that can not be read must not pass for high ones."""
    assert Token.parse(text) == Token(text, 0, 0)


def test_no_token_is_the_lowest():
    """An older writer's ask gives way to any that knows its object."""
    assert Token("u").is_newer_than(Token())
    assert not Token().is_newer_than(Token("u"))
    assert not Token().is_newer_than(Token())
    assert str(Token()) == ""


@pytest.mark.parametrize("newer, older", [(Token("u", 2, 0), Token("u", 1, 0)), (Token("u", 1, 5), Token("u", 1, 4))])
def test_counters_order_the_tokens_of_one_uid(newer, older):
    """A writer whose caches are behind must see that it is."""
    assert newer.is_newer_than(older)
    assert not older.is_newer_than(newer)


def test_of_two_uids_neither_is_newer():
    """Which of two objects of one name lives is for the sweep to find out, not for counters."""
    assert not Token("u", 9, 9).is_newer_than(Token("v", 0, 0))
    assert not Token("v", 0, 0).is_newer_than(Token("u", 9, 9))


def test_another_uid_inherits_nothing():
    """A new object of an old name must not take the dead one's bytes for its own."""
    assert not inherits("u/1/0", "v/1/0")
    assert inherits("u/1/0", "u/2/3")


def test_a_grant_goes_on_when_a_token_is_added_or_lost():
    """Its bytes may be in use: who names no uid is not another one."""
    assert inherits("", "u/1/0")
    assert inherits("u/1/0", "")
