"""The program as its users run it: as a process of its own."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

PROGRAM = (sys.executable, "-m", "holdfast")
#: Far beyond what anything takes: only a program that hangs runs into it.
PATIENCE = 50


class Ended(Struct, frozen=True):
    """What a run left behind."""

    code: int
    out: str
    err: str


def surroundings(home: Path, **more: str) -> dict[str, str]:
    """An environment that knows no cluster and writes nowhere but below ``home``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KUBE", "XDG_"))}
    return kept | {"HOME": str(home), "NO_COLOR": "1", "COLUMNS": "120"} | more


def holdfast(*arguments: str | Path, environment: Mapping[str, str] | None = None, given: str = "") -> Ended:
    """Run to the end."""
    command = [*PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, env=environment, input=given, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return Ended(done.returncode, done.stdout, done.stderr)


class Started:
    """A program that goes on running: what it said so far, and how it ends."""

    def __init__(self, *arguments: str | Path, environment: Mapping[str, str], last_line: str, listen_to: str = "stdout") -> None:
        """Wait until it has said a line that begins with ``last_line``, on stdout or stderr."""
        command = [*PROGRAM, *map(str, arguments)]
        self._listens_to_stdout = listen_to == "stdout"
        # The other stream goes into a file: a pipe that nobody reads would stop the program when it is full.
        self._unheard = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed when the program has ended
        out, err = (subprocess.PIPE, self._unheard) if self._listens_to_stdout else (self._unheard, subprocess.PIPE)
        self._process = subprocess.Popen(command, env=dict(environment), stdout=out, stderr=err, text=True)
        self._end: Ended | None = None
        self.said: list[str] = []
        spoken = self._process.stdout or self._process.stderr
        assert spoken is not None
        for line in spoken:
            self.said.append(line.rstrip("\n"))
            if line.startswith(last_line):
                return
        raise AssertionError(f"it ended early: {self._ended()}; it had said {self.said}")

    def ends_by(self, number: signal.Signals) -> Ended:
        """Send a signal and wait for the end; one that has ended already is asked how."""
        if self._end is None:
            self._process.send_signal(number)
        return self._ended()

    def stop(self) -> Ended:
        """As Ctrl-C does."""
        return self.ends_by(signal.SIGINT)

    def _ended(self) -> Ended:
        if self._end is not None:
            return self._end
        heard = "".join(part or "" for part in self._process.communicate(timeout=PATIENCE))
        self._unheard.seek(0)
        unheard = self._unheard.read()
        self._unheard.close()
        self._end = Ended(self._process.returncode, *((heard, unheard) if self._listens_to_stdout else (unheard, heard)))
        return self._end
