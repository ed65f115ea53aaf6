"""The API as a pod finds it: Kubernetes puts the address into the environment and the service account into files."""

from collections.abc import Mapping
from pathlib import Path

from holdfast.kube import tls
from holdfast.kube.auth import TokenFile
from holdfast.kube.misconfigured import KubeconfigError
from holdfast.kube.target import Target

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_WHERE = "in the cluster"


def is_in_cluster(environment: Mapping[str, str]) -> bool:
    return bool(environment.get("KUBERNETES_SERVICE_HOST"))


def target(environment: Mapping[str, str], folder: Path = SERVICE_ACCOUNT) -> Target:
    """The API server of the cluster that this pod runs in, with the rights of its service account."""
    host, port = environment["KUBERNETES_SERVICE_HOST"], environment.get("KUBERNETES_SERVICE_PORT", "443")
    if not (folder / "token").exists():
        raise KubeconfigError(
            f"KUBERNETES_SERVICE_HOST is set as in a pod, but {folder / 'token'} is missing; "
            "set automountServiceAccountToken: true on the pod or its service account"
        )
    authority = tls.Material(entry=f"{_WHERE}: ca.crt of the service account", file=folder / "ca.crt")
    return Target(
        server=f"https://{f'[{host}]' if ':' in host else host}:{port}",
        namespace=_namespace(folder / "namespace"),
        source="the service account of this pod is used",
        attempt="kubectl version",
        tls=tls.context(authority=authority),
        credentials=TokenFile(folder / "token", _WHERE),
    )


def _namespace(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
