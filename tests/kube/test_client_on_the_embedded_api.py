"""The real client on the real embedded server, over HTTPS with its kubeconfig and within the process: the same answers."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.support.embedded import embedded_api
from tests.support.embedded_http import http_api

from holdfast.api.core import ConfigMap, Namespace
from holdfast.api.errors import AlreadyExists, BadRequest, Conflict, Invalid, NotFound
from holdfast.api.meta import Object, ObjectMeta
from holdfast.kube.client import Client
from holdfast.kube.connect import connect
from holdfast.kube.keys import Key
from holdfast.process import Process


@pytest.fixture(params=["over HTTPS", "within the process"])
async def client(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Client]:
    if request.param == "over HTTPS":
        async with http_api(tmp_path) as front:
            client = connect(Process("test"), front.kubeconfig).client
            yield client
            await client.close()
    else:
        async with embedded_api() as server:
            client = Client(server.transport(), Process("test"))
            yield client
            await client.close()


def config(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data=data)


async def test_an_object_lives_its_life(client: Client):
    """Every verb once, with what the next one needs from it."""
    made = await client.create(config("c", a="1", b="2"))
    changed = await client.change(made, ConfigMap(metadata=made.metadata, data={"a": "3"}))
    patched = await client.patch(
        ConfigMap, "c", "default", [{"op": "test", "path": "/data/a", "value": "3"}, {"op": "remove", "path": "/data/a"}]
    )
    read = await client.get(ConfigMap, "c", "default")
    await client.delete(ConfigMap, "c", "default", uid=made.metadata.uid)

    assert changed.data == {"a": "3"}
    assert patched.data == {}
    assert read == patched
    with pytest.raises(NotFound):
        await client.get(ConfigMap, "c", "default")


async def test_what_the_server_refuses_has_its_type(client: Client):
    """Controllers act by type, wherever the server runs."""
    made = await client.create(config("c", a="1"))
    await client.change(made, ConfigMap(metadata=made.metadata, data={"a": "2"}))

    with pytest.raises(AlreadyExists):
        await client.create(config("c"))
    with pytest.raises(Conflict):
        await client.change(made, ConfigMap(metadata=made.metadata, data={"a": "3"}), guarded=True)
    with pytest.raises(Conflict):
        await client.delete(ConfigMap, "c", "default", uid="00000000-0000-4000-8000-000000000000")
    with pytest.raises(Invalid):
        await client.patch(ConfigMap, "c", "default", [{"op": "test", "path": "/data/a", "value": "1"}])
    with pytest.raises(NotFound):
        await client.get(ConfigMap, "missing", "default")


async def test_a_list_comes_in_pages_and_a_watch_goes_on_from_it(client: Client):
    """Nothing between the two is lost, and nothing comes twice."""
    for number in range(7):
        await client.create(config(f"c{number}", number=str(number)))

    listing = await client.list(ConfigMap, "default", page=3)
    await client.delete(ConfigMap, "c3", "default")
    await client.create(config("c7", note="x\u0085y\u2028z"))

    assert {f"c{number}" for number in range(7)} <= {item.metadata.name for item in listing.items}
    told = []
    async with aclosing(client.watch(ConfigMap, "default", since=listing.resource_version)) as events:
        async for event in events:
            if event.type != "BOOKMARK":
                told.append((event.type, event.object.metadata.name, event.object.data.get("note")))
            if len(told) == 2:
                break
    assert told == [("DELETED", "c3", None), ("ADDED", "c7", "x\u0085y\u2028z")]


async def test_a_watch_from_nowhere_is_refused(client: Client):
    """Rather an error than silence."""
    with pytest.raises(BadRequest):
        await anext(client.watch(ConfigMap, "default", since="nonsense"))


async def test_a_dry_run_writes_nothing(client: Client):
    """It says what would be, and leaves everything as it is."""
    tried = await client.create(config("c"), dry_run=True)

    assert tried.metadata.uid
    with pytest.raises(NotFound):
        await client.get(ConfigMap, "c", "default")


async def test_a_name_can_be_left_to_the_server(client: Client):
    """GenerateName works, and the uid of a deletion is told."""
    removed: list[tuple[type[Object], Key, str]] = []
    client.deleted.append(lambda type_, key, uid: removed.append((type_, key, uid)))

    made = await client.create(Namespace(metadata=ObjectMeta(generate_name="n-")))
    one = await client.create(config("c"))
    await client.delete(ConfigMap, "c", "default")

    assert made.metadata.name.startswith("n-")
    assert removed == [(ConfigMap, Key("default", "c"), one.metadata.uid)]
