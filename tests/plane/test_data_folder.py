"""A data folder is Holdfast's alone, and one process's alone."""

import os
import stat
from pathlib import Path

import pytest

from holdfast.plane.data_folder import default_folder, held
from holdfast.plane.failure import Failure


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_missing_folder_is_made_for_its_owner_only(tmp_path):
    """It will hold the key of the cluster."""
    with held(tmp_path / "some" / "where") as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_an_empty_folder_is_taken(tmp_path):
    """People make the folder first and then name it."""
    with held(tmp_path) as folder:
        assert folder == tmp_path


def test_a_folder_with_foreign_files_is_left_as_it_was(tmp_path):
    """`--data ~` must not turn a home folder into a database."""
    (tmp_path / "letter.txt").write_text("dear reader")
    before = contents(tmp_path)

    with pytest.raises(Failure, match=r"not Holdfast's: nothing was changed"), held(tmp_path):
        pass

    assert contents(tmp_path) == before


def test_a_folder_of_ours_is_taken_again(tmp_path):
    """The second start goes on where the first ended."""
    with held(tmp_path):
        (tmp_path / "store").write_text("x")
    with held(tmp_path):
        assert (tmp_path / "store").read_text() == "x"


def test_two_processes_do_not_share_a_folder(tmp_path):
    """Two journals over one file would lose writes; the second is told who holds it."""
    with held(tmp_path), pytest.raises(Failure, match=rf"in use by holdfast up \(process {os.getpid()}\)"), held(tmp_path):
        pass


def test_the_folder_is_free_again_after_a_failure(tmp_path):
    """A start that failed must not stand in the way of the next."""
    with pytest.raises(KeyError), held(tmp_path):
        raise KeyError
    with held(tmp_path):
        pass


def test_a_folder_below_a_file_is_refused_in_words(tmp_path):
    """A typing mistake gets a line, not a traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(Failure, match="--data"), held(tmp_path / "file" / "data"):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_that_may_not_be_written_is_refused_in_words(tmp_path):
    """Before anything is started, not in the middle of it."""
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o500)
    with pytest.raises(Failure, match="Permission denied"), held(folder):
        pass


def test_a_folder_that_can_not_be_made_is_refused_in_words():
    """Not every path on a machine is on a disk."""
    with pytest.raises(Failure, match="cannot be used"), held(Path("/proc/holdfast")):
        pass


def test_the_default_folder_follows_the_users_choice_for_state(monkeypatch, tmp_path):
    """XDG says where programs keep what they can not lose but nobody edits."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "holdfast"


@pytest.mark.parametrize("unusable", ["", "relative/path"])
def test_without_a_usable_choice_state_goes_below_home(monkeypatch, tmp_path, unusable):
    """The same document says to ignore a relative path."""
    monkeypatch.setenv("XDG_STATE_HOME", unusable)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".local" / "state" / "holdfast"
