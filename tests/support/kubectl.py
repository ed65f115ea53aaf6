"""The real kubectl, kept away from the user's own files."""

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

from msgspec import Struct


def kubectls() -> list[Path]:
    """The kubectl of this machine, and other versions of it that lie beside it."""
    found = shutil.which("kubectl")
    if found is None:
        return []
    beside = sorted(Path(found).resolve().parent.glob("kubectl.[0-9]*"))
    return [Path(found), *(path for path in beside if os.access(path, os.X_OK))]


class Said(Struct, frozen=True):
    """What one call of kubectl came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def rows(self) -> list[list[str]]:
        """A printed table, without its header."""
        return [line.split() for line in self.out.splitlines()[1:]]


class Kubectl:
    """kubectl with a home, a cache and a kubeconfig of its own."""

    def __init__(self, binary: Path, home: Path, kubeconfig: Path) -> None:
        self._binary = binary
        self._home = home
        self._environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(home), "KUBECONFIG": str(kubeconfig), "TMPDIR": str(home)}

    async def start(self, *arguments: str, **environment: str) -> asyncio.subprocess.Process:
        """A call that goes on, such as a watch; its standard output can be read."""
        return await asyncio.create_subprocess_exec(
            self._binary,
            f"--cache-dir={self._home / 'cache'}",
            *arguments,
            env=self._environment | environment,
            cwd=self._home,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def says(self, *arguments: str, given: Any = None, **environment: str) -> Said:
        """One call; ``given`` is an object or several, sent to its standard input."""
        process = await self.start(*arguments, **environment)
        if isinstance(given, list):
            given = {"apiVersion": "v1", "kind": "List", "items": given}
        sent = b"" if given is None else json.dumps(given).encode()
        out, err = await process.communicate(sent)
        return Said(process.returncode or 0, out.decode(), err.decode())

    async def __call__(self, *arguments: str, given: Any = None, **environment: str) -> Said:
        """One call that must succeed."""
        said = await self.says(*arguments, given=given, **environment)
        assert said.code == 0, f"kubectl {' '.join(arguments)}: {said.err}"
        return said
