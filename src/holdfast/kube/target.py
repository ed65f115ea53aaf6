"""A Kubernetes API that we were told of: where it is, how to be let in, and who told us."""

import ssl

from msgspec import Struct

from holdfast.kube.auth import Anonymous, Credentials


class Target(Struct, frozen=True, kw_only=True):
    """All that is needed to reach an API, and the words to say where it came from."""

    server: str
    #: The namespace that the source names; empty when it names none.
    namespace: str = ""
    #: As a clause: ``kubeconfig is ~/.kube/config, context "prod"``.
    source: str = ""
    #: A command with which a person can check the same target.
    attempt: str = ""
    tls: ssl.SSLContext | None = None
    tls_server_name: str = ""
    credentials: Credentials = Anonymous()
