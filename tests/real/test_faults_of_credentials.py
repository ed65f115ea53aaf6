"""A token that expired or was replaced, a certificate of somebody else: told apart, waited for, and mended by itself."""

import base64
import json

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from tests.support.certificates import Authority
from tests.support.followers import changes, client_through, following, make
from tests.support.meddler import meddler
from tests.support.real_rights import until_allowed

from holdfast.api.core import ConfigMap, ServiceAccount
from holdfast.api.errors import Unauthorized
from holdfast.api.meta import ObjectMeta
from holdfast.api.struct import decode, encode
from holdfast.api.wire import Request
from holdfast.kube.auth import TokenFile
from holdfast.kube.unreachable import Untrusted


@pytest.fixture
async def proxy(control_plane, tmp_path):
    async with meddler(control_plane, tmp_path) as one:
        yield one


@pytest.fixture
async def account(admin, namespace, kubectl):
    """The name of an account that may follow ConfigMaps of the namespace."""
    await kubectl("-n", namespace, "create", "serviceaccount", "robot")
    await kubectl("-n", namespace, "create", "role", "reader", "--verb=list,watch", "--resource=configmaps")
    await kubectl("-n", namespace, "create", "rolebinding", "readers", "--role=reader", f"--serviceaccount={namespace}:robot")
    user = f"system:serviceaccount:{namespace}:robot"
    await until_allowed(admin, user, {"namespace": namespace, "verb": "watch", "resource": "configmaps"})
    return "robot"


async def valid_token(admin, namespace, account):
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
    answer = await admin.send(Request("POST", path, headers={"content-type": "application/json"}, body=encode(asked)))
    return decode(answer.body, dict)["status"]["token"]


async def expired_token(control_plane, admin, namespace, account):
    """As the server itself would have signed it an hour ago."""
    key = serialization.load_pem_private_key(control_plane._credentials.account_key.read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    valid = await valid_token(admin, namespace, account)
    head, claims, _ = valid.split(".")
    past = json.loads(base64.urlsafe_b64decode(claims + "=="))
    for moment in ("exp", "iat", "nbf"):
        past[moment] -= 2 * 3600
    signed = f"{head}.{_text(json.dumps(past).encode())}"
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{signed}.{_text(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def _text(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def put(file, token):
    """As kubelet does it: the new one stands in the place of the old one at once."""
    new = file.with_suffix(".new")
    new.write_text(token)
    new.rename(file)


async def test_a_token_that_was_replaced_is_used_without_a_refusal(admin, namespace, account, proxy, tmp_path):
    """Tokens of pods live for an hour; nobody may notice."""
    file = tmp_path / "token"
    put(file, await valid_token(admin, namespace, account))
    async with client_through(proxy, credentials=TokenFile(file, "test")) as client, following(client, namespace) as follower:
        await changes(admin, namespace)
        await follower.agrees_with(admin)
        put(file, await valid_token(admin, namespace, account))
        proxy.cut()
        await changes(admin, namespace, 1)
        await follower.agrees_with(admin)
        assert (proxy.lists, proxy.watches) == (1, 2)


async def test_an_expired_token_is_told_and_mended_by_the_next_one(control_plane, admin, namespace, account, proxy, tmp_path):
    """Whoever writes the file may be late. Meanwhile the cache stands as it was, and the server is asked seldom."""
    file = tmp_path / "token"
    put(file, await valid_token(admin, namespace, account))
    async with client_through(proxy, credentials=TokenFile(file, "test")) as client, following(client, namespace) as follower:
        await make(admin, namespace, "gone")
        before = await follower.agrees_with(admin)
        put(file, await expired_token(control_plane, admin, namespace, account))
        with pytest.raises(Unauthorized):
            await client.list(ConfigMap, namespace)
        proxy.cut()
        await changes(admin, namespace)
        asked = proxy.lists + proxy.watches
        await follower.asks_again(3)
        assert follower.cache.get("gone") is not None
        assert before.keys() == {obj.metadata.name for obj in follower.cache.all()}
        assert proxy.lists + proxy.watches - asked <= 8
        put(file, await valid_token(admin, namespace, account))
        assert "gone" not in await follower.agrees_with(admin)


async def test_the_token_of_an_account_made_anew_takes_the_place_of_a_dead_one(admin, namespace, account, proxy, tmp_path):
    """A token dies with its account. One of the same name is another account, and its token works."""
    file = tmp_path / "token"
    put(file, await valid_token(admin, namespace, account))
    async with client_through(proxy, credentials=TokenFile(file, "test")) as client, following(client, namespace) as follower:
        await changes(admin, namespace)
        await follower.agrees_with(admin)
        await admin.delete(ServiceAccount, account, namespace)
        await admin.create(ServiceAccount(metadata=ObjectMeta(name=account, namespace=namespace)))
        put(file, await valid_token(admin, namespace, account))
        proxy.cut()
        await changes(admin, namespace, 1)
        await follower.agrees_with(admin)
        assert proxy.lists + proxy.watches <= 4


async def test_a_certificate_of_another_authority_is_not_believed_and_not_stormed(admin, namespace, proxy):
    """Somebody else answers at the address: he hears no request, the cache stands, and goes on when the right one is back."""
    async with client_through(proxy) as client, following(client, namespace) as follower:
        await make(admin, namespace, "gone")
        before = await follower.agrees_with(admin)
        heard = proxy.lists + proxy.watches
        await proxy.change_certificate(is_trusted=False)
        with pytest.raises(Untrusted):
            await client.list(ConfigMap, namespace)
        await changes(admin, namespace)
        await follower.asks_again(3)
        assert proxy.lists + proxy.watches == heard
        assert before.keys() == {obj.metadata.name for obj in follower.cache.all()}
        await proxy.change_certificate(is_trusted=True)
        assert "gone" not in await follower.agrees_with(admin)
        assert follower.attempts.total() <= 14


async def test_a_client_certificate_of_another_authority_is_refused_in_words(control_plane, tmp_path):
    """The server and the client both say who they are; a stranger's word counts for nothing."""
    stranger = Authority(tmp_path, "stranger")
    certificate, key = stranger.signs("admin", groups=("system:masters",))
    config = json.loads(control_plane.kubeconfig.read_text())
    config["users"][0]["user"] = {"client-certificate": str(certificate), "client-key": str(key)}
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    async with control_plane.client(kubeconfig) as client:
        with pytest.raises(Unauthorized):
            await client.list(ConfigMap, "default")
