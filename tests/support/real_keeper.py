"""Runs one program, and ends it when whoever started us is gone, however he went.

    real_keeper.py PROGRAM ARGUMENT...

Our standard input is a rope. Each byte that comes down is the number of a signal for the program, and is sent back when the
signal was given. When the rope ends, its holder has ended, and the program is killed. The system lets go of a rope also for a
holder that was killed; PR_SET_PDEATHSIG would only tell of the end of the thread that started us, and only on Linux.

Start us in a session of our own: then what ends the holder's group (Ctrl-C, a CI job that is cancelled) leaves us time to do our
work. This file needs nothing but the standard library, and starts with ``python -I -S``.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys

_ROPE, _UP, _LOG = 0, 1, 2


def keep(command: list[str]) -> int:
    """The exit code of the program, as a shell tells it."""
    heard, said = os.pipe()
    os.set_blocking(said, False)
    signal.set_wakeup_fd(said)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=_LOG, stderr=_LOG)
    while program.poll() is None:
        ready, _, _ = select.select([_ROPE, heard], [], [])
        if heard in ready and any(number != signal.SIGCHLD for number in os.read(heard, 64)):
            program.kill()  # somebody ends us by hand
        if _ROPE in ready and not _pulled(program):
            program.kill()
            program.wait()
    return program.returncode if program.returncode >= 0 else 128 - program.returncode


def _pulled(program: subprocess.Popen[bytes]) -> bool:
    """Give the signals that came down; False when the rope has ended."""
    numbers = os.read(_ROPE, 64)
    for number in numbers:
        program.send_signal(number)  # nothing happens when it has ended: its number is not given away before we ask
    with contextlib.suppress(BrokenPipeError):  # the holder has just gone; the next look at the rope tells
        os.write(_UP, numbers)
    return bool(numbers)


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1:]))
