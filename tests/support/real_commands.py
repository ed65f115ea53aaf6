"""The command lines of the programs of a control plane, for one machine, one run and nobody else."""

from collections.abc import Sequence
from pathlib import Path

from tests.support.real_credentials import Credentials

_ISSUER = "https://kubernetes.default.svc"


def etcd(data: Path, clients: str, peers: str) -> list[str]:
    return [
        "--name=test",
        f"--data-dir={data}",
        f"--listen-client-urls={clients}",
        f"--advertise-client-urls={clients}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=test={peers}",
        # What a test wrote need not outlive the machine.
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def api(store: str, port: int, credentials: Credentials) -> list[str]:
    return [
        f"--etcd-servers={store}",
        *_serves(port, credentials),
        f"--client-ca-file={credentials.authority}",
        # The others look for this one at their start, and complain for ever without it.
        f"--requestheader-client-ca-file={credentials.authority}",
        "--requestheader-allowed-names=front-proxy",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        f"--service-account-issuer={_ISSUER}",
        f"--service-account-key-file={credentials.account_public_key}",
        f"--service-account-signing-key-file={credentials.account_key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--authorization-mode=RBAC",
        "--anonymous-auth=false",
        "--allow-privileged=true",
        # There is no network to reach it by.
        "--endpoint-reconciler-type=none",
    ]


def controllers(port: int, credentials: Credentials, kubeconfig: Path, arguments: Sequence[str]) -> list[str]:
    return [
        f"--kubeconfig={kubeconfig}",
        *_serves(port, credentials),
        *_asks_who_asks(kubeconfig),
        "--leader-elect=false",
        # Each controller acts by its own account, with the rights of that account and no more.
        "--use-service-account-credentials",
        f"--service-account-private-key-file={credentials.account_key}",
        f"--root-ca-file={credentials.authority}",
        # Tests wait for what it does, not for its share of requests.
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        *arguments,
    ]


def scheduler(port: int, credentials: Credentials, kubeconfig: Path, configuration: Path) -> list[str]:
    return [f"--config={configuration}", *_serves(port, credentials), *_asks_who_asks(kubeconfig)]


def _serves(port: int, credentials: Credentials) -> list[str]:
    return [
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--tls-cert-file={credentials.certificate}",
        f"--tls-private-key-file={credentials.key}",
    ]


def _asks_who_asks(kubeconfig: Path) -> list[str]:
    return [f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}"]
