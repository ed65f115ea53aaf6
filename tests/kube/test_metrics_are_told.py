"""What a process tells about itself, under the names that dashboards know."""

import gc

from tests.support.controllers import Manager, Scribe, running
from tests.support.informers import NAMESPACE, setting
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import until, virtual

from holdfast.api.longhorn import Setting
from holdfast.kube.collector import pauses_measured, relax, settle
from holdfast.kube.metrics import Metrics
from holdfast.process import Tasks


@virtual
async def test_work_shows_under_the_usual_names():
    """Dashboards and alerts made for controller-runtime must find what they look for."""
    api = ScriptedApi()
    api.has(setting("a", "1"))
    manager = Manager(api)
    scribe = Scribe(manager.runtime)
    async with running(manager, [scribe]):
        await until(lambda: manager.counted("holdfast_reconcile_total", controller="Scribe", result="success") == 1)
        await manager.client.get(Setting, "a", NAMESPACE)

        assert manager.counted("workqueue_adds_total", name="Scribe") == 1
        assert manager.counted("workqueue_depth", name="Scribe") == 0
        assert manager.counted("workqueue_retries_total", name="Scribe") == 0
        assert manager.counted("holdfast_reconcile_seconds_count", controller="Scribe") == 1
        assert manager.counted("holdfast_cache_objects", kind="settings.longhorn.io") == 1
        assert manager.counted("rest_client_requests_total", method="GET", code="200") == 2
        assert manager.counted("rest_client_requests_total", method="WATCH", code="200") == 1


async def test_the_text_is_made_and_names_everything():
    """What Prometheus reads; made in a thread, as thousands of series take long."""
    metrics = Metrics()
    metrics.reconciled("DiskSchedules", "success", 0.01)
    metrics.requested("GET", 0, 0.1)
    metrics.watch_ended("nodes")
    metrics.listed_again("nodes")
    metrics.event("written")
    text = (await metrics.render()).decode()

    for line in (
        'holdfast_reconcile_total{controller="DiskSchedules",result="success"} 1.0',
        'rest_client_requests_total{code="<error>",method="GET"} 1.0',
        'holdfast_watch_restarts_total{kind="nodes"} 1.0',
        'holdfast_watch_relists_total{kind="nodes"} 1.0',
        'holdfast_events_total{result="written"} 1.0',
    ):
        assert line in text


def test_two_runtimes_do_not_mix_their_numbers():
    """Several managers may live in one process."""
    one, other = Metrics(), Metrics()
    one.watch_ended("nodes")

    assert one.registry.get_sample_value("holdfast_watch_restarts_total", {"kind": "nodes"}) == 1
    assert other.registry.get_sample_value("holdfast_watch_restarts_total", {"kind": "nodes"}) is None


async def test_pauses_of_the_collector_are_told():
    """Half a second of pause breaks every promise of low latency, and shows nowhere else."""
    metrics = Metrics()
    callbacks = list(gc.callbacks)
    with pauses_measured(metrics):
        gc.collect()
    assert (metrics.registry.get_sample_value("holdfast_collector_pause_seconds_count") or 0) >= 1
    assert gc.callbacks == callbacks


def test_settling_takes_what_exists_out_of_the_collectors_way():
    """What caches hold for good need not be walked over again and again."""
    frozen = gc.get_freeze_count()
    try:
        settle()
        assert gc.get_freeze_count() > frozen
        assert gc.isenabled()
    finally:
        gc.unfreeze()


def test_a_relaxed_collector_comes_seldom_and_comes():
    """While thousands of objects are made, walking over them all helps nobody; never walking would be a leak."""
    thresholds = gc.get_threshold()
    try:
        relax()
        assert gc.isenabled()
        assert all(now > before for now, before in zip(gc.get_threshold(), thresholds, strict=True))
    finally:
        gc.set_threshold(*thresholds)


async def test_a_scope_that_ends_while_text_is_made_is_harmless():
    """A scraper that hangs up must not disturb anything."""
    metrics = Metrics()
    async with Tasks() as tasks:
        tasks.spawn(metrics.render(), name="scrape")
    assert b"holdfast_collector_pause_seconds" in await metrics.render()
