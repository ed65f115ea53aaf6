"""The embedded API as ``holdfast up`` serves it, durable and over HTTPS, with nobody at work beside it.

Takes its data folder, prints where the kubeconfig is, and serves until its standard input ends.
"""

import asyncio
import sys
from pathlib import Path

from holdfast.embedded.http import serve
from holdfast.embedded.server import Server
from holdfast.embedded.sqlite_journal import SqliteJournal
from holdfast.kube.collector import relax
from holdfast.process import Process, Tasks


async def main() -> None:
    relax()
    folder, process = Path(sys.argv[1]), Process("bench")
    server = await Server.open(process, SqliteJournal(folder))
    try:
        async with Tasks() as tasks:
            tasks.spawn(server.run(), name="embedded API")
            async with serve(server, process, port=0, data_dir=folder) as front:
                print(front.kubeconfig, flush=True)
                await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    finally:
        await server.close()


if __name__ == "__main__":
    asyncio.run(main())
