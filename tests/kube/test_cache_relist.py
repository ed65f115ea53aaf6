"""What a whole listing does to a cache that knows something already."""

from tests.support.informers import Ears, stored

from holdfast.api.longhorn import Setting
from holdfast.kube.cache import Cache


async def _filled() -> tuple[Cache[Setting], Ears]:
    cache, ears = Cache(Setting, "longhorn-system"), Ears()
    await cache.replace([stored("stays", "1", revision=1), stored("moves", "1", revision=2), stored("goes", "1", revision=3)], 10)
    cache.on_change(ears)
    ears.clear()
    return cache, ears


async def test_a_listing_is_told_as_the_difference():
    """Deletions in a gap of the watch are lost for ever unless the listing tells them."""
    cache, ears = await _filled()
    await cache.replace([stored("stays", "1", revision=1), stored("moves", "2", revision=12), stored("comes", "1", revision=14)], 20)

    assert ears == ["moves=1>2", "+comes=1", "-goes=1"]


async def test_a_listing_corrects_the_indexes():
    """An index that still finds what is gone leads to work on ghosts."""
    cache, _ = await _filled()
    cache.index("name", lambda setting: [setting.metadata.name])
    await cache.replace([stored("stays", "1", revision=1)], 20)

    assert cache.by("name", "goes") == ()
    assert len(cache.by("name", "stays")) == 1


async def test_a_server_that_lost_its_past_is_believed():
    """After a restore from a backup revisions are lower; a cache that clings to the higher ones never sees the truth again."""
    cache, ears = await _filled()
    await cache.replace([stored("stays", "restored", revision=5, uid="another"), stored("moves", "older", revision=1)], 6)

    assert ears == ["-stays=1", "+stays=restored", "moves=1>older", "-goes=1"]
    cache.saw(stored("moves", "newer", revision=7))
    assert ears[-1] == "moves=older>newer"


async def test_events_from_before_a_listing_change_nothing():
    """A stream that repeats what the listing had must not undo it."""
    cache, ears = await _filled()
    cache.saw(stored("moves", "0", revision=1))
    cache.saw(stored("ghost", "0", revision=9))

    assert ears == []
