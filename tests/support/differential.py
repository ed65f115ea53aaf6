"""Scripts out of seeds through the embedded and the real API server: ``python -m tests.support.differential [SEEDS [FIRST]]``.

Ends with 1 when the two differ, and shows on what.
"""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.differential_home import Home
from tests.support.differential_runs import Runs
from tests.support.embedded import client_of
from tests.support.real_binaries import binaries
from tests.support.real_control_plane import CONTROLLERS, ControlPlane
from tests.support.real_kinds import serve_kinds

from holdfast.embedded.memory_journal import MemoryJournal
from holdfast.embedded.server import Server
from holdfast.kube.connect import find
from holdfast.kube.http_transport import HttpTransport
from holdfast.plane.definitions import apply_missing
from holdfast.process import Process, Randomness, SystemClock

_FIRST_BELOW = 1_000_000_000
_SHOWN = 200


@asynccontextmanager
async def two_homes(plane: ControlPlane) -> AsyncIterator[Runs]:
    """The embedded API and a real one, with the same kinds and with nobody who works in the background."""
    plane.end(CONTROLLERS)
    process = Process("differential")
    target = find(plane.kubeconfig, None, {}, SystemClock())
    real = HttpTransport(target.server, tls=target.tls, credentials=target.credentials)
    server = await Server.open(process, MemoryJournal())
    try:
        homes = Home("embedded", server.transport()), Home("real", real)
        async with plane.client() as admin:
            await serve_kinds(admin)
        await apply_missing(client_of(server))
        for home in homes:
            await home.serve_kinds()
        yield Runs(*homes)
    finally:
        await real.close()
        await server.close()


async def main(count: int, first: int) -> int:
    found = binaries()
    if found.folder is None:
        sys.stderr.write(f"holdfast: {found.missing}\n")
        return 1
    with tempfile.TemporaryDirectory(prefix="differential-") as folder:
        plane = ControlPlane(found.folder, Path(folder))
        try:
            await plane.start()
            async with two_homes(plane) as runs:
                differing = await runs.of_seeds(range(first, first + count))
        finally:
            plane.stop()
    for difference in differing[:_SHOWN]:
        sys.stdout.write(f"{difference.words()}\n\n")
    sys.stdout.write(f"{count} scripts from seed {first} on: {len(differing)} kinds of differences\n")
    return 1 if differing else 0


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    seeds = arguments[0] if arguments else 2_000
    sys.exit(asyncio.run(main(seeds, arguments[1] if len(arguments) > 1 else Randomness().below(_FIRST_BELOW))))
