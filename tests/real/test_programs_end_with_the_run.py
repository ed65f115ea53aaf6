import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from tests.support.looking import is_there, until_true
from tests.support.real_program import EndedEarly, Program

ROOT = Path(__file__).parents[2]
#: A run that starts a program and then waits for its own end.
RUN = """
import signal, sys
from pathlib import Path
from tests.support.real_program import Program
program = Program("victim", [sys.executable, "-c", sys.argv[1]], Path(sys.argv[2]))
program.start()
signal.pause()
"""
#: A program that does not listen when asked politely, and tells its number when it runs.
STUBBORN = """
import os, pathlib, signal
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
written = pathlib.Path({told!r} + ".new")
written.write_text(str(os.getpid()))
written.rename({told!r})
while True: signal.pause()
"""


class Stubborn(Program):
    def __init__(self, folder: Path) -> None:
        self.told = folder / "pid"
        self.code = STUBBORN.format(told=str(self.told))
        super().__init__("stubborn", [sys.executable, "-c", self.code], folder / "log")

    async def pid(self) -> int:
        """Once it runs."""
        await until_true(self.told.exists)
        pid = int(self.told.read_text())
        self.told.unlink()
        return pid


@pytest.fixture
def program(tmp_path):
    program = Stubborn(tmp_path)
    yield program
    program.stop()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
async def test_no_program_outlives_a_run_that_was_ended(program, number):
    """A server that is left behind holds its port and its memory for ever, and nobody knows whose it is."""
    command = [sys.executable, "-c", RUN, program.code, str(program.log)]
    null = asyncio.subprocess.DEVNULL
    run = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=null, stderr=null, start_new_session=True)
    pid = await program.pid()
    os.killpg(run.pid, number)  # as Ctrl-C and a CI job do: the whole group
    await run.wait()
    await until_true(lambda: not is_there(pid))


async def test_a_program_that_was_paused_is_ended_too(program):
    """A test that failed while a server stood still must not leave it standing."""
    program.start()
    pid = await program.pid()
    program.pause()
    program.stop()
    assert not is_there(pid)
    assert not program.is_running


async def test_a_program_that_was_killed_can_be_started_again(program):
    """Fault tests kill a server and expect the same one back."""
    program.start()
    first = await program.pid()
    program.kill()
    assert not is_there(first)
    program.start()
    assert await program.pid() != first
    assert program.is_running


async def test_a_program_that_ends_by_itself_is_told_with_its_last_words(tmp_path):
    """A wrong flag shows in the log only; who waits for the server shall see it."""
    program = Program("short", [sys.executable, "-c", "print('no such flag')"], tmp_path / "log")
    program.start()
    await until_true(lambda: not program.is_running)
    with pytest.raises(EndedEarly, match="no such flag"):
        program.raise_if_ended()
    with pytest.raises(EndedEarly, match="does not run"):
        program.pause()
    program.stop()
