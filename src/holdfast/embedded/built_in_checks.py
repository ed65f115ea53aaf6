"""What Kubernetes refuses in the content of its own kinds, beyond the types of fields."""

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from holdfast.api.errors import StatusCause
from holdfast.embedded.schema import causes

Object = dict[str, Any]

_LARGEST = 1024 * 1024
_LONGEST_KEY = 253
_KEY = "[-._a-zA-Z0-9]+"
_is_key = re.compile(_KEY).fullmatch
#: Of keys that nothing is wrong with; it does not know all of those.
_is_plain_key = re.compile(f"[-_a-zA-Z0-9][-._a-zA-Z0-9]{{0,{_LONGEST_KEY - 1}}}").fullmatch
_KEY_WORDS = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "
    f"(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '{_KEY}')"
)
#: Finalizers that need no domain before their name.
_PLAIN_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})
_CLUSTER_NAMESPACES = frozenset({"default", "kube-system"})
_ACCOUNT = "kubernetes.io/service-account.name"


def finalizers(metadata: Object) -> Iterator[StatusCause]:
    """Kubernetes' own kinds take none without a domain but its own."""
    for at, finalizer in enumerate(metadata.get("finalizers", ())):
        if "/" not in finalizer and finalizer not in _PLAIN_FINALIZERS:
            words = "name is neither a standard finalizer name nor is it fully qualified"
            yield causes.invalid(f"metadata.finalizers[{at}]", finalizer, words)


def config_map(obj: Object) -> Iterator[StatusCause]:
    data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    for key in data if binary else ():
        if key in binary:
            yield causes.invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
    yield from _keys("data", data)
    yield from _keys("binaryData", binary)
    if _encoded_size(data) + _decoded_size(binary) > _LARGEST:
        yield causes.too_long("[]", _LARGEST)


def secret(obj: Object) -> Iterator[StatusCause]:
    data = obj.get("data") or {}
    yield from _keys("data", data)
    if _decoded_size(data) > _LARGEST:
        yield causes.too_long("data", _LARGEST)
    wanted = _TYPES.get(obj.get("type", ""))
    if wanted is not None:
        yield from wanted(obj, data)


def lease(obj: Object) -> Iterator[StatusCause]:
    spec = obj.get("spec") or {}
    seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if seconds is not None and seconds <= 0:
        yield causes.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0")
    if transitions is not None and transitions < 0:
        yield causes.invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0")


def event(obj: Object) -> Iterator[StatusCause]:
    about, namespace = (obj.get("involvedObject") or {}).get("namespace", ""), obj["metadata"].get("namespace", "")
    # What lives in no namespace is told of in one of these.
    if about != namespace and (about or namespace not in _CLUSTER_NAMESPACES):
        yield causes.invalid("involvedObject.namespace", about, "does not match event.namespace")


def _keys(field: str, data: Mapping[str, Any]) -> Iterator[StatusCause]:
    if all(map(_is_plain_key, data)):
        return
    for key in data:
        if len(key) > _LONGEST_KEY:
            yield causes.invalid(f"{field}[{key}]", key, f"must be no more than {_LONGEST_KEY} characters")
        elif not _is_key(key):
            yield causes.invalid(f"{field}[{key}]", key, _KEY_WORDS)
        elif key == "." or key.startswith(".."):
            yield causes.invalid(f"{field}[{key}]", key, "must not be '.'" if key == "." else "must not start with '..'")


def _encoded_size(data: Mapping[str, str]) -> int:
    # Most texts are of letters of one byte each, and Python knows that of them.
    return sum(len(value) if value.isascii() else len(value.encode()) for value in data.values())


def _decoded_size(data: Mapping[str, str]) -> int:
    return sum(len(value) * 3 // 4 - value[-2:].count("=") for value in data.values())


def _of_account(obj: Object, _data: Mapping[str, str]) -> Iterator[StatusCause]:
    if not obj["metadata"].get("annotations", {}).get(_ACCOUNT):
        yield causes.required(f"metadata.annotations[{_ACCOUNT}]")


def _of_registry(key: str) -> Callable[[Object, Mapping[str, str]], Iterator[StatusCause]]:
    def check(_obj: Object, data: Mapping[str, str]) -> Iterator[StatusCause]:
        if key not in data:
            yield causes.required(f"data[{key}]")
            return
        try:
            is_object = isinstance(json.loads(base64.b64decode(data[key])), dict | None)
        except (ValueError, RecursionError):
            is_object = False
        if not is_object:
            yield causes.invalid(f"data[{key}]", "<secret contents redacted>", "not a JSON object")

    return check


def _of_login(_obj: Object, data: Mapping[str, str]) -> Iterator[StatusCause]:
    if "username" not in data and "password" not in data:
        yield causes.required("data[username]")
        yield causes.required("data[password]")


def _of_ssh(_obj: Object, data: Mapping[str, str]) -> Iterator[StatusCause]:
    if not data.get("ssh-privatekey"):
        yield causes.required("data[ssh-privatekey]")


def _of_tls(_obj: Object, data: Mapping[str, str]) -> Iterator[StatusCause]:
    for key in ("tls.crt", "tls.key"):
        if key not in data:
            yield causes.required(f"data[{key}]")


_TYPES: dict[str, Callable[[Object, Mapping[str, str]], Iterator[StatusCause]]] = {
    "kubernetes.io/service-account-token": _of_account,
    "kubernetes.io/dockercfg": _of_registry(".dockercfg"),
    "kubernetes.io/dockerconfigjson": _of_registry(".dockerconfigjson"),
    "kubernetes.io/basic-auth": _of_login,
    "kubernetes.io/ssh-auth": _of_ssh,
    "kubernetes.io/tls": _of_tls,
}
