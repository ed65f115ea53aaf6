"""Who hears of a change, and what."""

import pytest
from tests.support.informers import Ears, stored

from holdfast.api.longhorn import Setting
from holdfast.kube.cache import Cache, Change


@pytest.fixture
def cache():
    return Cache(Setting)


@pytest.fixture
def ears(cache):
    ears = Ears()
    cache.on_change(ears)
    return ears


def test_a_change_has_the_old_and_the_new_object(cache, ears):
    """Only with both can a reader see what changed."""
    cache.saw(stored("a", "1", revision=1))
    cache.saw(stored("a", "2", revision=2))
    cache.saw_gone(stored("a", "2", revision=3))

    assert ears == ["+a=1", "a=1>2", "-a=2"]


async def test_the_first_listing_is_told_as_additions(cache, ears):
    """A controller that hears only of later changes never works on what was there."""
    await cache.replace([stored("a", "1", revision=4), stored("b", "2", revision=3)], 5)

    assert ears == ["+a=1", "+b=2"]


def test_a_handler_that_comes_late_hears_of_what_is_there(cache, ears):
    """It must not matter who starts first."""
    cache.saw(stored("a", "1", revision=1))
    late = Ears()
    cache.on_change(late)
    cache.saw(stored("a", "2", revision=2))

    assert late == ears == ["+a=1", "a=1>2"]


def test_a_handler_that_raises_hurts_nobody_else():
    """One controller's mistake must not blind the others."""
    failures = []
    cache = Cache(Setting, on_failure=lambda: failures.append("failed"))

    def broken(_change: Change[Setting]) -> None:
        raise RuntimeError("broken handler")

    ears = Ears()
    cache.on_change(broken)
    cache.on_change(ears)
    cache.saw(stored("a", "1", revision=1))
    cache.saw(stored("a", "2", revision=2))

    assert ears == ["+a=1", "a=1>2"]
    assert failures == ["failed", "failed"]


def test_a_handler_may_leave(cache):
    """A controller that has stopped must not be kept alive by a cache."""
    ears = Ears()
    leave = cache.on_change(ears)
    cache.saw(stored("a", "1", revision=1))
    leave()
    cache.saw(stored("a", "2", revision=2))

    assert ears == ["+a=1"]


def test_an_object_made_anew_under_its_name_is_a_loss_and_a_gain(cache, ears):
    """What belonged to the old one (grants, finalizers) does not belong to the new one."""
    cache.saw(stored("a", "old", revision=1, uid="one"))
    cache.saw(stored("a", "new", revision=9, uid="two"))

    assert ears == ["+a=old", "-a=old", "+a=new"]


def test_what_is_told_twice_is_heard_once(cache, ears):
    """A replayed stream must be harmless."""
    for _ in range(2):
        cache.saw(stored("a", "1", revision=1))
        cache.saw(stored("a", "2", revision=2))
        cache.saw_gone(stored("a", "2", revision=3))
        cache.saw(stored("b", "1", revision=4))

    assert ears == ["+a=1", "a=1>2", "-a=2", "+b=1"]


async def test_synced_means_that_handlers_have_heard_everything(cache):
    """Whoever waits for it may rely on what handlers built."""
    heard_before_sync = []
    cache.on_change(lambda change: heard_before_sync.append((change.object.metadata.name, cache.synced)))
    await cache.replace([stored("a", revision=1), stored("b", revision=2)], 2)

    await cache.wait_synced()
    assert heard_before_sync == [("a", False), ("b", False)]


async def test_an_empty_listing_syncs_too(cache):
    """No objects of a kind is a state, not a reason to wait."""
    assert not cache.synced
    await cache.replace([], 1)

    assert cache.synced
