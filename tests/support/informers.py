"""Words for scenarios about caches: a setting is the plainest object that there is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.support.scripted_api import ScriptedApi, ScriptedTransport
from tests.support.virtual_loop import virtual_process

from holdfast.api.longhorn import Setting
from holdfast.api.meta import ObjectMeta
from holdfast.kube.cache import Change
from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.kube.metrics import Metrics
from holdfast.process import Process, Tasks

NAMESPACE = "longhorn-system"


def setting(name: str = "s", value: str = "", *, namespace: str = NAMESPACE, **labels: str) -> Setting:
    """As somebody would send it."""
    return Setting(metadata=ObjectMeta(name=name, namespace=namespace, labels=labels), value=value)


def stored(name: str = "s", value: str = "", *, revision: int = 1, uid: str = "", namespace: str = NAMESPACE, **labels: str) -> Setting:
    """As a server would tell of it."""
    metadata = ObjectMeta(name=name, namespace=namespace, labels=labels, resource_version=str(revision), uid=uid or f"uid-of-{name}")
    return Setting(metadata=metadata, value=value)


def told(change: Change[Setting]) -> str:
    """A change in short: "+name=new", "name=old>new" or "-name=old"."""
    name = change.object.metadata.name
    if change.old is None:
        return f"+{name}={change.object.value}"
    if change.new is None:
        return f"-{name}={change.old.value}"
    return f"{name}={change.old.value}>{change.new.value}"


class Ears(list[str]):
    """A handler that writes down what it hears."""

    def __call__(self, change: Change[Setting]) -> None:
        self.append(told(change))


class Informed:
    """One process with a client and caches over a scripted API."""

    def __init__(self, api: ScriptedApi, process: Process) -> None:
        self.api = api
        self.process = process
        self.transport: ScriptedTransport = api.transport()
        self.client = Client(self.transport, process)
        self.metrics = Metrics()
        self.caches = Caches(self.client, process, namespace=NAMESPACE, metrics=self.metrics)
        self.settings = self.caches.of(Setting)
        self.ears = Ears()
        self.settings.on_change(self.ears)

    def value(self, name: str = "s") -> str | None:
        held = self.settings.get(name)
        return None if held is None else held.value

    def counted(self, metric: str, /, **labels: str) -> float:
        """The value of a metric, 0 where there is none yet."""
        return self.metrics.registry.get_sample_value(metric, labels) or 0.0


@asynccontextmanager
async def informed(api: ScriptedApi, *, synced: bool = True) -> AsyncIterator[Informed]:
    """A process whose caches run."""
    one = Informed(api, virtual_process())
    async with Tasks() as tasks:
        tasks.spawn(one.caches.run(), name="caches")
        if synced:
            await one.caches.wait_synced()
        yield one
