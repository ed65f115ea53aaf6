"""A cache holds what there is, and costs little."""

import gc

from tests.support.informers import stored

from holdfast.api.longhorn import Setting
from holdfast.api.struct import decode, encode
from holdfast.kube.cache import Cache


async def test_a_cache_keeps_ten_thousand_and_one_objects():
    """A cache with a bound forgets the oldest silently, and its readers act on that."""
    cache = Cache(Setting)
    await cache.replace([stored(f"s{n}", revision=n) for n in range(1, 10_002)], 10_001)

    assert len(cache) == len(cache.all()) == len(cache.all_keys()) == 10_001
    assert cache.get("s1", "longhorn-system") is not None


async def test_thousands_of_objects_do_not_burden_the_collector():
    """What the collector tracks it walks over, and a half-second pause breaks every promise of low latency."""
    objects = [decode(encode(stored(f"s{n}", f"v{n % 10}", revision=n)), Setting) for n in range(1, 5_001)]
    cache = Cache(Setting)
    cache.index("value", lambda setting: [setting.value])
    gc.collect()
    before = len(gc.get_objects())
    await cache.replace(objects, 5_000)
    gc.collect()

    assert len(gc.get_objects()) - before < 500
