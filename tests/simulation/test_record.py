"""A record is read back as it was written, as far as it was written."""

import io
from pathlib import Path

import pytest

from holdfast.simulation.record import Recorder, RecordError, parse_record, read_record

LINE = {"revision": 7, "type": "ADDED", "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "d"}}}


def test_what_was_recorded_is_read_back(tmp_path: Path) -> None:
    """The checker judges what happened, not a retelling."""
    path = tmp_path / "record.jsonl"
    with path.open("wb") as out:
        Recorder(out).see(LINE)

    (revision,) = read_record(path)

    assert (revision.revision, revision.type, revision.key) == (7, "ADDED", ("v1/ConfigMap", "d", "c"))


def test_a_line_cut_by_a_crash_ends_the_record() -> None:
    """A killed writer leaves half a line; what it had written before still counts."""
    out = io.BytesIO()
    Recorder(out).see(LINE)

    assert len(list(parse_record([out.getvalue(), out.getvalue()[:-5]], "record"))) == 1


def test_a_line_that_is_no_revision_is_named() -> None:
    """A wrong file is told with its line, not with a traceback."""
    with pytest.raises(RecordError, match="record line 1 is no revision"):
        list(parse_record([b'{"foo": 1}\n'], "record"))


@pytest.mark.parametrize(
    "line",
    [
        b'{"revision": "1", "type": "ADDED", "object": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}}\n',
        b'{"revision": 1, "type": "ADDED", "object": {"kind": "A", "metadata": {"name": "a"}}}\n',
        b'{"revision": 1, "type": "ADDED", "object": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "finalizers": "x"}}}\n',
        b'{"revision": 1, "type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}}\n',
        b"\xff\n",
        b"[" * 100_000 + b"\n",
    ],
    ids=["a text for a number", "no apiVersion", "no list", "no change", "no UTF-8", "too deep"],
)
def test_a_line_is_an_object_with_a_name(line: bytes) -> None:
    """Whoever reads a record may rely on it: what stands beyond the name is of any shape."""
    with pytest.raises(RecordError, match="record line 1 is no revision"):
        list(parse_record([line], "record"))
