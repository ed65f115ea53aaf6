"""An object as the store keeps it: encoded once, with the few facts that selectors, collectors and namespaces ask for.

The bytes are final: they hold the revision, begin with apiVersion and kind, and are what every reader and every watcher gets.
"""

from typing import Any, NamedTuple

import msgspec


class Key(NamedTuple):
    """Where an object is kept. ``resource`` is ``Resource.id``; cluster-wide objects have no namespace."""

    resource: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.resource}/{self.namespace}/{self.name}"

    @classmethod
    def parse(cls, text: str) -> "Key":
        resource, namespace, name = text.split("/", 2)
        return cls(resource, namespace, name)


class Owner(msgspec.Struct, gc=False, rename="camel"):
    """An ownerReference, as far as the collector reads it."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    block_owner_deletion: bool | None = None


class Facts(msgspec.Struct, gc=False, rename="camel"):
    """The part of an object's metadata that the server itself acts on."""

    uid: str = ""
    labels: dict[str, str] | None = None
    finalizers: tuple[str, ...] | None = None
    owner_references: tuple[Owner, ...] | None = None
    deletion_timestamp: str | None = None
    creation_timestamp: str | None = None

    @property
    def is_deleting(self) -> bool:
        return bool(self.deletion_timestamp)


class _Peek(msgspec.Struct, gc=False):
    metadata: Facts


class _Head(msgspec.Struct, gc=False):
    metadata: msgspec.Raw


_peek = msgspec.json.Decoder(_Peek)
_head = msgspec.json.Decoder(_Head)
_decode = msgspec.json.Decoder()
encode = msgspec.json.encode


class Entry:
    """One version of one object. Never changed once made."""

    __slots__ = ("_facts", "data", "revision")

    def __init__(self, revision: int, data: bytes) -> None:
        self.revision = revision
        self.data = data
        self._facts: Facts | None = None

    @property
    def facts(self) -> Facts:
        if self._facts is None:
            self._facts = _peek.decode(self.data).metadata
        return self._facts

    @property
    def metadata(self) -> bytes:
        """The metadata alone, as it is encoded."""
        return bytes(_head.decode(self.data).metadata)

    def object(self) -> dict[str, Any]:
        """The object as a dict of its own, free to be changed."""
        obj: dict[str, Any] = _decode.decode(self.data)
        return obj

    def at_revision(self, revision: int) -> bytes:
        """The same object told under another revision: what a watcher gets when an object leaves its selection."""
        obj = self.object()
        obj["metadata"]["resourceVersion"] = str(revision)
        return encode(obj)
