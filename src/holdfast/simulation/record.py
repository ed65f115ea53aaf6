"""The record of revisions: one JSON line for each thing that an API committed.

Any home can write it. A line is ``{"revision": int, "type": "ADDED|MODIFIED|DELETED", "object": {...}}``, in the order of the
commits. A line cut short by a crash ends the record: what follows was never acknowledged.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec


class Revision(msgspec.Struct, frozen=True):
    """One committed change, with the whole object after it (before it, for a delete)."""

    revision: int
    type: str
    object: dict[str, Any]

    @property
    def kind(self) -> str:
        return f"{self.object.get('apiVersion', '')}/{self.object.get('kind', '')}"

    @property
    def key(self) -> tuple[str, str, str]:
        metadata = self.object["metadata"]
        return self.kind, metadata.get("namespace", ""), metadata["name"]


class _Named(msgspec.Struct):
    """What every object has in its metadata; the rest is the invariants' concern."""

    name: str
    namespace: str = ""
    finalizers: list[str] = []
    owner_references: list[dict[str, Any]] = msgspec.field(default=[], name="ownerReferences")


class _Identified(msgspec.Struct, rename="camel"):
    api_version: str
    kind: str
    metadata: _Named


_TYPES = frozenset({"ADDED", "MODIFIED", "DELETED"})


class RecordError(Exception):
    """A file that is no record, told with its line."""


class Recorder:
    """Writes a record as an observer of an API: pass ``recorder.see`` to it."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def see(self, revision: dict[str, Any]) -> None:
        self._out.write(msgspec.json.encode(revision) + b"\n")
        self._out.flush()


def read_record(path: Path) -> Iterator[Revision]:
    """The revisions in a file; raises ``RecordError`` on a line that is none."""
    with path.open("rb") as lines:
        yield from parse_record(lines, str(path))


def parse_record(lines: Iterable[bytes], source: str) -> Iterator[Revision]:
    """The revisions in some lines; raises ``RecordError`` on a line that is none."""
    decoder = msgspec.json.Decoder(Revision)
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            return
        try:
            revision = decoder.decode(line)
            msgspec.convert(revision.object, _Identified)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
            raise RecordError(f"{source} line {number} is no revision: {fault}") from fault
        if revision.type not in _TYPES:
            raise RecordError(f"{source} line {number} is no revision: {revision.type!r:.40} is no type of a change")
        yield revision
