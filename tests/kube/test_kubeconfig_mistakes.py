"""Every mistake in a kubeconfig is one sentence: which file, which entry, what is wrong, what to do. None shows a secret."""

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.certificates import Authority

from holdfast.kube import kubeconfig
from holdfast.kube.misconfigured import KubeconfigError
from holdfast.process import SystemClock

SECRET = "s3cr3t-value"
USER, CLUSTER = 'DIR/config, user "u"', 'DIR/config, cluster "c"'
V1 = "client.authentication.k8s.io/v1"
GARBAGE = base64.b64encode(b"no certificate").decode()


def refused(path: Path, context: str | None = None) -> str:
    with pytest.raises(KubeconfigError) as caught:
        kubeconfig.load([path], SystemClock()).target(context)
    words = str(caught.value).replace(str(path.parent), "DIR")
    assert SECRET not in words
    assert "\n" not in words
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return words


def file(tmp_path: Path, cluster: Any = None, user: Any = None, context: Any = None, current: str | None = "x") -> Path:
    content = {
        "clusters": [{"name": "c", "cluster": {"server": "https://c"} if cluster is None else cluster}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"} if context is None else context}],
        "current-context": current,
    }
    (tmp_path / "config").write_text(yaml.safe_dump(content))
    return tmp_path / "config"


@pytest.mark.parametrize(
    "user, words",
    [
        (
            {"exec": {"command": "aws", "args": [SECRET], "apiVersion": "client.authentication.k8s.io/v1alpha1"}},
            f'{USER}: exec has apiVersion "client.authentication.k8s.io/v1alpha1"; supported are client.authentication.k8s.io/v1 and',
        ),
        ({"exec": {"apiVersion": V1}}, f"{USER}: exec names no command; add the program that prints the credentials"),
        (
            {"exec": {"apiVersion": V1, "command": "login", "interactiveMode": "Always"}},
            f"{USER}: the program login wants a terminal (interactiveMode: Always), which it does not get here",
        ),
        ({"auth-provider": {"name": "oidc", "config": {"id-token": SECRET}}}, f"{USER}: auth-provider is not supported"),
        ({"username": "admin", "password": SECRET}, f"{USER}: logging in with a user name and password is not supported"),
        ({"token": SECRET, "as": "somebody"}, f"{USER}: acting as somebody else (as) is not supported"),
        ({"token": f"{SECRET}\nx"}, f"{USER}: the token is empty or holds characters that no token has"),
        ({"tokenFile": "nowhere"}, f"{USER}: the token file DIR/nowhere can not be read (no such file or directory)"),
        ({"client-certificate": "a"}, f"{USER}: client-certificate stands without its client key; add the client key"),
        ({"client-key-data": SECRET}, f"{USER}: client-key-data stands without its client certificate"),
        (
            {"client-certificate": "nowhere", "client-key": "k"},
            f"{USER}: client-certificate names DIR/nowhere, which can not be read",
        ),
        (
            {"client-certificate-data": SECRET, "client-key-data": SECRET},
            f"{USER}: client-certificate-data is not valid base64; copy it again from where it came",
        ),
        (
            {"client-certificate-data": GARBAGE, "client-key-data": GARBAGE},
            (f"{USER}: client-certificate-data and {USER}: client-key-data can not be used: one of them is not in PEM form, or encrypted"),
        ),
    ],
)
def test_a_user_that_can_not_be_used_is_named(tmp_path: Path, user: dict[str, Any], words: str):
    """To go on without it would be to act as somebody else."""
    assert refused(file(tmp_path, user=user)).startswith(words)


@pytest.mark.parametrize(
    "cluster, words",
    [
        ({}, f"{CLUSTER}: it has no server; add its address, such as https://10.0.0.1:6443"),
        (
            {"server": "10.0.0.1:6443"},
            f'{CLUSTER}: its server "10.0.0.1:6443" is no address; it must look like https://10.0.0.1:6443',
        ),
        ({"server": "https://"}, f'{CLUSTER}: its server "https://" is no address'),
        ({"server": "https://c:99999"}, f'{CLUSTER}: its server "https://c:99999" is no address'),
        ({"server": "https://[::1"}, f'{CLUSTER}: its server "https://[::1" is no address'),
        ({"server": f"https://me:{SECRET}@c"}, f"{CLUSTER}: its server has a user name in the address"),
        ({"server": f"https://me:{SECRET}@c:99999"}, f"{CLUSTER}: its server has a user name in the address"),
        ({"server": "https://c", "proxy-url": f"http://me:{SECRET}@p"}, f"{CLUSTER}: proxy-url is not supported"),
        (
            {"server": "https://c", "certificate-authority": "nowhere"},
            f"{CLUSTER}: certificate-authority names DIR/nowhere, which can",
        ),
        (
            {"server": "https://c", "certificate-authority-data": "%%"},
            f"{CLUSTER}: certificate-authority-data is not valid base64",
        ),
        (
            {"server": "https://c", "certificate-authority-data": GARBAGE},
            f"{CLUSTER}: certificate-authority-data holds no certificate",
        ),
        (
            {"server": "https://c", "certificate-authority-data": "IA==", "insecure-skip-tls-verify": False},
            (f"{CLUSTER}: certificate-authority-data holds no certificate in PEM form; it must hold the CA certificate of the server"),
        ),
    ],
)
def test_a_cluster_that_can_not_be_used_is_named(tmp_path: Path, cluster: dict[str, Any], words: str):
    """Before anything is sent, with what an address looks like."""
    assert refused(file(tmp_path, cluster=cluster)).startswith(words)


def test_trust_in_a_ca_and_in_anybody_exclude_each_other(tmp_path: Path):
    """One of the two is a mistake, and guessing which would be a hole."""
    Authority(tmp_path)
    cluster = {"server": "https://c", "certificate-authority": "ca.crt", "insecure-skip-tls-verify": True}

    words = refused(file(tmp_path, cluster=cluster))

    assert words == (
        f"{CLUSTER}: certificate-authority stands beside insecure-skip-tls-verify, which would ignore it; remove one of the two"
    )


def test_a_key_of_another_certificate_is_told(tmp_path: Path):
    """Two files mixed up is the usual way."""
    authority = Authority(tmp_path)
    authority.signs("one")
    authority.signs("two")

    words = refused(file(tmp_path, user={"client-certificate": "one.crt", "client-key": "two.key"}))

    assert words == f"{USER}: client-certificate and {USER}: client-key can not be used: they do not belong together"


@pytest.mark.parametrize(
    "context, asked, current, words",
    [
        (None, "prod", "x", 'DIR/config: there is no context "prod" (there is x)'),
        (None, None, "prod", 'DIR/config, current-context: there is no context "prod" (there is x)'),
        (None, None, None, "DIR/config: there is no current-context; choose one with: kubectl config use-context NAME (there is x)"),
        ({"cluster": "d", "user": "u"}, None, "x", 'DIR/config, context "x": there is no cluster "d" (there is c)'),
        ({"cluster": "c", "user": "v"}, None, "x", 'DIR/config, context "x": there is no user "v" (there is u)'),
        (
            {"user": "u"},
            None,
            "x",
            'DIR/config, context "x": it names no cluster; add one with: kubectl config set-context x --cluster=NAME',
        ),
    ],
)
def test_a_name_that_leads_nowhere_is_told_with_those_that_do(tmp_path: Path, context: Any, asked: str, current: str, words: str):
    """Most mistakes are typing mistakes."""
    assert refused(file(tmp_path, context=context, current=current), asked) == words


@pytest.mark.parametrize(
    "content, words",
    [
        (f"users:\n- token: {SECRET}\n  - : [", "DIR/config: it is not valid YAML (line 3, column 3); mend or replace it"),
        (f"token: *{SECRET}", "DIR/config: it is not valid YAML (line 1, column 8); mend or replace it"),
        (f"!!python/object:os.{SECRET} {{}}", "DIR/config: it is not valid YAML (line 1, column 1); mend or replace it"),
        (f"- {SECRET}", "DIR/config: it is no kubeconfig as Kubernetes defines it: Expected `object`, got `array`"),
        (
            "clusters: {}",
            "DIR/config: it is no kubeconfig as Kubernetes defines it: Expected `array | null`, got `object` - at `$.clusters`",
        ),
        (
            f"users: [{{name: u, user: {{token: [{SECRET}]}}}}]",
            "DIR/config: it is no kubeconfig as Kubernetes defines it: Expected `str | null`",
        ),
        ("", "DIR/config: there is no current-context; choose one with: kubectl config use-context NAME"),
        ("\udcff", "DIR/config: it is no text; is this a kubeconfig?"),
        ("\x00", "DIR/config: it is not valid YAML"),
        ("[" * 10_000, "DIR/config: it is not valid YAML"),
    ],
)
def test_a_file_that_is_no_kubeconfig_is_told_without_quoting_it(tmp_path: Path, content: str, words: str):
    """YAML's own messages quote the line, and the line may hold a token."""
    (tmp_path / "config").write_bytes(content.encode(errors="surrogateescape"))

    assert refused(tmp_path / "config").startswith(words)


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    """With what to do about it."""
    assert refused(tmp_path / "config") == "DIR/config: there is no such file; set KUBECONFIG to the kubeconfig of your cluster"


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path):
    """Docker makes one where a mount is missing."""
    (tmp_path / "config").mkdir()

    assert refused(tmp_path / "config") == "DIR/config: it can not be read (is a directory)"
