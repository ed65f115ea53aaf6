"""An ask is written under a test of what was seen, and only by whom it belongs to."""

import pytest

from holdfast.api import json_patch
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec
from holdfast.api.struct import Int64, encode, from_builtins, to_builtins
from holdfast.controllers.asks import Standing, ask, release, standing, withdraw
from holdfast.decide.tokens import Token
from holdfast.decide.values import AskKey, AskKind

REPLICA = AskKey(AskKind.REPLICA, "r1")
IMAGE = AskKey(AskKind.IMAGE, "b1")
EMPTY: dict[str, object] = {"replicas": {}, "backingImages": {}, "tokens": {}, "imageTokens": {}}


def holding(**spec):
    return DiskSchedule(spec=DiskScheduleSpec(**spec))


def after(schedule, patch):
    """The schedule as the server would leave it, whose maps are always there."""
    document = {"spec": EMPTY | to_builtins(schedule.spec)}
    return from_builtins(json_patch.apply(patch, document), DiskSchedule)


@pytest.mark.parametrize("key", [REPLICA, IMAGE])
def test_an_ask_sets_bytes_and_token_together(key):
    """D-13, D-29, D-30: one patch, so no reader sees bytes without the intent that they belong to."""
    token = Token("u1", 1, 0)

    asked = after(holding(), ask(holding(), key, 5, token))

    assert standing(asked, key) == Standing(5, "u1/1/0")


def test_a_size_that_travels_as_text_elsewhere_is_a_number_here():
    """Sizes of Replicas are strings on the wire; the API refuses one in the books."""
    patch = ask(holding(), REPLICA, Int64(10), Token("u", 1, 0))

    assert patch is not None
    assert encode([step["value"] for step in patch if step["op"] == "add"]) == b'[10,"u/1/0"]'


@pytest.mark.parametrize("key", [REPLICA, IMAGE])
def test_asking_for_nothing_removes_the_key(key):
    """D-75: the key is absent, not zero, for replicas and images alike."""
    token = Token("u1", 1, 0)
    asked = after(holding(), ask(holding(), key, 5, token))

    left = after(asked, ask(asked, key, 0, token))

    assert left.spec == DiskScheduleSpec()


def test_an_ask_that_stands_already_is_not_written_again():
    """Quiet means no writes."""
    schedule = holding(replicas={"r1": 5}, tokens={"r1": "u1/1/0"})

    assert ask(schedule, REPLICA, 5, Token("u1", 1, 0)) is None


@pytest.mark.parametrize(
    "seen",
    ["u1/2/0", "u1/1/1", "u2/1/0"],
    ids=["newer placement", "newer epoch", "another uid"],
)
def test_a_writer_that_is_behind_writes_nothing(seen):
    """A late writer must not overwrite, nor release, what a newer intent or another object asks for."""
    schedule = holding(replicas={"r1": 5}, tokens={"r1": seen})
    late = Token("u1", 1, 0)

    assert (ask(schedule, REPLICA, 9, late), release(schedule, REPLICA, late)) == (None, None)


def test_an_ask_without_a_token_may_be_taken_over():
    """What an older writer or a person asked for gets its token when its owner comes."""
    schedule = holding(replicas={"r1": 5})

    asked = after(schedule, ask(schedule, REPLICA, 5, Token("u1", 1, 0)))

    assert standing(asked, REPLICA) == Standing(5, "u1/1/0")


@pytest.mark.parametrize(
    "now",
    [
        holding(replicas={"r1": 5}, tokens={"r1": "u1/2/0"}),
        holding(replicas={"r1": 6}, tokens={"r1": "u1/1/0"}),
        holding(replicas={"r1": 5}),
        holding(),
    ],
    ids=["token changed", "bytes changed", "token lost", "gone"],
)
def test_a_withdrawal_fails_when_the_ask_has_changed(now):
    """D-02: a decision on what was seen never lands on what came after."""
    seen = holding(replicas={"r1": 5}, tokens={"r1": "u1/1/0"})

    with pytest.raises(json_patch.PatchFailed):
        after(now, withdraw(REPLICA, standing(seen, REPLICA)))


def test_a_first_ask_fails_when_somebody_asked_meanwhile():
    """D-02: two askers under one name: the second looks again."""
    patch = ask(holding(), REPLICA, 5, Token("u1", 1, 0))

    with pytest.raises(json_patch.PatchFailed):
        after(holding(replicas={"r1": 7}), patch)


def test_other_keys_do_not_stand_in_the_way():
    """Askers of one disk do not conflict with each other."""
    patch = ask(holding(), REPLICA, 5, Token("u1", 1, 0))

    asked = after(holding(replicas={"r2": 7}, tokens={"r2": "u2/1/0"}), patch)

    assert asked.spec.replicas == {"r1": 5, "r2": 7}


def test_names_are_escaped():
    """A name with a slash names a key, not a path."""
    odd = AskKey(AskKind.REPLICA, "a/b~c")

    asked = after(holding(), ask(holding(), odd, 5, Token("u1", 1, 0)))

    assert asked.spec.replicas == {"a/b~c": 5}


def test_nothing_is_withdrawn_where_nothing_stands():
    """An ask that went by itself costs no write."""
    assert withdraw(REPLICA, Standing(None, "")) is None


def test_an_empty_token_is_no_token_and_stands_in_nobodys_way():
    """A hand can write one. A test for its absence would fail for ever, and with it every writer of this key."""
    schedule = holding(replicas={"r1": 5}, tokens={"r1": ""})
    token = Token("u1", 1, 0)

    taken = after(schedule, ask(schedule, REPLICA, 5, token))
    withdrawn = after(schedule, withdraw(REPLICA, standing(schedule, REPLICA)))

    assert standing(taken, REPLICA) == Standing(5, "u1/1/0")
    assert (withdrawn.spec.replicas, withdrawn.spec.tokens) == ({}, {})
