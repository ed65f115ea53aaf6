"""Own writes are seen at once, and never bring back what is past."""

import pytest
from tests.support.informers import NAMESPACE, Ears, stored

from holdfast.api.longhorn import Setting
from holdfast.kube.cache import Cache
from holdfast.kube.keys import Key

KEY = Key(NAMESPACE, "a")


@pytest.fixture
def cache():
    return Cache(Setting, NAMESPACE)


@pytest.fixture
def ears(cache):
    ears = Ears()
    cache.on_change(ears)
    return ears


def test_the_event_of_an_own_write_is_not_told_again(cache, ears):
    """Handlers hear of one change once, whoever brings the news."""
    cache.wrote(stored("a", "mine", revision=5))
    cache.saw(stored("a", "mine", revision=5))

    assert ears == ["+a=mine"]


def test_an_event_from_before_an_own_write_does_not_undo_it(cache, ears):
    """A controller that sees its own write vanish decides a second time on old numbers."""
    cache.wrote(stored("a", "mine", revision=5))
    cache.saw(stored("a", "older", revision=4))

    assert cache.get("a").value == "mine"
    assert ears == ["+a=mine"]


def test_an_own_write_that_answers_late_does_not_undo_newer_news(cache, ears):
    """The watch may be faster than the answer."""
    cache.saw(stored("a", "theirs", revision=6))
    cache.wrote(stored("a", "mine", revision=5))

    assert ears == ["+a=theirs"]


def test_an_own_write_that_answers_late_does_not_bring_back_what_others_deleted(cache, ears):
    """No event would ever take it away again."""
    cache.saw(stored("a", "mine", revision=5))
    cache.saw_gone(stored("a", "mine", revision=6))
    cache.wrote(stored("a", "mine", revision=5))

    assert cache.get("a") is None
    assert ears == ["+a=mine", "-a=mine"]


def test_an_own_write_newer_than_a_listing_outlives_it(cache):
    """The listing was taken before the write; that it lacks the object means nothing."""
    cache.wrote(stored("a", "mine", revision=8))
    cache.saw(stored("b", revision=3))

    assert cache.get("a") is not None


async def test_a_listing_newer_than_an_own_write_decides(cache, ears):
    """What was written and deleted in a gap of the watch is gone."""
    cache.wrote(stored("a", "mine", revision=8))
    await cache.replace([], 9)

    assert ears == ["+a=mine", "-a=mine"]


async def test_an_own_write_before_the_first_listing_is_seen(cache, ears):
    """A process may write before its caches are full."""
    cache.wrote(stored("a", "mine", revision=8))
    await cache.replace([stored("a", "older", revision=3)], 7)

    assert cache.get("a").value == "mine"
    assert ears == ["+a=mine"]


def test_an_own_deletion_is_seen_at_once(cache, ears):
    """Whoever deleted it must not find it."""
    cache.saw(stored("a", "1", revision=5, uid="one"))
    cache.deleted(KEY, "one")

    assert cache.get("a") is None
    assert ears == ["+a=1", "-a=1"]


def test_an_event_from_before_an_own_deletion_does_not_bring_the_object_back(cache, ears):
    """A lagging watch tells of changes to what we deleted since."""
    cache.saw(stored("a", "1", revision=5, uid="one"))
    cache.deleted(KEY, "one")
    cache.saw(stored("a", "2", revision=6, uid="one"))
    cache.wrote(stored("a", "3", revision=7, uid="one"))
    cache.saw_gone(stored("a", "3", revision=8, uid="one"))

    assert ears == ["+a=1", "-a=1"]


def test_an_object_that_the_watch_has_yet_to_tell_of_stays_away_once_deleted(cache, ears):
    """Made and deleted faster than the watch: nobody should hear that it came."""
    cache.deleted(KEY, "one")
    cache.saw(stored("a", "1", revision=5, uid="one"))

    assert ears == []


def test_an_object_made_anew_after_an_own_deletion_is_welcome(cache, ears):
    """The tombstone is for the uid, not for the name."""
    cache.saw(stored("a", "1", revision=5, uid="one"))
    cache.deleted(KEY, "one")
    cache.wrote(stored("a", "2", revision=9, uid="two"))
    cache.saw_gone(stored("a", "1", revision=8, uid="one"))
    cache.saw(stored("a", "2", revision=9, uid="two"))

    assert cache.get("a").metadata.uid == "two"
    assert ears == ["+a=1", "-a=1", "+a=2"]


def test_a_deletion_of_another_uid_takes_nothing(cache):
    """The object under that name may be a new one by now."""
    cache.saw(stored("a", "new", revision=9, uid="two"))
    cache.deleted(KEY, "one")

    assert cache.get("a").value == "new"


def test_a_deletion_without_a_uid_waits_for_the_watch(cache):
    """We can not tell which object it was."""
    cache.saw(stored("a", "1", revision=5))
    cache.deleted(KEY, "")

    assert cache.get("a") is not None


async def test_a_listing_from_before_an_own_deletion_does_not_bring_the_object_back(cache, ears):
    """A listing takes seconds; a deletion may overtake it."""
    cache.saw(stored("a", "1", revision=5, uid="one"))
    cache.listing_begins()
    cache.deleted(KEY, "one")
    await cache.replace([stored("a", "1", revision=5, uid="one")], 6)

    assert cache.get("a") is None
    assert ears == ["+a=1", "-a=1"]


def test_marks_that_were_on_their_way_do_not_end_a_tombstone(cache, ears):
    """A watch that lags tells of the time before our deletion long after it; any number of bookmarks may be in that."""
    cache.wrote(stored("a", "1", revision=5, uid="one"))
    cache.deleted(KEY, "one")
    cache.passed(3)
    cache.passed(4)
    cache.saw(stored("a", "1", revision=5, uid="one"))
    cache.saw_gone(stored("a", revision=6, uid="one"))

    assert ears == ["+a=1", "-a=1"]


async def test_tombstones_do_not_pile_up(cache):
    """A process that deletes for years must not remember every uid."""
    cache.saw(stored("a", revision=5, uid="one"))
    cache.deleted(KEY, "one")
    cache.saw_gone(stored("a", revision=6, uid="one"))
    assert not cache._tombstones

    cache.saw_gone(stored("a", revision=7, uid="told already"))
    cache.deleted(KEY, "told already")
    assert not cache._tombstones | cache._fading
    for revision in range(10, 5000):
        cache.saw_gone(stored("b", revision=revision, uid=f"another {revision}"))
    assert len(cache._told_gone) < 2000

    cache.deleted(KEY, "listed without")
    cache.listing_begins()
    await cache.replace([], 5001)
    assert not cache._tombstones | cache._fading


def test_an_event_about_what_an_own_write_has_replaced_is_past(cache, ears):
    """Made, deleted and made anew before the watch has told: the first one must not come back when the second one is gone."""
    cache.saw(stored("a", "1", revision=5, uid="one"))
    cache.wrote(stored("a", "2", revision=9, uid="two"))
    cache.deleted(KEY, "two")
    cache.saw(stored("a", "1", revision=6, uid="one"))
    cache.saw_gone(stored("a", "1", revision=7, uid="one"))

    assert ears == ["+a=1", "-a=1", "+a=2", "-a=2"]
