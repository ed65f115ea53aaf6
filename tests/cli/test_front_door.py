"""The program as a person meets it first: help, mistakes on the command line, pipes."""

import json
import os
import subprocess
import sys
from importlib import metadata

import pytest
import yaml
from tests.support.program import PATIENCE, PROGRAM, holdfast, surroundings

COMMANDS = [(), ("up",), ("manager",), ("explain",), ("explain", "disk"), ("verify",), ("simulate",), ("crds",), ("version",)]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_help_shows_examples(command):
    """People copy an example before they read a list of options."""
    ended = holdfast(*command, "--help")
    assert (ended.code, ended.err) == (0, "")
    examples = ended.out.partition("Examples:\n")[2].splitlines()
    assert examples
    assert examples[0].strip().startswith("holdfast")


def test_the_help_lists_every_command_and_the_exit_codes():
    """The first page answers: what can it do, and what do its codes mean."""
    text = holdfast("--help").out
    assert all(f"\n  {command[0]} " in text for command in COMMANDS if command)
    assert "Exit codes: 0 done, 1 it could not be done, 2 wrong usage, 130 interrupted" in text


def test_help_imports_nothing_heavy():
    """Help and completion answer at once: what talks to networks is imported by the commands that do."""
    heavy = ("aiohttp", "numpy", "grpc", "msgspec", "yaml", "asyncio", "cryptography", "sqlite3", "rich.console")
    code = (
        "import sys\nsys.argv = ['holdfast', '--help']\nfrom holdfast.cli.main import run\n"
        f"try:\n    run()\nexcept SystemExit:\n    print('LOADED', *[name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED"


@pytest.mark.parametrize(
    "mistake, words",
    [
        (("bogus",), "bogus"),
        (("up", "--nodes", "0"), "--nodes"),
        (("up", "--nodes", "many"), "--nodes"),
        (("up", "--nodes", "100000"), "--nodes"),
        (("up", "--disks", "-1"), "--disks"),
        (("up", "--port", "70000"), "--port"),
        (("up", "--disk-size", "large"), "--disk-size"),
        (("up", "--disk-size", "-400Gi"), "--disk-size"),
        (("up", "--disk-size", "1Mi"), "from 1Gi up to 1Ei"),
        (("up", "--disk-size", "1e30"), "from 1Gi up to 1Ei"),
        (("up", "--managers", "0"), "--managers"),
        (("manager", "--metrics-port", "-1"), "--metrics-port"),
        (("manager", "--name", "Not a name"), "--name"),
        (("manager", "-n", "../x"), "no name of a namespace"),
        (("explain", "disk", "d", "-n", ""), "no name of a namespace"),
        (("explain", "disk"), "Missing argument"),
        (("explain", "disk", "d", "-o", "xml"), "xml"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_command_line_is_told_in_words_and_changes_nothing(tmp_path, mistake, words):
    """Code 2 tells a script that it is the script that is wrong."""
    ended = holdfast(*mistake, environment=surroundings(tmp_path))
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err
    assert list(tmp_path.iterdir()) == []


def test_a_failure_is_one_text_and_code_1(tmp_path):
    """What happened, to which thing."""
    ended = holdfast("explain", "disk", "d", "--from", tmp_path / "gone.json")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == f"holdfast: cannot read {tmp_path / 'gone.json'}: No such file or directory.\n"


def test_debug_shows_where_it_failed(tmp_path):
    """For a bug report."""
    ended = holdfast("--debug", "explain", "disk", "d", "--from", tmp_path / "gone.json")
    assert ended.code == 1
    assert "Traceback" in ended.err


def test_the_version_is_that_of_the_package():
    """One number, in one place."""
    assert holdfast("version").out == holdfast("--version").out == f"holdfast {metadata.version('holdfast')}\n"


def test_crds_are_printed_for_kubectl():
    """`holdfast crds | kubectl apply -f -`."""
    ended = holdfast("crds")
    assert (ended.code, ended.err) == (0, "")
    assert {document["kind"] for document in yaml.safe_load_all(ended.out)} == {"CustomResourceDefinition"}


def test_crds_are_written_to_a_folder(tmp_path):
    """One file a kind, for a repository."""
    assert holdfast("crds", "--to", tmp_path / "new").code == 0
    assert len(list((tmp_path / "new").iterdir())) == 5


def test_a_folder_that_can_not_be_written_is_told_in_words(tmp_path):
    """Not a traceback of pathlib."""
    (tmp_path / "file").write_text("")
    ended = holdfast("crds", "--to", tmp_path / "file")
    assert (ended.code, ended.err) == (1, f"holdfast: cannot write to {tmp_path / 'file'}: File exists.\n")


def test_a_reader_that_goes_away_is_no_error():
    """`holdfast crds | head -1` is an everyday command."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run([*PROGRAM, "crds"], stdout=write, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("command", [("--help",), ("crds",), ("bogus",)], ids=" ".join)
def test_output_is_plain_text(command, tmp_path):
    """It goes into files and tickets; NO_COLOR is honoured by never colouring."""
    ended = holdfast(*command, environment=surroundings(tmp_path, FORCE_COLOR="1", TERM="xterm-256color"))
    assert "\x1b" not in ended.out + ended.err


@pytest.mark.parametrize("command", ["version", "crds"])
def test_an_answer_that_can_not_be_written_is_a_failure_in_words(command):
    """A full disk or a closed output must not pass for success, nor for a mistake of ours."""
    for redirection, words in ((">/dev/full", "No space left on device"), (">&-", "standard output is closed")):
        line = f'exec "$@" {redirection}'
        done = subprocess.run(
            ["/bin/sh", "-c", line, "sh", *PROGRAM, command], stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False
        )
        assert (done.returncode, done.stderr) == (1, f"holdfast: the answer can not be written: {words}.\n")


def test_characters_that_a_terminal_lacks_do_not_cost_the_answer(tmp_path):
    """A key in the books may hold any letter; an old terminal knows few."""
    books = {"apiVersion": "longhorn.io/v1beta2", "kind": "DiskSchedule", "metadata": {"name": "d"}, "spec": {"replicas": {"ü☃": 5}}}
    (tmp_path / "d.json").write_text(json.dumps(books))
    environment = surroundings(tmp_path, PYTHONIOENCODING="ascii")
    ended = holdfast("explain", "disk", "d", "--from", tmp_path / "d.json", environment=environment)
    assert (ended.code, ended.err) == (0, "")
    assert r"\xfc\u2603" in ended.out
