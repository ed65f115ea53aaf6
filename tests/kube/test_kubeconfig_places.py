"""Where we look for a cluster, in which order, and what is said when there is none."""

import json
from pathlib import Path

import pytest
from tests.support.certificates import Authority
from tests.support.fake_api import fake_api, says

from holdfast.api.core import Node
from holdfast.api.wire import Unreachable
from holdfast.kube import in_cluster
from holdfast.kube.connect import connect, find, words
from holdfast.kube.misconfigured import KubeconfigError
from holdfast.kube.retry import IMPATIENT
from holdfast.kube.unreachable import NoCredentials, NotSent, Untrusted
from holdfast.process import Process, SystemClock


def kubeconfig(path: Path, server: str, *, authority: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    cluster = {"server": server, "certificate-authority": authority}
    contexts = [{"name": "prod", "context": {"cluster": "c", "namespace": "storage"}}]
    path.write_text(json.dumps({"current-context": "prod", "clusters": [{"name": "c", "cluster": cluster}], "contexts": contexts}))
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def account(tmp_path: Path) -> Path:
    """The folder that Kubernetes mounts into a pod."""
    folder = tmp_path / "account"
    folder.mkdir()
    Authority(folder)
    (folder / "token").write_text("pod-token")
    (folder / "namespace").write_text("longhorn-system")
    return folder


def test_the_file_that_was_named_goes_first(tmp_path: Path, home: Path):
    """What the user says goes before what the environment says."""
    named = kubeconfig(tmp_path / "named", "https://named")
    listed = kubeconfig(tmp_path / "listed", "https://listed")

    assert find(named, None, {"KUBECONFIG": str(listed), "HOME": str(home)}, SystemClock()).server == "https://named"


def test_kubeconfig_goes_before_the_home_and_the_home_before_the_pod(tmp_path: Path, home: Path):
    """As with kubectl, also within a pod."""
    listed = kubeconfig(tmp_path / "listed", "https://listed")
    kubeconfig(home / ".kube" / "config", "https://home")
    pod = {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "HOME": str(home)}

    assert find(None, None, {"KUBECONFIG": f":{tmp_path / 'missing'}:{listed}", **pod}, SystemClock()).server == "https://listed"
    assert find(None, None, {"KUBECONFIG": "", **pod}, SystemClock()).server == "https://home"


def test_the_kubeconfig_at_home_is_shown_as_its_owner_writes_it(home: Path):
    """Nobody types /home/me."""
    kubeconfig(home / ".kube" / "config", "https://home")

    assert find(None, None, {"HOME": str(home)}, SystemClock()).source == 'the kubeconfig is ~/.kube/config, context "prod"'


def test_nothing_to_go_by_is_one_sentence(home: Path):
    """Three places were looked at; the sentence names them."""
    with pytest.raises(KubeconfigError) as caught:
        find(None, None, {"HOME": str(home)}, SystemClock())
    assert str(caught.value) == (
        "no kubeconfig was named, KUBECONFIG is not set and ~/.kube/config does not exist; set KUBECONFIG, or name one"
    )


async def test_a_pod_uses_its_service_account(account: Path):
    """The address from the environment, the rest from the mounted files."""
    target = in_cluster.target({"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "6443"}, account)

    assert (target.server, target.namespace) == ("https://10.96.0.1:6443", "longhorn-system")
    assert await target.credentials.authorization() == "Bearer pod-token"
    assert target.tls is not None
    assert len(target.tls.get_ca_certs()) == 1


async def test_the_token_of_a_pod_is_read_again(account: Path):
    """Kubelet replaces it every hour."""
    target = in_cluster.target({"KUBERNETES_SERVICE_HOST": "10.96.0.1"}, account)

    (account / "token").write_text("a-newer-token")

    assert await target.credentials.authorization() == "Bearer a-newer-token"


def test_a_cluster_of_ipv6_has_its_address_in_brackets(account: Path):
    """Else the port would be part of the address."""
    assert in_cluster.target({"KUBERNETES_SERVICE_HOST": "fd00::1"}, account).server == "https://[fd00::1]:443"


def test_a_pod_without_a_service_account_is_told(tmp_path: Path):
    """With the switch that its author turned off."""
    with pytest.raises(KubeconfigError, match="automountServiceAccountToken: true"):
        in_cluster.target({"KUBERNETES_SERVICE_HOST": "10.96.0.1"}, tmp_path)


def test_a_context_in_a_pod_is_refused(home: Path):
    """There is none to choose; to ignore it would be to act on another cluster."""
    with pytest.raises(KubeconfigError, match='there is no context "prod": in a pod'):
        find(None, "prod", {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "HOME": str(home)}, SystemClock())


async def test_a_connection_speaks_to_what_the_kubeconfig_names(tmp_path: Path):
    """The whole way once: file, certificates, client."""
    async with fake_api(Authority(tmp_path).serves("127.0.0.1")) as api:
        api.answers(says({"metadata": {"name": "n"}}))
        connection = connect(Process("test"), kubeconfig(tmp_path / "config", api.url, authority="ca.crt"), user_agent="holdfast/1.0")
        node = await connection.client.get(Node, "n")
        await connection.client.close()

    assert node.metadata.name == "n"
    assert (connection.server, connection.namespace) == (api.url, "storage")
    assert api.requests[0].headers["user-agent"] == "holdfast/1.0"


async def test_the_death_of_the_process_silences_a_connection(tmp_path: Path):
    """A dead process says nothing, whoever still holds its client."""
    process = Process("test")
    async with fake_api() as api:
        connection = connect(process, kubeconfig(tmp_path / "config", api.url))
        process.die()
        with pytest.raises(Unreachable):
            await connection.client.get(Node, "n")
        await connection.client.close()

    assert api.requests == []


async def test_a_server_that_is_away_is_told_with_what_to_try(home: Path):
    """What happened, to which thing, where the address came from, what to do next."""
    kubeconfig(home / ".kube" / "config", "https://127.0.0.1:1")
    connection = connect(Process("test"), environment={"HOME": str(home)}, patience=IMPATIENT)

    with pytest.raises(NotSent) as caught:
        await connection.client.get(Node, "n")
    await connection.client.close()

    assert words(connection, caught.value) == (
        "cannot reach the Kubernetes API at https://127.0.0.1:1 (connection refused).\n"
        'The kubeconfig is ~/.kube/config, context "prod". Is the server running? Try: kubectl --context prod version'
    )


async def test_a_server_that_is_not_trusted_is_not_asked_to_be_started(tmp_path: Path):
    """It runs; what is wrong is the certificate that we hold."""
    Authority(tmp_path, "other")
    async with fake_api(Authority(tmp_path).serves("127.0.0.1")) as api:
        path = kubeconfig(tmp_path / "config", api.url, authority="other.crt")
        connection = connect(Process("test"), path)
        with pytest.raises(Untrusted) as caught:
            await connection.client.get(Node, "n")
        await connection.client.close()

    told = words(connection, caught.value)
    assert told.endswith(f"Does it belong to this server, and is it up to date? Try: kubectl --kubeconfig {path} --context prod version")
    assert "running" not in told


async def test_a_login_that_fails_is_told_in_its_own_words(tmp_path: Path):
    """Nobody needs to look at the server for it."""
    connection = connect(Process("test"), kubeconfig(tmp_path / "config", "https://c"))

    told = words(connection, NoCredentials('~/c, user "u": the program login ended with exit code 1: run cloud login'))
    await connection.client.close()

    assert told.startswith('~/c, user "u": the program login ended with exit code 1: run cloud login.\nThe kubeconfig is ')
    assert told.endswith('context "prod". Try: kubectl --kubeconfig ' + str(tmp_path / "config") + " --context prod version")
