"""Which keys a change wakes."""

from typing import ClassVar

from tests.support.controllers import Manager, Scribe, running
from tests.support.informers import NAMESPACE, setting, stored
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import turns, until, virtual, virtual_process

from holdfast.api.core import Node
from holdfast.api.longhorn import Setting
from holdfast.api.meta import ObjectMeta
from holdfast.kube.cache import Change
from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.kube.controller import keys_of, same_object, sees_both
from holdfast.kube.keys import Key


def _points_to(name: str) -> Node:
    return Node(metadata=ObjectMeta(name="n1", labels={"points-to": name}))


def _target(_caches, change):
    return [Key(NAMESPACE, change.object.metadata.labels["points-to"])]


class _Follower(Scribe):
    """Looks at the setting that a node points to."""

    reacts_to: ClassVar = {Setting: same_object, Node: _target}


@sees_both
def _when_it_moves(_caches, change):
    if change.old is not None and change.new is not None:
        return [Key(NAMESPACE, f"{change.old.metadata.labels['points-to']}-to-{change.new.metadata.labels['points-to']}")]
    return []


class _Comparer(Scribe):
    """Looks at both sides of a change by itself."""

    reacts_to: ClassVar = {Node: _when_it_moves}


@virtual
async def test_a_change_of_another_kind_wakes_what_it_concerns():
    """What a decision rests on lies in other objects."""
    api = ScriptedApi()
    api.has(setting("a", "1"), setting("b", "1"))
    api.has(_points_to("a"))
    manager = Manager(api)
    follower = _Follower(manager.runtime)
    async with running(manager, [follower]):
        await until(lambda: len(follower.rounds) == 2)
        api.loses(Node, "n1")
        await until(lambda: follower.rounds[2:] == ["a=1"])


@virtual
async def test_a_pointer_that_moves_wakes_both_ends():
    """The end that was left has news too: what was counted there is free."""
    api = ScriptedApi()
    api.has(setting("a", "1"), setting("b", "1"))
    api.has(_points_to("a"))
    manager = Manager(api)
    follower = _Follower(manager.runtime)
    async with running(manager, [follower]):
        await until(lambda: len(follower.rounds) == 2)
        api.has(_points_to("b"))
        await until(lambda: sorted(follower.rounds[2:]) == ["a=1", "b=1"])


@virtual
async def test_a_mapper_that_sees_both_is_asked_once():
    """It compares by itself; the old object as a loss would only mislead it."""
    api = ScriptedApi()
    api.has(_points_to("a"))
    manager = Manager(api)
    comparer = _Comparer(manager.runtime)
    async with running(manager, [comparer]):
        await until(lambda: bool(manager.runtime.caches.of(Node).all()))
        api.has(_points_to("b"))
        await until(lambda: comparer.gone == ["a-to-b"])


@virtual
async def test_its_own_kind_wakes_a_controller_that_names_only_others():
    """Nobody forgets to list the obvious twice."""
    api = ScriptedApi()
    manager = Manager(api)
    comparer = _Comparer(manager.runtime)
    async with running(manager, [comparer]):
        api.has(setting("a", "1"))
        await until(lambda: comparer.rounds == ["a=1"])


@virtual
async def test_a_mapper_that_raises_stops_nobody():
    """The mistake of one controller must not blind another one on the same kind."""

    class Broken(Scribe):
        reacts_to: ClassVar = {Node: lambda _caches, change: change.object.metadata.labels["no such label"]}

    api = ScriptedApi()
    api.has(setting("a", "1"))
    api.has(_points_to("a"))
    manager = Manager(api)
    broken, follower = Broken(manager.runtime), _Follower(manager.runtime)
    async with running(manager, [broken, follower]):
        await until(lambda: broken.rounds == follower.rounds == ["a=1"])
        await turns()
    assert manager.counted("holdfast_cache_handler_failures_total", kind="nodes") == 1


def test_keys_keep_the_mappers_order_and_come_once():
    """A simulation must run the same way twice, and a set's order differs from run to run."""
    names = [f"k{n}" for n in (5, 3, 9, 3, 1)]
    changed = Change(stored("a", revision=1), stored("a", revision=2))
    process = virtual_process()
    caches = Caches(Client(ScriptedApi().transport(), process), process, namespace=NAMESPACE)

    assert [key.name for key in keys_of(lambda _caches, _change: [Key(NAMESPACE, name) for name in names], caches, changed)] == [
        "k5",
        "k3",
        "k9",
        "k1",
    ]
