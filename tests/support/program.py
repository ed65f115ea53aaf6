"""The program as its users run it: as a process of its own."""

import os
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
