"""The way from a command line to a cluster, with words for every way in which it may be closed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast.api.errors import ApiError, Forbidden, Unauthorized
from holdfast.api.wire import Unreachable
from holdfast.kube.connect import Connection, connect, words
from holdfast.kube.misconfigured import KubeconfigError
from holdfast.kube.retry import PATIENT, Patience
from holdfast.plane.failure import Failure
from holdfast.process import Process


@asynccontextmanager
async def reached(
    process: Process, kubeconfig: Path | None, context: str | None, *, patience: Patience = PATIENT
) -> AsyncIterator[Connection]:
    """The cluster of a kubeconfig. What it refuses within the context becomes a ``Failure``."""
    try:
        connection = connect(process, kubeconfig, context, patience=patience)
    except KubeconfigError as error:
        raise Failure(f"{error}.") from error
    try:
        yield connection
    except Unreachable as failure:
        raise Failure(words(connection, failure)) from failure
    except ApiError as refusal:
        raise Failure(_refused(connection, refusal)) from refusal
    finally:
        await connection.client.close()


def _refused(connection: Connection, refusal: ApiError) -> str:
    source = f"{connection.source[0].upper()}{connection.source[1:]}."
    if isinstance(refusal, Unauthorized):
        return (
            f"the Kubernetes API at {connection.server} does not accept our credentials: they are missing, wrong or expired.\n"
            f"{source} Log in again, or get a new token. Try: {connection.attempt}"
        )
    if isinstance(refusal, Forbidden):
        return (
            f"the Kubernetes API at {connection.server} does not allow it: {refusal}.\n{source} The rights needed are in deploy/rbac.yaml."
        )
    return f"the Kubernetes API at {connection.server} refused: {refusal}.\n{source}"
