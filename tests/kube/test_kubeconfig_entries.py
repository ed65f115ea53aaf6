"""What a kubeconfig says, read as kubectl reads it."""

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.certificates import Authority
from tests.support.fake_api import FakeApi, fake_api, says

from holdfast.api.wire import Request
from holdfast.kube import kubeconfig
from holdfast.kube.http_transport import HttpTransport
from holdfast.kube.misconfigured import KubeconfigError
from holdfast.kube.target import Target
from holdfast.process import SystemClock


def written(path: Path, clusters: dict[str, Any], users: dict[str, Any], contexts: dict[str, Any], current: str | None = None) -> Path:
    """A kubeconfig file with these entries."""
    content: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": entry} for name, entry in clusters.items()],
        "users": [{"name": name, "user": entry} for name, entry in users.items()],
        "contexts": [{"name": name, "context": entry} for name, entry in contexts.items()],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content | ({"current-context": current} if current else {})))
    return path


def one(tmp_path: Path, cluster: dict[str, Any] | None = None, user: dict[str, Any] | None = None) -> Target:
    """The target of a file with one context."""
    settings = {"server": "https://10.0.0.1:6443", **(cluster or {})}
    path = written(tmp_path / "config", {"c": settings}, {"u": user or {}}, {"x": {"cluster": "c", "user": "u"}}, "x")
    return kubeconfig.load([path], SystemClock()).target()


async def test_the_current_context_names_cluster_user_and_namespace(tmp_path: Path):
    """What kubectl would speak to is what we speak to."""
    path = written(
        tmp_path / "config",
        {"a": {"server": "https://a:6443/"}, "b": {"server": "https://b:6443"}},
        {"ua": {"token": "ta"}, "ub": {"token": "tb"}},
        {"xa": {"cluster": "a", "user": "ua", "namespace": "storage"}, "xb": {"cluster": "b", "user": "ub"}},
        current="xa",
    )
    config = kubeconfig.load([path], SystemClock())

    first, second = config.target(), config.target("xb")

    assert (first.server, first.namespace, await first.credentials.authorization()) == ("https://a:6443", "storage", "Bearer ta")
    assert (second.server, second.namespace, await second.credentials.authorization()) == ("https://b:6443", "", "Bearer tb")
    assert first.source == f'the kubeconfig is {path}, context "xa"'
    assert second.attempt == "kubectl --context xb version"


async def test_of_several_files_the_first_counts_for_every_name(tmp_path: Path):
    """KUBECONFIG=mine:shared: what I say goes before what the shared file says, name by name."""
    mine = written(tmp_path / "mine", {"c": {"server": "https://mine"}}, {}, {})
    shared = written(
        tmp_path / "shared",
        {"c": {"server": "https://shared"}, "d": {"server": "https://d"}},
        {"u": {"token": "t"}},
        {"x": {"cluster": "c", "user": "u"}, "y": {"cluster": "d", "user": "u"}},
        current="x",
    )
    last = written(tmp_path / "last", {}, {"u": {"token": "other"}}, {}, current="y")
    config = kubeconfig.load([mine, tmp_path / "missing", shared, last], SystemClock())

    assert config.target().server == "https://mine"
    assert await config.target().credentials.authorization() == "Bearer t"
    assert config.target("y").server == "https://d"


async def test_a_relative_path_is_relative_to_the_file_that_holds_it(tmp_path: Path):
    """Not to the first file, and not to where the program was started."""
    folder = tmp_path / "other"
    path = written(folder / "config", {}, {"u": {"tokenFile": "secrets/token"}}, {})
    (folder / "secrets").mkdir()
    (folder / "secrets" / "token").write_text("from-file")
    first = written(tmp_path / "config", {"c": {"server": "https://c"}}, {}, {"x": {"cluster": "c", "user": "u"}}, "x")

    assert await kubeconfig.load([first, path], SystemClock()).target().credentials.authorization() == "Bearer from-file"


async def test_a_token_file_goes_before_a_token(tmp_path: Path):
    """The file is the one that is renewed."""
    (tmp_path / "token").write_text("fresh")

    target = one(tmp_path, user={"token": "stale", "tokenFile": "token"})

    assert await target.credentials.authorization() == "Bearer fresh"


