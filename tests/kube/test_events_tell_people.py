"""Events are for people and cost the teller nothing."""

import asyncio

from tests.support.informers import NAMESPACE, stored
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import until, virtual, virtual_process

from holdfast.api.core import Event, Node
from holdfast.api.errors import Forbidden
from holdfast.api.longhorn import Setting
from holdfast.api.meta import ObjectMeta
from holdfast.api.wire import Unreachable
from holdfast.kube.client import Client
from holdfast.kube.events import Events
from holdfast.kube.metrics import Metrics
from holdfast.kube.retry import IMPATIENT
from holdfast.process import Tasks


class _Teller:
    def __init__(self, api: ScriptedApi, tasks: Tasks, name: str = "manager-0") -> None:
        self.metrics = Metrics()
        process = virtual_process(name)
        self.events = Events(Client(api.transport(), process, patience=IMPATIENT), process, self.metrics)
        tasks.spawn(self.events.run(), name="events")

    def counted(self, result: str) -> float:
        return self.metrics.registry.get_sample_value("holdfast_events_total", {"result": result}) or 0


@virtual
async def test_an_event_says_what_happened_to_which_object():
    """``kubectl describe`` finds it by kind, name and uid."""
    api = ScriptedApi()
    async with Tasks() as tasks:
        teller = _Teller(api, tasks)
        teller.events.emit(stored("a"), "Warning", "NoRoom", "short by 30Gi")
        await until(lambda: bool(api.of(Event)))

    (event,) = api.of(Event)
    assert (event.type, event.reason, event.message, event.count) == ("Warning", "NoRoom", "short by 30Gi", 1)
    assert event.involved_object.kind == "Setting"
    assert event.involved_object.api_version == "longhorn.io/v1beta2"
    assert (event.involved_object.name, event.involved_object.uid) == ("a", "uid-of-a")
    assert event.source.component == "holdfast"
    assert event.first_timestamp == event.last_timestamp != ""
    assert event.metadata.namespace == NAMESPACE
    assert event.metadata.name.startswith("a.")


@virtual
async def test_what_happens_again_is_one_event_with_a_count():
    """A thousand equal lines hide the one that matters."""
    api = ScriptedApi()
    async with Tasks() as tasks:
        teller = _Teller(api, tasks)
        for _ in range(3):
            teller.events.emit(stored("a"), "Normal", "Waits", "for room")
            await asyncio.sleep(5)
        teller.events.emit(stored("a"), "Normal", "Waits", "for somebody else")
        await until(lambda: len(api.of(Event)) == 2)

    counts = {event.message: (event.count, event.first_timestamp < event.last_timestamp) for event in api.of(Event)}
    assert counts == {"for room": (3, True), "for somebody else": (1, False)}


@virtual
async def test_two_managers_that_tell_the_same_make_one_event():
    """Both see it; people want to read it once, with what both counted."""
    api = ScriptedApi()
    async with Tasks() as tasks:
        tellers = [_Teller(api, tasks, name) for name in ("manager-0", "manager-1")]
        for _ in range(3):
            for teller in tellers:
                teller.events.emit(stored("a"), "Normal", "Waits", "for room")
            await asyncio.sleep(1)

    assert [event.count for event in api.of(Event)] == [6]


@virtual
async def test_an_event_that_has_expired_is_told_anew():
    """Servers forget events after an hour; what happens again afterwards is news."""
    api = ScriptedApi()
    async with Tasks() as tasks:
        teller = _Teller(api, tasks)
        teller.events.emit(stored("a"), "Normal", "Waits", "for room")
        await until(lambda: bool(api.of(Event)))
        api.loses(Event, api.of(Event)[0].metadata.name, NAMESPACE)
        teller.events.emit(stored("a"), "Normal", "Waits", "for room")
        await until(lambda: bool(api.of(Event)))

    assert [event.count for event in api.of(Event)] == [1]


@virtual
async def test_telling_does_not_wait_for_the_server():
    """A round that waits for its own commentary is slow for no reason."""
    api = ScriptedApi()

    async def hang(_request):
        await asyncio.get_running_loop().create_future()

    api.before = hang
    async with Tasks() as tasks:
        teller = _Teller(api, tasks)
        started = asyncio.get_running_loop().time()
        for n in range(1500):
            teller.events.emit(stored(f"s{n}"), "Normal", "Waits", "for room")
            if n == 0:
                await asyncio.sleep(0)
                await asyncio.sleep(0)
        assert asyncio.get_running_loop().time() == started

    assert 400 <= teller.counted("dropped") <= 500


@virtual
async def test_what_can_not_be_written_is_counted_and_dropped():
    """Lost commentary must never stop the work."""
    api = ScriptedApi()
    api.failures.extend([Forbidden("no events here"), Unreachable("reset")])
    async with Tasks() as tasks:
        teller = _Teller(api, tasks)
        for name in ("a", "b", "c"):
            teller.events.emit(stored(name), "Normal", "Waits", "for room")
        await until(lambda: teller.counted("written") == 1)

    assert teller.counted("failed") == 2
    assert [event.involved_object.name for event in api.of(Event)] == ["c"]


@virtual
async def test_an_object_that_talks_all_the_time_is_cut_short_and_others_are_not():
    """One broken disk must not fill the server with its complaints."""
    api = ScriptedApi()
    async with Tasks() as tasks:
        teller = _Teller(api, tasks)
        for n in range(100):
            teller.events.emit(stored("loud"), "Warning", "Broken", f"error {n}")
        teller.events.emit(stored("quiet"), "Normal", "Waits", "for room")
        await until(lambda: any(event.involved_object.name == "quiet" for event in api.of(Event)))
        assert len(api.of(Event)) == 26
        await asyncio.sleep(600)
        for n in range(100):
            teller.events.emit(stored("loud"), "Warning", "Broken", f"later error {n}")
        await until(lambda: len(api.of(Event)) == 28)

    assert teller.counted("spam") == 75 + 98


@virtual
async def test_events_of_machines_lie_in_the_default_namespace():
    """Objects without a namespace have events all the same: kubectl looks for them there."""
    api = ScriptedApi()
    async with Tasks() as tasks:
        teller = _Teller(api, tasks)
        teller.events.emit(Node(metadata=ObjectMeta(name="n" * 253, uid="1")), "Normal", "Seen", "x" * 5000)
        await until(lambda: bool(api.of(Event)))

    (event,) = api.of(Event)
    assert event.metadata.namespace == "default"
    assert len(event.metadata.name) == 253
    assert len(event.message) == 1024


@virtual
async def test_what_is_remembered_is_bounded():
    """A manager tells of thousands of objects over the years."""
    api = ScriptedApi()
    async with Tasks() as tasks:
        teller = _Teller(api, tasks)
        for n in range(5000):
            teller.events.emit(Setting(metadata=ObjectMeta(name=f"s{n}", namespace=NAMESPACE)), "Normal", "Waits", "for room")
            if n % 500 == 499:
                await asyncio.sleep(1)
        assert teller.counted("written") == 5000
        assert len(teller.events._written) == len(teller.events._tokens) == 4096
        assert not teller.events._waiting
