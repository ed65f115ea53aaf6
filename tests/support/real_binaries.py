"""Where the programs of the real Kubernetes are; scripts/kubernetes knows."""

import functools
import os
import subprocess
from pathlib import Path

from msgspec import Struct

_SCRIPT = Path(__file__).parents[2] / "scripts" / "kubernetes"


class Binaries(Struct, frozen=True):
    """A folder with all of them; or none, and why not."""

    folder: Path | None
    missing: str = ""


@functools.cache
def binaries() -> Binaries:
    """Looked for once in a run, and never built here: a build in the middle of a test would run into its deadline."""
    asked = subprocess.run([_SCRIPT, "--where"], capture_output=True, text=True, check=False)
    if asked.returncode:
        return Binaries(None, asked.stderr.strip())
    return Binaries(Path(asked.stdout.strip()))


def must_be_there() -> bool:
    """Whether a run without them has failed."""
    return os.environ.get("CI") == "true"
