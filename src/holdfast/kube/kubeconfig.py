"""Kubeconfig files, read as kubectl reads them.

- Several files are one: of entries with the same name, and of current-context, the first counts. A file named in KUBECONFIG
  that does not exist is skipped, as long as one does.
- A relative path in an entry is relative to the file that holds the entry.
- ``...-data`` goes before the file of the same thing; ``tokenFile`` goes before ``token``.

What we do not support is refused by name, because ignoring it would mean to act as somebody else, or against another server.
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
import yaml
from msgspec import Struct

from holdfast.kube import tls
from holdfast.kube.auth import Anonymous, Credentials, Token, TokenFile
from holdfast.kube.exec_plugin import Plugin, ProgramCredentials
from holdfast.kube.misconfigured import KubeconfigError, shown
from holdfast.kube.target import Target
from holdfast.process import Clock


class _Entry(Struct, frozen=True, rename="kebab"):
    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"  # its fields may be secret


class _Cluster(_Entry, frozen=True, rename="kebab"):
    server: str | None = None
    certificate_authority: str | None = None
    certificate_authority_data: str | None = None
    insecure_skip_tls_verify: bool | None = None
    tls_server_name: str | None = None
    proxy_url: str | None = None


class _User(_Entry, frozen=True, rename="kebab"):
    token: str | None = None
    token_file: str | None = msgspec.field(name="tokenFile", default=None)
    client_certificate: str | None = None
    client_certificate_data: str | None = None
    client_key: str | None = None
    client_key_data: str | None = None
    username: str | None = None
    exec: Plugin | None = None
    auth_provider: Any = None
    as_: str | None = msgspec.field(name="as", default=None)


class _Context(_Entry, frozen=True, rename="kebab"):
    cluster: str | None = None
    user: str | None = None
    namespace: str | None = None


class _NamedCluster(_Entry, frozen=True):
    name: str = ""
    cluster: _Cluster | None = None


class _NamedUser(_Entry, frozen=True):
    name: str = ""
    user: _User | None = None


class _NamedContext(_Entry, frozen=True):
    name: str = ""
    context: _Context | None = None


class _File(_Entry, frozen=True, rename="kebab"):
    current_context: str | None = None
    clusters: tuple[_NamedCluster, ...] | None = None
    users: tuple[_NamedUser, ...] | None = None
    contexts: tuple[_NamedContext, ...] | None = None


V = TypeVar("V", _Cluster, _User, _Context)


class Kubeconfig:
    """The files as one. Each entry remembers the file that it came from."""

    def __init__(self, paths: Sequence[Path], clock: Clock) -> None:
        self.paths = tuple(paths)
        self._clock = clock
        self._current: tuple[str, Path] | None = None
        self._clusters: dict[str, tuple[_Cluster, Path]] = {}
        self._users: dict[str, tuple[_User, Path]] = {}
        self._contexts: dict[str, tuple[_Context, Path]] = {}
        for path in paths:
            self._add(path, _read(path))

    def _add(self, path: Path, file: _File) -> None:
        if file.current_context and self._current is None:
            self._current = file.current_context, path
        for cluster in file.clusters or ():
            self._clusters.setdefault(cluster.name, (cluster.cluster or _Cluster(), path))
        for user in file.users or ():
            self._users.setdefault(user.name, (user.user or _User(), path))
        for context in file.contexts or ():
            self._contexts.setdefault(context.name, (context.context or _Context(), path))

    def target(self, context: str | None = None) -> Target:
        """The cluster, user and namespace of a context, ``current-context`` by default."""
        name, asked_by = (context, "") if context else self._current_context()
        described, path = self._named(name, "context", self._contexts, asked_by)
        where = f'{shown(path)}, context "{name}"'
        if not described.cluster:
            raise KubeconfigError(f"{where}: it names no cluster; add one with: kubectl config set-context {name} --cluster=NAME")
        cluster, cluster_path = self._named(described.cluster, "cluster", self._clusters, where)
        if described.user:
            user, user_path = self._named(described.user, "user", self._users, where)
        else:
            user, user_path = _User(), path
        about_cluster = f'{shown(cluster_path)}, cluster "{described.cluster}"'
        about_user = f'{shown(user_path)}, user "{described.user}"'
        return Target(
            server=_server(cluster, about_cluster),
            namespace=described.namespace or "",
            source=f"the kubeconfig is {where}",
            attempt=f"kubectl --context {shlex.quote(name)} version",
            tls=tls.context(
                authority=_material(
                    about_cluster, "certificate-authority", cluster_path, cluster.certificate_authority, cluster.certificate_authority_data
                ),
                insecure=bool(cluster.insecure_skip_tls_verify),
                certificate=_material(about_user, "client-certificate", user_path, user.client_certificate, user.client_certificate_data),
                key=_material(about_user, "client-key", user_path, user.client_key, user.client_key_data),
            ),
            tls_server_name=cluster.tls_server_name or "",
            credentials=_credentials(user, user_path, about_user, cluster, self._clock),
        )

    def _current_context(self) -> tuple[str, str]:
        if self._current is not None:
            name, path = self._current
            return name, f"{shown(path)}, current-context"
        files = ", ".join(shown(path) for path in self.paths)
        raise KubeconfigError(
            f"{files}: there is no current-context; choose one with: kubectl config use-context NAME{_known(self._contexts)}"
        )

    def _named(self, name: str, what: str, entries: Mapping[str, tuple[V, Path]], asked_by: str) -> tuple[V, Path]:
        found = entries.get(name)
        if found is not None:
            return found
        files = ", ".join(shown(path) for path in self.paths)
        raise KubeconfigError(f'{asked_by or files}: there is no {what} "{name}"{_known(entries)}')


def _known(entries: Mapping[str, Any]) -> str:
    return f" (there {'is' if len(entries) == 1 else 'are'} {', '.join(sorted(entries)[:10])})" if entries else ""


def load(paths: Sequence[Path], clock: Clock) -> Kubeconfig:
    """Read the files of a KUBECONFIG list; those that do not exist are skipped, if one does."""
    present = [path for path in paths if path.exists()]
    if not present:
        files = ", ".join(shown(path) for path in paths)
        raise KubeconfigError(f"{files}: there is no such file; set KUBECONFIG to the kubeconfig of your cluster")
    return Kubeconfig(present, clock)


def _read(path: Path) -> _File:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as failure:
        raise KubeconfigError(f"{shown(path)}: it can not be read ({(failure.strerror or 'unreadable').lower()})") from None
    except UnicodeDecodeError:
        raise KubeconfigError(f"{shown(path)}: it is no text; is this a kubeconfig?") from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        content = yaml.load(text, Loader=loader)  # noqa: S506 - both are safe loaders, one of them is fast
    except (yaml.YAMLError, ValueError, RecursionError) as failure:
        # Not the words of the failure: they quote the file, and the line may hold a token.
        mark = getattr(failure, "problem_mark", None)
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise KubeconfigError(f"{shown(path)}: it is not valid YAML{place}; mend or replace it") from None
    try:
        return msgspec.convert(content or {}, _File)
    except msgspec.ValidationError as failure:
        raise KubeconfigError(f"{shown(path)}: it is no kubeconfig as Kubernetes defines it: {failure}") from None


def _server(cluster: _Cluster, where: str) -> str:
    if cluster.proxy_url:
        raise KubeconfigError(f"{where}: proxy-url is not supported; remove it and give a server that can be reached directly")
    if not cluster.server:
        raise KubeconfigError(f"{where}: it has no server; add its address, such as https://10.0.0.1:6443")
    if "@" in cluster.server:  # not shown: it may hold a password
        raise KubeconfigError(f"{where}: its server has a user name in the address; remove it and use a token or a client certificate")
    try:
        parts = urlsplit(cluster.server)
        usable = parts.scheme in ("https", "http") and bool(parts.hostname) and parts.port != 0 and not (parts.query or parts.fragment)
    except ValueError:
        usable = False
    if not usable:
        raise KubeconfigError(f'{where}: its server "{cluster.server}" is no address; it must look like https://10.0.0.1:6443')
    return cluster.server.rstrip("/")


def _credentials(user: _User, path: Path, where: str, cluster: _Cluster, clock: Clock) -> Credentials:
    if user.as_:
        raise KubeconfigError(f"{where}: acting as somebody else (as) is not supported; use a user with its own rights")
    if user.token_file:
        return TokenFile(path.parent / user.token_file, where)
    if user.token:
        return Token(user.token, where)
    if user.client_certificate or user.client_certificate_data:
        return Anonymous()
    instead = "use a token, a tokenFile or a client certificate, such as: kubectl create token NAME --duration=8h"
    if user.exec is not None:
        return ProgramCredentials(user.exec, path.parent, _told_to_programs(cluster), where, clock)
    if user.auth_provider is not None:
        raise KubeconfigError(f"{where}: auth-provider is not supported, and was removed from Kubernetes; {instead}")
    if user.username:
        raise KubeconfigError(f"{where}: logging in with a user name and password is not supported; {instead}")
    return Anonymous()


def _told_to_programs(cluster: _Cluster) -> dict[str, object]:
    """The cluster as an ExecCredential describes it (for a program that asked with provideClusterInfo)."""
    told = {
        "server": cluster.server,
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure_skip_tls_verify,
        "certificate-authority-data": cluster.certificate_authority_data,
    }
    return {name: value for name, value in told.items() if value}


def _material(where: str, entry: str, path: Path, file: str | None, data: str | None) -> tls.Material | None:
    if data:
        return tls.Material(entry=f"{where}: {entry}-data", data=data)
    return tls.Material(entry=f"{where}: {entry}", file=path.parent / file) if file else None
