"""One watch per kind and namespace, whoever reads."""

import pytest
from tests.support.informers import NAMESPACE, Ears, informed, setting
from tests.support.scripted_api import ScriptedApi
from tests.support.virtual_loop import turns, until, virtual, virtual_process

from holdfast.api.core import Node
from holdfast.api.longhorn import LonghornNode, Setting
from holdfast.api.meta import ObjectMeta
from holdfast.kube.caches import Caches
from holdfast.kube.client import Client
from holdfast.process import Tasks


@virtual
async def test_all_readers_of_a_kind_share_one_watch():
    """Ten controllers on one kind must cost the server one stream."""
    api = ScriptedApi()
    async with informed(api) as one:
        more = Ears()
        one.caches.on_change(Setting, more)
        one.caches.index(Setting, "value", lambda setting: [setting.value])
        api.has(setting("a", "1"))
        await until(lambda: one.value("a") == "1")
        assert one.caches.of(Setting) is one.settings
        assert one.settings.by("value", "1") == one.settings.all()
        assert more == one.ears == ["+a=1"]
        assert len(api.watches) == 1


@virtual
async def test_a_cache_sees_its_own_namespace_only():
    """A storage system must not read the secrets of everybody."""
    api = ScriptedApi()
    api.has(setting("a", "theirs", namespace="elsewhere"), setting("a", "ours"))
    async with informed(api) as one:
        everywhere = one.caches.of(Setting, "")
        await everywhere.wait_synced()
        api.has(setting("b", "theirs", namespace="elsewhere"))
        api.has(setting("b", "ours"))
        await until(lambda: len(everywhere) == 4)

        assert one.ears == ["+a=ours", "+b=ours"]
        assert [found.value for found in everywhere.all() if found.metadata.namespace == "elsewhere"] == ["theirs", "theirs"]
        assert len(api.watches) == 2


@virtual
async def test_kinds_without_namespaces_are_read_cluster_wide():
    """Machines live in no namespace, and Longhorn's nodes of the same name do."""
    api = ScriptedApi()
    api.has(Node(metadata=ObjectMeta(name="n1")))
    api.has(LonghornNode(metadata=ObjectMeta(name="n1", namespace=NAMESPACE)))
    async with informed(api) as one:
        machines, nodes = one.caches.of(Node), one.caches.of(LonghornNode)
        await one.caches.wait_synced()

        assert isinstance(machines.get("n1"), Node)
        assert isinstance(nodes.get("n1"), LonghornNode)


@virtual
async def test_a_cache_asked_for_late_is_fed_too():
    """What a controller reads may be known only when it runs."""
    api = ScriptedApi()
    api.has(Node(metadata=ObjectMeta(name="n1")))
    async with informed(api) as one:
        machines = one.caches.of(Node)
        await machines.wait_synced()
        assert len(machines) == 1


@virtual
async def test_an_own_write_is_in_the_cache_before_the_writer_goes_on():
    """Else the next round decides on what this one has replaced."""
    api = ScriptedApi()
    async with informed(api) as one:
        everywhere = one.caches.of(Setting, "")
        await everywhere.wait_synced()
        api.holds_events()
        made = await one.client.create(setting("a", "1"))
        assert one.settings.get("a") == everywhere.get("a", NAMESPACE) == made

        changed = await one.client.patch(Setting, "a", NAMESPACE, {"value": "2"})
        assert one.settings.get("a") == changed
        await one.client.delete(Setting, "a", NAMESPACE)
        assert one.settings.get("a") is None
        api.releases_events()
        api.has(setting("b", "1"))
        await until(lambda: one.value("b") == "1")

    assert one.ears == ["+a=1", "a=1>2", "-a=2", "+b=1"]


@virtual
async def test_a_dry_run_and_foreign_kinds_leave_caches_alone():
    """What was only tried must not be acted on."""
    api = ScriptedApi()
    async with informed(api) as one:
        await one.client.create(Node(metadata=ObjectMeta(name="n1")))
        await one.client.create(setting("a", "1", namespace="elsewhere"))
        assert len(one.settings) == 0


@virtual
async def test_a_delete_that_finalizers_hold_up_removes_nothing():
    """The object is still there, and somebody has to finish it."""
    api = ScriptedApi()
    kept = Setting(metadata=ObjectMeta(name="a", namespace=NAMESPACE, finalizers=("longhorn.io",)), value="1")
    api.has(kept)
    async with informed(api) as one:
        await one.client.delete(Setting, "a", NAMESPACE)
        assert [held.metadata.deletion_timestamp != "" for held in one.settings.all()] == [True]


@virtual
async def test_caches_leave_nothing_behind_when_they_end():
    """A client may outlive the caches over it."""
    api = ScriptedApi()
    process = virtual_process()
    client = Client(api.transport(), process)
    caches = Caches(client, process, namespace=NAMESPACE)
    cache = caches.of(Setting)
    async with Tasks() as tasks:
        tasks.spawn(caches.run(), name="caches")
        await caches.wait_synced()
        await until(lambda: bool(api.watches))
    await turns()

    assert api.watches == []
    assert not client.written
    assert not client.deleted
    assert cache.synced


@pytest.mark.parametrize("namespace", [None, NAMESPACE])
def test_asking_by_default_and_by_name_gives_the_same_cache(namespace):
    """Two caches of one scope would be two watches and two truths."""
    process = virtual_process()
    caches = Caches(Client(ScriptedApi().transport(), process), process, namespace=NAMESPACE)

    assert caches.of(Setting, namespace) is caches.of(Setting)
    assert caches.of(Node, namespace) is caches.of(Node, "")
