import asyncio

import pytest
from tests.support.real_control_plane import API, CONTROLLERS, ETCD
from tests.support.real_rights import until_allowed
from tests.support.watching import until_gone

from holdfast.api.core import ConfigMap, Namespace
from holdfast.api.errors import Forbidden, Unauthorized
from holdfast.api.meta import ObjectMeta
from holdfast.api.struct import decode
from holdfast.api.wire import Request
from holdfast.process import Tasks


async def test_it_serves_the_version_that_we_are_judged_by(admin):
    """Every statement about Kubernetes in our docs is about this version."""
    version = decode((await admin.send(Request("GET", "/version"))).body, dict)
    assert version["gitVersion"] == "v1.36.4"
    assert (version["major"], version["minor"]) == ("1", "36")


async def test_nobody_is_let_in_without_a_name(control_plane):
    """Were strangers let in, no test of rights would mean anything."""
    stranger = control_plane.kubeconfig_of_token("stranger", "no-such-token")
    async with control_plane.client(stranger) as client:
        with pytest.raises(Unauthorized):
            await client.list(Namespace)


async def may_read(who: str, namespace, kubectl) -> None:
    """Let somebody read ConfigMaps of the namespace."""
    await kubectl("-n", namespace, "create", "role", "reader", "--verb=list", "--resource=configmaps")
    await kubectl("-n", namespace, "create", "rolebinding", "readers", "--role=reader", who)


async def test_a_user_may_do_what_his_groups_may(control_plane, admin, namespace, kubectl):
    """Tests of least rights take their users from here."""
    reader = control_plane.kubeconfig_of("reader", "readers")
    async with control_plane.client(reader) as client:
        with pytest.raises(Forbidden):
            await client.list(ConfigMap, namespace)
        await may_read("--group=readers", namespace, kubectl)
        await until_allowed(admin, "reader", {"namespace": namespace, "verb": "list", "resource": "configmaps"}, "readers")
        await client.list(ConfigMap, namespace)
        with pytest.raises(Forbidden):
            await client.create(ConfigMap(metadata=ObjectMeta(name="c", namespace=namespace)))


async def test_a_service_account_speaks_by_its_token(control_plane, admin, namespace, kubectl):
    """Our own programs run as service accounts."""
    await kubectl("-n", namespace, "create", "serviceaccount", "robot")
    await may_read(f"--serviceaccount={namespace}:robot", namespace, kubectl)
    user = f"system:serviceaccount:{namespace}:robot"
    await until_allowed(admin, user, {"namespace": namespace, "verb": "list", "resource": "configmaps"})
    async with control_plane.client(await control_plane.kubeconfig_of_account(namespace, "robot")) as client:
        await client.list(ConfigMap, namespace)
        with pytest.raises(Forbidden):
            await client.list(Namespace)


async def test_an_api_server_that_was_killed_comes_back_where_it_was(control_plane, admin, namespace):
    """Fault tests kill it: what was written is there afterwards, at the same address."""
    made = await admin.create(ConfigMap(metadata=ObjectMeta(name="kept", namespace=namespace), data={"a": "b"}))
    control_plane.programs[API].kill()
    await control_plane.restart(API)
    assert await admin.get(ConfigMap, "kept", namespace) == made


async def test_a_store_that_stands_still_goes_on_where_it_was(control_plane, admin, namespace):
    """Fault tests pause etcd: a write hangs, and is answered when etcd goes on."""
    etcd = control_plane.programs[ETCD]
    etcd.pause()
    async with Tasks() as tasks:
        writing = tasks.spawn(admin.create(ConfigMap(metadata=ObjectMeta(name="late", namespace=namespace))), name="writing")
        done, _ = await asyncio.wait([writing], timeout=0.5)
        assert not done
        etcd.resume()
        made = await writing
    assert (await admin.get(ConfigMap, "late", namespace)).metadata.uid == made.metadata.uid


async def test_the_next_test_finds_everything_well(control_plane, admin, namespace):
    """One control plane serves many tests: what one broke must not fail another."""
    control_plane.programs[ETCD].kill()
    control_plane.programs[API].pause()
    await control_plane.mend()
    await admin.create(ConfigMap(metadata=ObjectMeta(name="c", namespace=namespace)))


async def test_controllers_clean_up_after_a_namespace(controllers, admin, namespace):
    """What embedded does in the background is done here by kube-controller-manager."""
    await admin.create(ConfigMap(metadata=ObjectMeta(name="c", namespace=namespace)))
    assert CONTROLLERS in controllers.programs
    await admin.delete(Namespace, namespace)
    await until_gone(admin, Namespace, namespace, "")
