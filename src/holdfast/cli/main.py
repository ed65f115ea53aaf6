"""The front door: one call, one text for a failure, one exit code. Nothing is imported before Ctrl-C is understood."""

import sys

from holdfast.cli.output import FAILED, INTERRUPTED, Debugging, complain
from holdfast.plane.failure import Failure


def run() -> None:
    """The program."""
    try:
        from holdfast.cli.commands import app  # noqa: PLC0415 - it takes a moment, in which a person may press Ctrl-C

        app(prog_name="holdfast")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:
        if Debugging.is_on:
            raise
        is_ours = isinstance(error, Failure)
        complain(f"holdfast: {error}" if is_ours else f"holdfast: a mistake in this program: {error!r}. holdfast --debug shows where.")
        sys.exit(FAILED)
