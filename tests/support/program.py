"""The program as its users run it: as a process of its own."""

import os
import signal
import subprocess
import sys
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
        self._process = subprocess.Popen(command, env=dict(environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said: list[str] = []
        spoken = self._process.stdout if listen_to == "stdout" else self._process.stderr
        assert spoken is not None
        for line in spoken:
            self.said.append(line.rstrip("\n"))
            if line.startswith(last_line):
                return
        code, (_, complaint) = self._process.wait(PATIENCE), self._process.communicate()
        raise AssertionError(f"it ended with {code}: {complaint}")

    def ends_by(self, number: signal.Signals) -> Ended:
        """Send a signal and wait for the end."""
        self._process.send_signal(number)
        rest, complaint = self._process.communicate(timeout=PATIENCE)
        return Ended(self._process.returncode, rest, complaint)

    def stop(self) -> Ended:
        """As Ctrl-C does; fine when it has ended already."""
        if self._process.poll() is None:
            return self.ends_by(signal.SIGINT)
        rest, complaint = self._process.communicate(timeout=PATIENCE)
        return Ended(self._process.returncode, rest, complaint)
