"""How entries become answers: whole objects as they are kept, tables, or metadata alone; and lists of them.

Whole objects are never decoded here. Only their apiVersion may be rewritten, when a kind is asked for in another version than
the one it is kept in.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from holdfast.api.wire import Answer
from holdfast.embedded import tables
from holdfast.embedded.entries import Entry, encode
from holdfast.embedded.negotiation import Form, form_of
from holdfast.embedded.options import Query
from holdfast.embedded.resources import Resource
from holdfast.process import Clock

_START = b'{"apiVersion":"'
_JSON = {"content-type": "application/json"}


def answer(status: int, body: bytes, warnings: Sequence[str] = ()) -> Answer:
    if not warnings:
        return Answer(status, _JSON, body)
    return Answer(status, _JSON | {"warning": ", ".join(f'299 - "{_quoted(text)}"' for text in warnings)}, body)


def _quoted(text: str) -> str:
    printable = "".join(char if " " <= char <= "~" else "?" for char in text[:500])
    return printable.replace("\\", "\\\\").replace('"', '\\"')


class Presentation(Struct, frozen=True):
    """The form that one client asked for."""

    resource: Resource
    form: Form
    #: Ages in tables are counted from its now.
    clock: Clock
    #: How an object begins in the version that was asked for.
    start: bytes
    #: What a row of a table holds beside its cells.
    include: tables.Include = tables.Include.METADATA

    @classmethod
    def of(cls, resource: Resource, accept: str, query: Query, clock: Clock) -> "Presentation":
        start = b'%s%s"' % (_START, resource.api_version.encode())
        return cls(resource, form_of(accept), clock, start, tables.include_of(query.text("includeObject")))

    def object(self, data: bytes, *, is_first: bool = True) -> bytes:
        """One object. In a watch only the first table names its columns."""
        if self.form is Form.OBJECT:
            return self.in_version(data)
        if self.form is Form.TABLE:
            return encode(self._table([data], has_headers=is_first))
        return b'{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":%s}' % Entry(0, data).metadata

    def listing(self, items: Sequence[bytes], metadata: dict[str, Any]) -> bytes:
        if self.form is Form.TABLE:
            return encode(self._table(items, metadata))
        if self.form is Form.METADATA:
            kind, version = "PartialObjectMetadataList", "meta.k8s.io/v1"
        else:
            kind, version = self.resource.kind_of_list, self.resource.api_version
        if self.form is Form.OBJECT and self.resource.is_custom:
            metadata = {"continue": "", **metadata}
        head = encode({"kind": kind, "apiVersion": version, "metadata": metadata})
        shown = (self.object(data) for data in items)
        if self.form is Form.OBJECT and not self.resource.is_custom:
            # In a list of Kubernetes' own kinds the list alone says what they are.
            named = len(self.start) + len(b',"kind":"",') + len(self.resource.kind)
            shown = (b"{" + item[named:] for item in shown)
        return b'%s,"items":[%s]}' % (head[:-1], b",".join(shown))

    def is_as_kept(self, data: bytes) -> bool:
        """Whether these bytes go out as they are kept."""
        return self.form is Form.OBJECT and data.startswith(self.start) and not self.resource.completes_reads

    def in_version(self, data: bytes) -> bytes:
        named = data if data.startswith(self.start) else self.start + data[data.index(b'"', len(_START)) + 1 :]
        return self._completed(named) if self.resource.completes_reads else named

    def _completed(self, data: bytes) -> bytes:
        obj = Entry(0, data).object()
        if self.resource.schema is not None:
            self.resource.schema.default(obj)
        return encode(obj)

    def _table(self, items: Sequence[bytes], metadata: dict[str, Any] | None = None, *, has_headers: bool = True) -> dict[str, Any]:
        objects = [Entry(0, self.in_version(data)).object() for data in items]
        if metadata is None:
            metadata = {"resourceVersion": objects[0]["metadata"].get("resourceVersion", "")} if objects else {}
        now = self.clock.now()
        return tables.table(self.resource, objects, now, include=self.include, list_meta=metadata, has_headers=has_headers)
