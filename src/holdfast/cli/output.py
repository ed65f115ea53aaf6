"""What the program says and how it fails: answers on stdout, everything else on stderr.

A failure is one clear text and an exit code: 1 when something could not be done, 2 when the command line is wrong, 130 after
Ctrl-C, 141 when whoever read the output went away (as for any tool in a pipe). Never a traceback, unless ``--debug`` asks.
"""

import os
import sys
from typing import ClassVar

from holdfast.plane.failure import Failure

FAILED = 1
WRONG_USAGE = 2
INTERRUPTED = 130
READER_WENT_AWAY = 141


class Debugging:
    """Whether errors are shown as Python shows them."""

    is_on: ClassVar[bool] = False


def tell(text: str) -> None:
    """Write an answer, at once: a reader in a pipe may wait for it."""
    if sys.stdout is None:
        raise Failure("the answer can not be written: standard output is closed.")
    encoding = sys.stdout.encoding
    try:
        # A name may hold characters that the terminal has not.
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding).rstrip("\n") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes again when it ends, which must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(READER_WENT_AWAY) from None
    except OSError as error:
        raise Failure(f"the answer can not be written: {error.strerror or error}.") from error


def complain(text: str) -> None:
    """Write a note or an error for the person at the keyboard. Where nobody can read it, it is lost."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text.rstrip("\n") + "\n")
        sys.stderr.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    except OSError:
        return
