"""Each witness of caches and of own writes catches a lie, and is content with the truth."""

from typing import Any

from tests.support.virtual_loop import virtual
from tests.support.witnesses import Shown, Told, origin, stored

from holdfast.api.core import ConfigMap
from holdfast.api.meta import Object
from holdfast.kube.cache import Cache, Change
from holdfast.simulation.runtime_hands import Hands
from holdfast.simulation.runtime_history import History
from holdfast.simulation.runtime_mirror import Mirror
from holdfast.simulation.world import NAMESPACE


def heard(history: History, *changes: tuple[Any, Any]) -> list[str]:
    """What a mirror says of a cache that tells these changes and shows them."""
    told, shown = Told(), Shown()
    mirror = Mirror("p1", shown, history, told)
    for old, new in changes:
        shown.objects[(new or old).metadata.name] = new
        mirror.hears(Change(old, new))
    return told.promises


def test_a_true_cache_is_left_in_peace():
    """A witness that cries for nothing is switched off before long."""
    one, two, anew = origin(1), origin(2), origin(4, uid="two")
    history = stored(one, two, anew, gone=(origin(3),))
    assert heard(history, (None, one), (one, two), (two, None), (None, anew)) == []


def test_a_cache_that_goes_back_is_seen():
    """A decision on what was replaced already is how promises are broken."""
    assert heard(stored(origin(1), origin(2)), (None, origin(2)), (origin(2), origin(1))) == ["a cache never goes back"]


def test_a_change_told_twice_is_seen():
    """Whoever counts by handlers counts wrong then."""
    assert heard(stored(origin(1)), (None, origin(1)), (None, origin(1)))[0] == "handlers hear every change once"


def test_a_gap_between_two_changes_is_seen():
    """An old object that was never told makes handlers undo what they never did."""
    history = stored(origin(1), origin(2), origin(3))
    assert heard(history, (None, origin(1)), (origin(2), origin(3))) == ["handlers hear every change once"]


def test_an_object_that_comes_back_from_the_dead_is_seen():
    """Its name is somebody else's by now."""
    history = stored(origin(1), origin(2), gone=(origin(3),))
    assert heard(history, (None, origin(1)), (origin(1), None), (None, origin(2))) == ["a deleted object stays away"]


def test_another_object_under_the_same_name_is_no_change():
    """What belongs to a uid must hear that the uid is gone."""
    history = stored(origin(1), origin(3, uid="two"), gone=(origin(2),))
    assert heard(history, (None, origin(1)), (origin(1), origin(3, uid="two"))) == ["an object made anew is another one"]


def test_a_version_that_never_was_is_seen():
    """A cache may be late; it may not make things up."""
    assert heard(stored(origin(1)), (None, origin(7))) == ["a cache shows what was stored"]


def test_a_handler_that_is_told_other_than_shown_is_seen():
    """Rounds read the cache when a handler wakes them."""
    told, shown = Told(), Shown()
    Mirror("p1", shown, stored(origin(1)), told).hears(Change(None, origin(1)))
    assert told.promises == ["handlers hear what the cache shows"]


def test_an_index_that_lags_behind_is_seen():
    """A controller counts by an index."""
    told, shown = Told(), Shown()
    mirror = Mirror("p1", shown, stored(origin(1)), told)
    mirror.indexes["group"] = lambda obj: obj.metadata.labels.values()
    shown.objects["o1"] = origin(1)
    mirror.hears(Change(None, shown.objects["o1"]))
    assert told.promises == ["an index shows what the cache holds"]


def test_a_missing_and_a_leftover_object_are_seen_at_rest():
    """Nothing will ever tell of them any more."""
    told, shown = Told(), Shown()
    shown.objects["o2"] = origin(2, name="o2", uid="two")
    mirror = Mirror("p1", shown, stored(origin(1), origin(2, name="o2", uid="two"), gone=(origin(3, name="o2", uid="two"),)), told)
    mirror.held["", "o2"] = shown.objects["o2"]
    mirror.at_rest(ConfigMap)
    assert told.promises.count("at rest a cache is the store") == 2


def test_a_real_cache_passes():
    """The witness and the cache have to speak of the same thing."""
    told, cache = Told(), Cache(ConfigMap, NAMESPACE)
    cache.index("group", lambda obj: obj.metadata.labels.values())
    mirror = Mirror("p1", cache, stored(origin(1), origin(2, group="b")), told)
    mirror.indexes["group"] = lambda obj: obj.metadata.labels.values()
    cache.on_change(mirror.hears)
    cache.saw(origin(1))
    cache.saw(origin(2, group="b"))
    mirror.at_rest(ConfigMap)
    assert told.promises == []


# ---- own writes --------------------------------------------------------------------------------------------------------------


class Writes:
    """A client whose every write is answered with the same object."""

    def __init__(self, answer: Object) -> None:
        self._answer = answer

    async def create(self, _obj: Object) -> Object:
        return self._answer

    async def delete(self, *_names: Any, **_conditions: Any) -> None:
        return


@virtual
async def test_a_program_that_does_not_see_its_own_write_is_seen():
    """It would do the same again."""
    told, shown = Told(), Shown()
    shown.objects["o1"] = origin(1)
    hands = Hands("p1", Writes(origin(2)), lambda _: [shown], stored(origin(1)), told)  # type: ignore[arg-type]  # a stand-in
    await hands.create(origin(2))
    await hands.delete(origin(1))
    assert told.promises == ["a program reads what it wrote"] * 2


@virtual
async def test_a_write_that_somebody_has_undone_need_not_be_shown():
    """The watch may be faster than the answer: what is shown is newer, and must stay."""
    told = Told()
    gone = stored(origin(2), gone=(origin(3),))
    await Hands("p1", Writes(origin(2)), lambda _: [Shown()], gone, told).create(origin(2))  # type: ignore[arg-type]  # as above
    assert told.promises == []
