"""The front door: arguments in, words out.

Only typer is imported here. What a command needs it imports when it runs, so that help and completion are quick.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.output import FAILED, INTERRUPTED, complain, tell
from holdfast.plane.failure import Failure


def examples(*lines: str) -> str:
    """The foot of a command's help."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


FOOT = (
    examples(
        "holdfast up                               a whole control plane on this machine; it says what to try",
        "holdfast explain disk node-1/disk-1       what a disk promised, and why it refused",
    )
    + "\n\nExit codes: 0 done, 1 it could not be done, 2 wrong usage, 130 interrupted."
)

app = typer.Typer(
    name="holdfast",
    help="Decides where bytes live in a Kubernetes cluster and never promises the same byte twice.",
    epilog=FOOT,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def everywhere(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error, for a bug report.")] = False,
) -> None:
    """Options that stand before the command."""
    sys.tracebacklimit = 1000 if debug else 0


@app.command(epilog=examples("holdfast crds | kubectl apply -f -", "holdfast crds --to deploy/crds"))
def crds(
    to: Annotated[Path | None, typer.Option(metavar="DIR", help="Write one file per kind there instead of printing.")] = None,
) -> None:
    """Print the CustomResourceDefinitions as YAML."""
    from holdfast.cli.crds import printed, written  # noqa: PLC0415 - imported when it runs

    if to is None:
        tell(printed())
    else:
        written(to)


@app.command(epilog=examples("holdfast version"))
def version() -> None:
    """Print the version."""
    from importlib import metadata  # noqa: PLC0415 - imported when it runs

    tell(f"holdfast {metadata.version('holdfast')}")


def run() -> None:
    """The program. One failure, one text, one exit code."""
    try:
        app(prog_name="holdfast")
    except Failure as failure:
        complain(f"holdfast: {failure}")
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
