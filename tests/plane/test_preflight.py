"""A manager looks before it starts: are its kinds there, and is it alone?"""

from typing import Any

import pytest

from holdfast.api.core import Namespace
from holdfast.api.errors import Forbidden, NotFound
from holdfast.api.meta import ObjectMeta
from holdfast.api.struct import encode
from holdfast.api.wire import Answer, Request
from holdfast.kube.client import Client
from holdfast.plane import preflight
from holdfast.plane.definitions import apply_missing
from holdfast.plane.failure import Failure

NAMESPACE = "longhorn-system"


@pytest.fixture
async def ready(client: Client) -> Client:
    """A cluster in which a manager may run."""
    await client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
    await apply_missing(client)
    return client


def answers(client: Client, monkeypatch: pytest.MonkeyPatch, kind: str, answer: Any) -> None:
    """Have the cluster answer requests for a kind in its own way."""
    send = client.send

    async def scripted(request: Request) -> Answer:
        if f"/{kind}" not in request.path:
            return await send(request)
        if isinstance(answer, Exception):
            raise answer
        return Answer(200, body=encode(answer))

    monkeypatch.setattr(client, "send", scripted)


async def test_a_cluster_with_our_kinds_and_without_longhorn_is_fine(ready):
    """The embedded API has no DaemonSets at all; that is no obstacle."""
    await preflight.check(ready, NAMESPACE)


async def test_missing_kinds_are_named_with_the_command_that_brings_them(client):
    """The most common first mistake on a fresh cluster."""
    with pytest.raises(Failure) as refusal:
        await preflight.check(client, NAMESPACE)
    assert "diskschedules.longhorn.io" in str(refusal.value)
    assert "holdfast crds | kubectl apply -f -" in str(refusal.value)


async def test_a_namespace_that_does_not_exist_is_told_with_the_way_to_make_it(ready):
    """Every write would fail, one by one, in the log."""
    with pytest.raises(Failure, match=r"there is no namespace nowhere. Make it with: kubectl create namespace nowhere"):
        await preflight.check(ready, "nowhere")


async def test_who_may_not_look_at_the_namespace_is_not_stopped(ready, monkeypatch):
    """An account of one namespace often may not."""
    forbidden = Forbidden("cannot get namespaces")

    async def refuse(*_: object) -> None:
        raise forbidden

    monkeypatch.setattr(ready, "get", refuse)
    await preflight.check(ready, NAMESPACE)


async def test_it_does_not_start_beside_the_daemon_set_of_longhorn(ready, monkeypatch):
    """Two deciders with different books promise the same byte twice."""
    answers(ready, monkeypatch, "daemonsets", {"kind": "DaemonSet", "metadata": {"name": "longhorn-manager"}})
    with pytest.raises(Failure, match=r"the DaemonSet longhorn-manager is in namespace longhorn-system"):
        await preflight.check(ready, NAMESPACE)


async def test_it_does_not_start_beside_a_pod_of_longhorn(ready, monkeypatch):
    """However it was started."""
    answers(ready, monkeypatch, "pods", {"kind": "PodList", "items": [{"metadata": {"name": "longhorn-manager-x"}}]})
    with pytest.raises(Failure, match=r"a Pod of longhorn-manager is in namespace longhorn-system"):
        await preflight.check(ready, NAMESPACE)


async def test_other_pods_are_no_obstacle(ready, monkeypatch):
    """Only those of longhorn-manager are asked for."""
    answers(ready, monkeypatch, "pods", {"kind": "PodList", "items": []})
    await preflight.check(ready, NAMESPACE)


@pytest.mark.parametrize("kind", ["daemonsets", "pods"])
async def test_it_does_not_start_where_it_may_not_look(ready, monkeypatch, kind):
    """Not to know is not to be alone."""
    answers(ready, monkeypatch, kind, Forbidden(f"cannot list {kind}"))
    with pytest.raises(Failure, match=rf"it can not be seen .* cannot list {kind}.*deploy/rbac\.yaml"):
        await preflight.check(ready, NAMESPACE)


@pytest.mark.parametrize("kind", ["daemonsets", "pods"])
async def test_a_cluster_without_such_a_kind_has_none_of_it(ready, monkeypatch, kind):
    """A control plane alone serves no DaemonSets."""
    answers(ready, monkeypatch, kind, NotFound("the server does not serve it"))
    await preflight.check(ready, NAMESPACE)