async def test_a_user_may_be_missing(tmp_path: Path):
    """Kubectl proxy needs none."""
    path = written(tmp_path / "config", {"c": {"server": "http://127.0.0.1:8001"}}, {}, {"x": {"cluster": "c"}}, "x")

    target = kubeconfig.load([path], SystemClock()).target()

    assert (target.server, await target.credentials.authorization()) == ("http://127.0.0.1:8001", "")


def test_json_is_a_kubeconfig_too(tmp_path: Path):
    """YAML holds JSON, and tools write it."""
    path = tmp_path / "config"
    path.write_text(
        '{"current-context": "x", "clusters": [{"name": "c", "cluster": {"server": "https://c"}}],'
        ' "contexts": [{"name": "x", "context": {"cluster": "c"}}], "users": null, "preferences": {}}'
    )

    assert kubeconfig.load([path], SystemClock()).target().server == "https://c"


async def certificates_work(api: FakeApi, target: Target) -> bool:
    api.answers(says({}))
    transport = HttpTransport(api.url, tls=target.tls, tls_server_name=target.tls_server_name, credentials=target.credentials)
    try:
        return (await transport.send(Request("GET", "/version"))).status == 200
    finally:
        await transport.close()


@pytest.mark.parametrize("form", ["files", "data", "data before files"])
async def test_certificates_come_from_files_or_from_data(tmp_path: Path, form: str):
    """Clusters made by kubeadm write data, others write files; data goes first where both stand."""
    authority = Authority(tmp_path)
    certificate, key = authority.signs("admin")
    files = {"certificate-authority": authority.file.name, "client-certificate": certificate.name, "client-key": str(key)}
    entries: dict[str, str] = {}
    if form == "files":
        entries = dict(files)
    if form != "files":
        entries = {f"{entry}-data": base64.b64encode((tmp_path / file).read_bytes()).decode() for entry, file in files.items()}
    if form == "data before files":
        entries |= dict.fromkeys(files, "missing.crt")
    target = one(
        tmp_path,
        cluster={entry: value for entry, value in entries.items() if entry.startswith("certificate-authority")},
        user={entry: value for entry, value in entries.items() if entry.startswith("client")},
    )

    async with fake_api(authority.serves("127.0.0.1", clients=authority.file)) as api:
        assert await certificates_work(api, target)


async def test_the_name_of_the_server_may_differ_from_its_address(tmp_path: Path):
    """tls-server-name: behind a tunnel the certificate says something else."""
    authority = Authority(tmp_path)
    target = one(tmp_path, cluster={"certificate-authority": "ca.crt", "tls-server-name": "kubernetes.default"})

    async with fake_api(authority.serves("kubernetes.default")) as api:
        assert await certificates_work(api, target)


async def test_a_server_may_be_trusted_without_a_look(tmp_path: Path):
    """insecure-skip-tls-verify does what it says."""
    target = one(tmp_path, cluster={"insecure-skip-tls-verify": True}, user={"token": "t"})

    async with fake_api(Authority(tmp_path).serves("elsewhere")) as api:
        assert await certificates_work(api, target)


def test_secrets_show_in_no_repr(tmp_path: Path):
    """Reprs end in logs and tracebacks, and those in tickets."""
    authority = Authority(tmp_path)
    _certificate, key = authority.signs("admin")
    data = base64.b64encode(key.read_bytes()).decode()
    secret = "very-secret-token"
    users = {"u": {"token": secret}, "v": {"client-key-data": data}}
    path = written(tmp_path / "config", {"c": {"server": "https://c"}}, users, {"x": {"cluster": "c", "user": "u"}}, "x")
    config = kubeconfig.load([path], SystemClock())

    everything = repr((config, vars(config), config.target(), config.target().credentials))

    assert secret not in everything
    assert data[:20] not in everything


def test_no_temporary_file_with_a_key_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """OpenSSL reads keys from files; ours live for that moment only."""
    authority = Authority(tmp_path)
    certificate, key = (base64.b64encode(file.read_bytes()).decode() for file in authority.signs("admin"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    one(tmp_path, user={"client-certificate-data": certificate, "client-key-data": key})
    with pytest.raises(KubeconfigError):
        one(tmp_path, user={"client-certificate-data": certificate, "client-key-data": certificate})

    assert list(temporary.iterdir()) == []
