"""From what a person or a pod has to a client.

Where we look, in this order: the kubeconfig that was named, the files of ``KUBECONFIG``, ``~/.kube/config``, and the service
account of the pod that we run in.
"""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from holdfast.api.wire import Unreachable
from holdfast.kube import in_cluster, kubeconfig
from holdfast.kube.client import Client
from holdfast.kube.http_transport import HttpTransport
from holdfast.kube.misconfigured import KubeconfigError
from holdfast.kube.retry import PATIENT, Patience
from holdfast.kube.target import Target
from holdfast.kube.unreachable import NoCredentials, Untrusted
from holdfast.process import Clock, Process


class Connection(Struct, frozen=True):
    """A client, and where it leads. ``source`` and ``attempt`` are for messages (see ``Target``)."""

    client: Client
    namespace: str
    server: str
    source: str
    attempt: str


def connect(
    process: Process,
    kubeconfig: Path | str | None = None,
    context: str | None = None,
    *,
    user_agent: str = "holdfast",
    patience: Patience = PATIENT,
    environment: Mapping[str, str] = os.environ,
) -> Connection:
    """A client for the API that we were told of. Nothing is sent yet. Raises ``KubeconfigError``; close it with ``client.close()``."""
    target = find(kubeconfig, context, environment, process.clock)
    transport = HttpTransport(target.server, tls=target.tls, tls_server_name=target.tls_server_name, credentials=target.credentials)
    process.at_death(transport.kill)
    client = Client(transport, process, user_agent=user_agent, patience=patience)
    return Connection(client, target.namespace, target.server, target.source, target.attempt)


def find(named: Path | str | None, context: str | None, environment: Mapping[str, str], clock: Clock) -> Target:
    """The API that was named, or the one found first."""
    if named:
        path = Path(named).expanduser()
        target = kubeconfig.load([path], clock).target(context)
        # Unlike with KUBECONFIG, kubectl does not know of a file that only we were told of.
        return replace(target, attempt=target.attempt.replace("kubectl", f"kubectl --kubeconfig {shlex.quote(str(path))}", 1))
    listed = [Path(entry) for entry in environment.get("KUBECONFIG", "").split(os.pathsep) if entry]
    if listed:
        return kubeconfig.load(listed, clock).target(context)
    usual = Path(environment.get("HOME") or Path.home(), ".kube", "config")
    if usual.exists():
        return kubeconfig.load([usual], clock).target(context)
    if in_cluster.is_in_cluster(environment):
        if context:
            raise KubeconfigError(f'there is no context "{context}": in a pod without a kubeconfig the service account is used')
        return in_cluster.target(environment)
    raise KubeconfigError("no kubeconfig was named, KUBECONFIG is not set and ~/.kube/config does not exist; set KUBECONFIG, or name one")


def words(connection: Connection, failure: Unreachable) -> str:
    """What to tell a person who did not get an answer."""
    if isinstance(failure, NoCredentials):
        advice = ""
    elif isinstance(failure, Untrusted):
        advice = "Does it belong to this server, and is it up to date? "
    else:
        advice = "Is the server running? "
    return f"{failure}.\n{connection.source[0].upper()}{connection.source[1:]}. {advice}Try: {connection.attempt}"
