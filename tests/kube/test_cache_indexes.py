"""Named views of a cache."""

from collections.abc import Iterable

import pytest
from tests.support.informers import stored

from holdfast.api.longhorn import Setting
from holdfast.kube.cache import Cache


def _words(setting: Setting) -> Iterable[str]:
    return setting.value.split()


def _names(found: Iterable[Setting]) -> list[str]:
    return sorted(setting.metadata.name for setting in found)


@pytest.fixture
def cache():
    cache = Cache(Setting)
    cache.index("word", _words)
    return cache


def test_an_object_is_found_under_each_of_its_values(cache):
    """A pod has many claims; an index that takes one value only would lose the others."""
    cache.saw(stored("a", "red green", revision=1))
    cache.saw(stored("b", "green", revision=2))

    assert _names(cache.by("word", "green")) == ["a", "b"]
    assert _names(cache.by("word", "red")) == ["a"]
    assert cache.by("word", "blue") == ()


def test_a_change_moves_the_object_to_its_new_values(cache):
    """Who looks under the old value must not find what has left."""
    cache.saw(stored("a", "red green", revision=1))
    cache.saw(stored("a", "green blue", revision=2))

    assert cache.by("word", "red") == ()
    assert _names(cache.by("word", "blue")) == ["a"]
    assert [found.metadata.resource_version for found in cache.by("word", "green")] == ["2"]


def test_a_deleted_object_leaves_no_trace_in_any_index(cache):
    """Else values pile up for as long as the process lives."""
    cache.saw(stored("a", "red green", revision=1))
    cache.saw_gone(stored("a", "red green", revision=2))

    assert cache.by("word", "red") == cache.by("word", "green") == ()
    assert not cache._indexes["word"]._filed


def test_an_index_named_late_knows_what_was_there_before(cache):
    """Controllers name their indexes when they start, whatever the cache holds by then."""
    cache.saw(stored("a", "red", revision=1))
    cache.index("name", lambda setting: [setting.metadata.name])

    assert _names(cache.by("name", "a")) == ["a"]


def test_a_value_said_twice_counts_once(cache):
    """Two disks of one node on one claim are still one node."""
    cache.saw(stored("a", "red red", revision=1))
    cache.saw(stored("a", "red", revision=2))
    cache.saw_gone(stored("a", revision=3))

    assert cache.by("word", "red") == ()


def test_an_index_function_that_raises_hides_one_object_only():
    """One odd object must not stop the watch of a kind."""
    failures = []
    cache = Cache(Setting, on_failure=lambda: failures.append("failed"))
    cache.index("number", lambda setting: [str(int(setting.value))])

    cache.saw(stored("odd", "not a number", revision=1))
    cache.saw(stored("even", "2", revision=2))

    assert _names(cache.by("number", "2")) == ["even"]
    assert _names(cache.all()) == ["even", "odd"]
    assert failures == ["failed"]


def test_an_index_name_is_taken_once(cache):
    """Two meanings under one name would answer one of them wrongly."""
    with pytest.raises(ValueError, match="index 'word' already"):
        cache.index("word", _words)


def test_an_unknown_index_is_a_mistake(cache):
    """An empty answer would look like "there are none"."""
    with pytest.raises(KeyError):
        cache.by("wrod", "red")
