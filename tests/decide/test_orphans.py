"""Whether an ask still has somebody who wants it."""

import pytest
from tests.support.builders import backing_image, replica

from holdfast.decide.orphans import is_orphan, placement_of

HERE, ELSEWHERE = "uuid-here", "uuid-elsewhere"


def test_an_ask_whose_object_is_gone_is_an_orphan():
    """Its bytes would leak."""
    assert is_orphan("u/1/0", None, HERE)


@pytest.mark.parametrize("found", [replica("r", uid="other", on=HERE), backing_image("r")], ids=["replica", "image"])
def test_an_ask_of_another_uid_is_an_orphan(found):
    """A name that came back is another object: it inherits nothing, and frees nothing of its own."""
    assert is_orphan("u/1/0", found, HERE)


@pytest.mark.parametrize("asked, now, expected", [(1, 1, False), (1, 2, True), (2, 1, False)], ids=["same", "moved on", "copy is old"])
def test_a_placement_that_was_passed_is_dead_for_ever(asked, now, expected):
    """An older copy of the replica proves nothing; a newer placement does, wherever the replica is now."""
    assert is_orphan(f"u/{asked}/0", replica("r", uid="u", placement=now, on=HERE), HERE) is expected


def test_an_epoch_kills_nothing():
    """Expansions begin and end while a replica stays where it is."""
    assert not is_orphan("u/1/5", replica("r", uid="u", placement=1, on=HERE), HERE)


@pytest.mark.parametrize("place, expected", [("", False), (HERE, False), (ELSEWHERE, True)], ids=["nowhere", "here", "elsewhere"])
def test_an_ask_without_a_token_is_judged_by_the_place(place, expected):
    """An older writer's ask belongs to a replica that is here, or on its way here."""
    assert is_orphan("", replica("r", on=place), HERE) is expected


def test_an_image_is_known_by_its_uid_alone():
    """A copy that is on no disk yet may have been asked for already."""
    image = backing_image("b")

    assert not is_orphan(f"{image.metadata.uid}/1/0", image, HERE)


@pytest.mark.parametrize(
    "text", ["", "many", "-1", "1.5", "9" * 40, "\u0663"], ids=["none", "word", "negative", "broken", "huge", "arabic"]
)
def test_a_counter_that_cannot_be_read_counts_as_none(text):
    """Annotations are anybody's: nonsense in one must not free granted bytes."""
    found = replica("r", uid="u", on=HERE)
    found.metadata.annotations["holdfast.io/placement"] = text

    assert (placement_of(found), is_orphan("u/0/0", found, HERE)) == (0, False)
