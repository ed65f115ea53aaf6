"""The order of a start, and what is left after the end: nothing."""

import asyncio
from collections.abc import Callable

import pytest
from tests.support.controllers import Manager, Scribe, running
from tests.support.informers import NAMESPACE, setting
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import turns, until, virtual

from holdfast.api.core import Node
from holdfast.api.longhorn import Setting
from holdfast.api.wire import Unreachable
from holdfast.kube.caches import Caches
from holdfast.kube.keys import Key
from holdfast.process import Tasks

Told = Callable[[], None]


class Shares:
    """An ownership that a test decides."""

    def __init__(self) -> None:
        self.mine: set[str] = set()
        self.handlers: list[Told] = []

    def owns(self, key: Key) -> bool:
        return key.name in self.mine

    def on_change(self, handler):
        self.handlers.append(handler)
        return lambda: self.handlers.remove(handler)

    async def run(self) -> None:
        """Nobody comes and nobody goes by himself."""

    def becomes(self, *names: str) -> None:
        self.mine = set(names)
        for handler in self.handlers:
            handler()


@virtual
async def test_no_round_runs_before_every_cache_is_full():
    """A decision on half of the world gives away what the other half holds."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    gate = asyncio.Event()

    async def hold_nodes(request):
        if request.path == "/api/v1/nodes":
            await gate.wait()

    api.before = hold_nodes
    manager = Manager(api)
    scribe = Scribe(manager.runtime)
    manager.runtime.caches.of(Node)
    async with Tasks() as tasks:
        tasks.spawn(manager.runtime.run([scribe]), name="runtime")
        await manager.runtime.caches.of(Setting).wait_synced()
        await turns(100)
        assert scribe.rounds == []
        gate.set()
        await until(lambda: scribe.rounds == ["a=1"])


@virtual
async def test_a_key_of_somebody_else_is_left_alone_until_it_is_ours():
    """Managers share the work; when one dies, another must take up what it left."""
    api = ScriptedApi()
    api.has(setting("a", "1"), setting("b", "1"))
    shares = Shares()
    shares.mine = {"a"}
    manager = Manager(api, ownership=lambda _caches: shares)
    scribe = Scribe(manager.runtime)
    async with running(manager, [scribe]):
        await until(lambda: scribe.rounds == ["a=1"])
        await asyncio.sleep(10)
        assert scribe.rounds == ["a=1"]
        shares.becomes("b")
        await until(lambda: scribe.rounds == ["a=1", "b=1"])
    assert shares.handlers == []


@virtual
async def test_the_end_leaves_nothing_behind():
    """A task, a watch or a handler that outlives its runtime works against the next one."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    manager = Manager(api)

    async def act(_obj):
        await asyncio.sleep(1000)

    scribe = Scribe(manager.runtime, act)
    async with running(manager, [scribe]):
        await until(lambda: bool(scribe.rounds))
    await turns()

    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert api.watches == []
    assert not manager.client.written
    assert not manager.client.deleted
    assert manager.runtime.caches.of(Setting)._handlers == ()


@virtual
async def test_a_runtime_ends_by_cancellation_only():
    """A server that is away is no reason to stop; a supervisor would only start the same again."""
    api = ScriptedApi()
    api.failures.extend(Unreachable("refused") for _ in range(100))
    manager = Manager(api)
    async with Tasks() as tasks:
        run = tasks.spawn(manager.runtime.run([Scribe(manager.runtime)]), name="runtime")
        await asyncio.sleep(100)
        assert not run.done()
        run.cancel()
        await asyncio.wait([run])
        assert run.cancelled()


@virtual
async def test_a_runtime_can_run_again():
    """A plane may restart its controllers without a new process."""
    api = ScriptedApi()
    manager = Manager(api)
    first, second = Scribe(manager.runtime), Scribe(manager.runtime)
    async with running(manager, [first]):
        await turns()
    async with running(manager, [second]):
        api.has(setting("a", "1"))
        await until(lambda: second.rounds == ["a=1"])
    assert first.rounds == []


@virtual
async def test_memory_can_be_settled_once_the_caches_are_full():
    """What a cache holds for good need not be walked over by the collector at every round."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    settled: list[list[str]] = []
    scribes: list[Scribe] = []
    manager = Manager(api, after_sync=lambda: settled.append(list(scribes[0].rounds)))
    scribes.append(Scribe(manager.runtime))
    async with running(manager, scribes):
        await until(lambda: bool(scribes[0].rounds))

    assert settled == [[]]


@pytest.mark.parametrize("count", [1, 3])
@virtual
async def test_controllers_of_one_runtime_share_their_caches(count):
    """One stream per kind, however many controllers look at it."""
    api = ScriptedApi()
    manager = Manager(api)
    scribes = [Scribe(manager.runtime) for _ in range(count)]
    async with running(manager, scribes):
        await until(lambda: bool(api.watches))
        assert isinstance(manager.runtime.caches, Caches)
        assert len(api.watches) == 1
        api.has(setting("a", "1"))
        await until(lambda: all(scribe.rounds == ["a=1"] for scribe in scribes))
    assert manager.runtime.caches.of(Setting, NAMESPACE).synced
