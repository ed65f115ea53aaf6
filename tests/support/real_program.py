"""A server program of a test run: started, watched, hurt and ended by its keeper, so that it never outlives the run."""

import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from holdfast.process import Randomness

_KEEPER = Path(__file__).with_name("real_keeper.py")
#: Below the ports that systems give to outgoing connections, so that none of those takes one that we have chosen.
_PORTS = range(20_000, 32_000)


class EndedEarly(Exception):
    """A program ended that was meant to go on. Shows the end of its log."""


class Program:
    """One program. It may be started again after it has ended; its log goes on in the same file."""

    def __init__(self, name: str, command: Sequence[str], log: Path) -> None:
        self.name = name
        self.log = log
        self._command = command
        self._keeper: subprocess.Popen[bytes] | None = None
        self._is_paused = False

    def start(self) -> None:
        """Start it, unless it runs."""
        if self.is_running:
            return
        self.stop()
        with self.log.open("ab") as log:
            self._keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_KEEPER), *self._command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                cwd=self.log.parent,
                start_new_session=True,
            )

    @property
    def keeper(self) -> int:
        """The number of the process that keeps it; the program is its only child."""
        assert self._keeper is not None
        return self._keeper.pid

    @property
    def is_running(self) -> bool:
        return self._keeper is not None and self._keeper.poll() is None

    def give(self, number: signal.Signals) -> None:
        """Send a signal to exactly this program; returns when it was sent."""
        keeper = self._keeper
        if keeper is None or keeper.poll() is not None:
            raise EndedEarly(f"{self.name} does not run. {self.last_words()}")
        assert keeper.stdin is not None
        assert keeper.stdout is not None
        keeper.stdin.write(bytes([number]))
        keeper.stdout.read(1)

    def kill(self) -> None:
        """As a power cut does; returns when it is gone."""
        self.give(signal.SIGKILL)
        self.stop()

    def pause(self) -> None:
        """It stands still, its connections stay open and nobody answers."""
        self.give(signal.SIGSTOP)
        self._is_paused = True

    def resume(self) -> None:
        """It goes on, if it was paused."""
        if self._is_paused and self.is_running:
            self.give(signal.SIGCONT)
        self._is_paused = False

    def stop(self) -> None:
        """Let go of the rope: the keeper kills what still runs. There is nothing in a test's server that is worth a farewell."""
        keeper, self._keeper, self._is_paused = self._keeper, None, False
        if keeper is None:
            return
        for end in (keeper.stdin, keeper.stdout):
            assert end is not None
            end.close()
        keeper.wait()

    def raise_if_ended(self) -> None:
        if not self.is_running:
            raise EndedEarly(f"{self.name} has ended. {self.last_words()}")

    def last_words(self, since: int = 0, most: int = 8000) -> str:
        """The end of its log, not looking back before the given byte."""
        with self.log.open("rb") as log:
            end = log.seek(0, 2)
            log.seek(max(since, end - most))
            return f"{self.log}:\n{log.read().decode(errors='replace')}"


def free_port(randomness: Randomness) -> int:
    """A port of the loopback that nobody listens on now. Somebody may be faster: then the program ends, and is started on another."""
    while True:
        port = _PORTS[randomness.below(len(_PORTS))]
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
