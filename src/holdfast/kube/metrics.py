"""What a process tells about itself, in Prometheus' words, under the names that controller-runtime and client-go have made usual.

One registry per ``Metrics``: nothing is global, so two managers in one process do not mix. What is a plain number somewhere
already (the depth of a queue, the size of a cache) is read when asked for and costs nothing on the hot path.
"""

from collections.abc import Iterable, Iterator, Sized
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from holdfast.process import Thread

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class _Queue(Protocol):
    adds: int
    retries: int

    @property
    def in_work(self) -> int: ...

    def __len__(self) -> int: ...


class Metrics:
    """The metrics of one runtime."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._reconciles = Counter(
            "holdfast_reconcile",
            "Rounds of a controller over one object, by how they ended",
            ("controller", "result"),
            registry=self.registry,
        )
        self._reconcile_seconds = Histogram(
            "holdfast_reconcile_seconds", "How long a round took", ("controller",), registry=self.registry, buckets=_SECONDS
        )
        self._requests = Counter(
            "rest_client_requests",
            "Requests to the Kubernetes API, by method and HTTP status (<error>: no answer)",
            ("method", "code"),
            registry=self.registry,
        )
        self._request_seconds = Histogram(
            "rest_client_request_duration_seconds", "How long an answer took", ("method",), registry=self.registry, buckets=_SECONDS
        )
        self._watch_restarts = Counter("holdfast_watch_restarts", "Watches that ended or failed", ("kind",), registry=self.registry)
        self._relists = Counter("holdfast_watch_relists", "Listings after the first", ("kind",), registry=self.registry)
        self._handler_failures = Counter(
            "holdfast_cache_handler_failures", "Handlers and index functions that raised", ("kind",), registry=self.registry
        )
        self._events = Counter("holdfast_events", "Events for people, by what became of them", ("result",), registry=self.registry)
        self._collector_pauses = Histogram(
            "holdfast_collector_pause_seconds", "Pauses of the garbage collector", registry=self.registry, buckets=_SECONDS
        )
        self._gauges = _Gauges()
        self.registry.register(self._gauges)

    def reconciled(self, controller: str, result: str, seconds: float) -> None:
        self._reconciles.labels(controller, result).inc()
        self._reconcile_seconds.labels(controller).observe(seconds)

    def requested(self, method: str, code: int, seconds: float) -> None:
        """An attempt of the client: its ``observer``."""
        self._requests.labels(method, str(code) if code else "<error>").inc()
        self._request_seconds.labels(method).observe(seconds)

    def watch_ended(self, kind: str) -> None:
        self._watch_restarts.labels(kind).inc()

    def listed_again(self, kind: str) -> None:
        self._relists.labels(kind).inc()

    def handler_failed(self, kind: str) -> None:
        self._handler_failures.labels(kind).inc()

    def event(self, result: str) -> None:
        self._events.labels(result).inc()

    def collector_paused(self, seconds: float) -> None:
        self._collector_pauses.observe(seconds)

    def watch_queue(self, controller: str, queue: _Queue) -> None:
        """Tell of this queue from now on; a later one of the same name takes its place."""
        self._gauges.queues[controller] = queue

    def count_objects_of(self, kind: str, cache: Sized) -> None:
        """Tell the size of this cache from now on."""
        self._gauges.caches.setdefault(kind, []).append(cache)

    async def render(self) -> bytes:
        """The text that Prometheus reads, made beside the loop: thousands of series take longer than a request may wait."""
        thread = Thread("metrics")
        try:
            return await thread.run(generate_latest, self.registry)
        finally:
            thread.close()


class _Gauges(Collector):
    """Reads plain numbers where they are. It runs in another thread, so it copies what may change before it walks over it."""

    def __init__(self) -> None:
        self.queues: dict[str, _Queue] = {}
        self.caches: dict[str, list[Sized]] = {}

    def collect(self) -> Iterator[Metric]:
        queues = dict(self.queues).items()
        yield _gauge("workqueue_depth", "Keys that wait", "name", ((name, len(queue)) for name, queue in queues))
        yield _gauge("workqueue_in_work", "Keys that are worked on", "name", ((name, queue.in_work) for name, queue in queues))
        yield _counter("workqueue_adds", "Keys added", "name", ((name, queue.adds) for name, queue in queues))
        yield _counter("workqueue_retries", "Keys added again after a failure", "name", ((name, queue.retries) for name, queue in queues))
        sizes = ((kind, sum(map(len, list(caches)))) for kind, caches in dict(self.caches).items())
        yield _gauge("holdfast_cache_objects", "Objects held", "kind", sizes)


def _gauge(name: str, words: str, label: str, values: Iterable[tuple[str, int]]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, words, labels=(label,))
    for of, value in values:
        family.add_metric((of,), value)
    return family


def _counter(name: str, words: str, label: str, values: Iterable[tuple[str, int]]) -> CounterMetricFamily:
    family = CounterMetricFamily(name, words, labels=(label,))
    for of, value in values:
        family.add_metric((of,), value)
    return family
