"""`holdfast verify --record`: what it says of a record, and of what is none."""

import io
import json
from pathlib import Path

import pytest
from tests.support.program import holdfast
from tests.support.records import GIB, RecordByHand

from holdfast.cli.verify import Shown, judged, text
from holdfast.simulation.record import RecordError, Revision


def lines(revisions: list[Revision]) -> list[bytes]:
    return [json.dumps({"revision": each.revision, "type": each.type, "object": each.object}).encode() + b"\n" for each in revisions]


@pytest.fixture
def good() -> RecordByHand:
    """A disk, and a grant on it."""
    record = RecordByHand()
    record.disk()
    record.asks(r1=50)
    record.grants(r1=50, more={"r1": {"orphanedSince": "2026-01-01T00:00:00Z"}})
    return record


@pytest.fixture
def bad(good: RecordByHand) -> RecordByHand:
    """And one that the disk has not got."""
    good.asks(r2=51)
    good.grants(r2=51, more={"r2": {"orphanedSince": "2026-01-01T00:00:00Z"}})
    return good


@pytest.fixture
def file(tmp_path):
    def write(content: bytes | list[bytes], name: str = "record.jsonl") -> Path:
        path: Path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else b"".join(content))
        return path

    return write


def test_a_good_record_is_told_with_what_was_looked_at(good, file):
    """That nothing was found means little if nothing was looked at."""
    ended = holdfast("verify", "--record", file(lines(good.revisions)))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "Checked 5 revisions, 1 grant, 2 objects at the end. Whether the end is at rest was not judged (--at-rest).",
        "Every promise held.",
    ]


def test_a_broken_promise_is_one_line_with_its_numbers(bad, file):
    """Revision, object, promise, numbers: enough to go and look."""
    ended = holdfast("verify", "--record", file(lines(bad.revisions)))
    assert (ended.code, ended.err) == (1, "")
    first, *_, verdict = ended.out.splitlines()
    assert first.startswith("revision 7: DiskSchedule longhorn-system/11111111-")
    assert f"within the limit: r2 grew: {101 * GIB} scheduled > {100 * GIB}" in first
    assert verdict == "2 promises broken."


def test_a_record_may_come_through_a_pipe(bad):
    """Records are long, and kept compressed."""
    ended = holdfast("verify", "--record", "-", "-o", "json", given=b"".join(lines(bad.revisions)).decode())
    assert (ended.code, ended.err) == (1, "")
    told = json.loads(ended.out)
    assert {key: value for key, value in told.items() if key != "violations"} == {
        "revisions": 7,
        "grants": 2,
        "objects": 2,
        "atRest": False,
    }
    assert told["violations"][0].keys() == {"promise", "revision", "subject", "numbers"}


def test_rest_is_judged_only_on_request(good):
    """A run that was stopped in the middle of its work broke nothing."""
    good.asks(r2=10)
    assert judged(lines(good.revisions), "record", at_rest=False).violations == ()
    (first, *_) = judged(lines(good.revisions), "record", at_rest=True).violations
    assert first.promise == "asks and grants agree at rest"


def test_a_record_cut_short_by_a_crash_is_judged_as_far_as_it_goes(good):
    """What follows was never acknowledged."""
    whole = lines(good.revisions)
    assert judged([*whole[:-1], whole[-1][:40]], "record", at_rest=False).revisions == len(whole) - 1


@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "holds no revision"),
        (b"no record", "holds no revision"),
        (b"no record\n", "line 1 is no revision"),
        (b"\x00\xff\n", "line 1 is no revision"),
        (b'{"kind": "List", "items": []}\n', "line 1 is no revision"),
        (b'{"revision": 1, "type": "ADDED", "object": {}}\n', "line 1 is no revision"),
        (
            b'{"revision": 1, "type": "ADDED", "object": {"apiVersion": "v1", "kind": "A", "metadata": {}}}\n',
            "missing required field `name`",
        ),
        (
            b'{"revision": 1, "type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}}\n',
            "'BOOKMARK' is no type of a change",
        ),
        (b"[" * 100_000 + b"\n", "line 1 is no revision"),
    ],
    ids=["empty", "half a line", "words", "bytes", "a list of kubectl's", "no object", "no name", "no change", "deep"],
)
def test_what_is_no_record_is_told_in_words(file, content, words):
    """The wrong file is an everyday mistake, and no broken promise."""
    with pytest.raises(RecordError, match=words):
        judged(io.BytesIO(content), "record", at_rest=False)
    if content == b"no record\n":
        ended = holdfast("verify", "--record", file(content))
        assert (ended.code, ended.out) == (2, "")
        assert words in ended.err


def test_the_rest_of_a_broken_file_is_named_by_its_line(good):
    """Among a million lines the broken one must be findable."""
    whole = lines(good.revisions)
    with pytest.raises(RecordError, match="record line 3 is no revision"):
        judged([*whole[:2], b"{}\n", *whole[2:]], "record", at_rest=False)


@pytest.mark.parametrize(
    "arguments, words",
    [((), "--record"), (("--record", "gone.jsonl"), "No such file"), (("--record", "."), "is no file")],
    ids=["no record", "no file", "a folder"],
)
def test_a_record_that_can_not_be_read_is_a_wrong_command_line(arguments, words):
    """Code 2: no promise was looked at."""
    ended = holdfast("verify", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "spec",
    [
        {"replicas": 5, "tokens": [], "name": {}, "nodeID": None},
        {"replicas": {"r": "much"}, "tokens": {"r": 5}},
        {"replicas": {"r": -5, "s": True, "t": 10**30}},
    ],
    ids=str,
)
def test_books_of_a_strange_shape_are_judged_without_a_failure(spec):
    """A record may be of any server, and of any version."""
    record = RecordByHand()
    record.node()
    record.adds("DiskSchedule", "d", spec=spec)
    for status in ({"replicas": {"r": 5}}, {"replicas": {"r": {"scheduledSize": "5"}}, "conditions": 5}, 5):
        record.changes("DiskSchedule", "d", {"status": status})
    record.changes("Node", "n1", {"spec": {"disks": 5}, "status": {"conditions": {}, "diskStatus": [1]}, "metadata": {"annotations": 5}})
    record.adds("Replica", "r", spec=[], metadata={"annotations": {"holdfast.io/placement": "x"}})
    record.adds("Lease", "l", spec={"renewTime": 5})
    record.renews("l", at=5)
    assert judged(lines(record.revisions), "record", at_rest=True).revisions == len(record.revisions)


def test_a_name_can_not_speak_to_the_terminal(good):
    """A key of the books may be any text."""
    good.asks(**{"a\x1b[2Jb\nc": 200})
    good.grants(**{"a\x1b[2Jb\nc": 200})
    shown = text(judged(lines(good.revisions), "record", at_rest=False))
    assert "a\\x1b[2Jb\\x0ac grew" in shown
    assert len(shown.splitlines()) == 4


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_person_who_waits_sees_how_far_it_is(monkeypatch):
    """And nothing of it is left when it is done."""
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    shown = Shown()
    shown(5000)
    shown(10000)
    shown.ends()
    *_, last, end = screen.getvalue().split("\r")
    assert "\r10,000 revisions checked" in screen.getvalue()
    assert (last.strip(), end) == ("", "")


def test_nobody_else_is_told_how_far_it_is(monkeypatch):
    """A log is no screen."""
    monkeypatch.setattr("sys.stderr", log := io.StringIO())
    shown = Shown()
    shown(5000)
    shown.ends()
    assert log.getvalue() == ""
