"""What keeps `holdfast up` from starting is told in one text, and nothing is changed by the attempt."""

import socket
import sqlite3
from pathlib import Path

import pytest
from tests.support.program import Started, holdfast, surroundings

from holdfast.embedded.sqlite_journal import FILE_NAME

pytestmark = pytest.mark.slow


@pytest.fixture
def environment(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    return surroundings(home)


def refusal(environment: dict[str, str], *arguments: str | Path) -> str:
    ended = holdfast("up", *arguments, environment=environment)
    assert (ended.code, ended.out) == (1, "")
    assert "Traceback" not in ended.err
    assert ended.err.startswith("holdfast: ")
    return ended.err


def tree(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_port_in_use(environment, tmp_path):
    """The other program may be another plane; the way out is named."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = refusal(environment, "--data", tmp_path / "data", "--port", str(port), "--record", tmp_path / "record.jsonl")
    assert f"port {port} of 127.0.0.1 is in use" in words
    assert "--port" in words
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / "record.jsonl").exists()


def test_a_folder_of_somebody_else(environment, tmp_path):
    """`--data .` in a project folder."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "thesis.tex").write_text("years of work")
    before = tree(tmp_path / "data")
    assert "not Holdfast's: nothing was changed" in refusal(environment, "--data", tmp_path / "data", "--port", "0")
    assert tree(tmp_path / "data") == before


def test_a_folder_that_can_not_be_made(environment, tmp_path):
    """The path leads through a file."""
    (tmp_path / "file").write_text("")
    assert "--data" in refusal(environment, "--data", tmp_path / "file" / "data", "--port", "0")


def test_a_folder_in_use_by_another_plane(environment, tmp_path):
    """Two on one folder would each believe in their own memory."""
    running = Started("up", "--data", tmp_path / "data", "--port", "0", "--nodes", "1", environment=environment, last_line="Ctrl-C")
    try:
        assert "in use by holdfast up (process" in refusal(environment, "--data", tmp_path / "data", "--port", "0")
    finally:
        running.stop()


def test_a_store_that_is_damaged(environment, tmp_path):
    """What can not be read is not overwritten: it may be the only copy."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "holdfast.lock").touch()
    (folder / FILE_NAME).write_bytes(b"not a database" * 1000)
    assert FILE_NAME in refusal(environment, "--data", folder, "--port", "0")
    assert (folder / FILE_NAME).read_bytes() == b"not a database" * 1000


def test_a_store_of_another_program(environment, tmp_path):
    """A file of the same name in the same format is still not ours."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "holdfast.lock").touch()
    with sqlite3.connect(folder / FILE_NAME) as database:
        database.execute("CREATE TABLE letters (text TEXT)")
    database.close()
    assert "belongs to another program" in refusal(environment, "--data", folder, "--port", "0")


def test_a_record_that_exists(environment, tmp_path):
    """A record is of one run; an older one is not overwritten."""
    (tmp_path / "record.jsonl").write_text("precious")
    words = refusal(environment, "--data", tmp_path / "data", "--port", "0", "--record", tmp_path / "record.jsonl")
    assert "exists already" in words
    assert (tmp_path / "record.jsonl").read_text() == "precious"
    assert not (tmp_path / "data").exists()


def test_a_record_that_can_not_be_written(environment, tmp_path):
    """Known before anything runs."""
    words = refusal(environment, "--data", tmp_path / "data", "--port", "0", "--record", tmp_path / "none" / "record.jsonl")
    assert "cannot be written: No such file or directory" in words
