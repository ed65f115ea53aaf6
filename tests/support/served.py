"""An embedded API over HTTPS, with a kubeconfig, for programs that run as processes of their own."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct
from tests.support.embedded import client_of, embedded_api
from tests.support.program import PATIENCE, PROGRAM, Ended

from holdfast.api.core import Namespace
from holdfast.api.meta import ObjectMeta
from holdfast.embedded.http import serve
from holdfast.kube.client import Client
from holdfast.plane.definitions import apply_missing
from holdfast.process import Process


class Cluster(Struct, frozen=True):
    """A cluster that has its kinds, unless a test took them away; nobody decides there."""

    client: Client
    kubeconfig: Path
    url: str


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@asynccontextmanager
async def cluster(folder: Path, *, has_kinds: bool = True) -> AsyncIterator[Cluster]:
    async with embedded_api() as server, serve(server, Process("api"), port=0, data_dir=_made(folder)) as front:
        client = client_of(server)
        await client.create(Namespace(metadata=ObjectMeta(name="longhorn-system")))
        if has_kinds:
            await apply_missing(client)
        yield Cluster(client, front.kubeconfig, front.url)


async def holdfast_beside(*arguments: str | Path, environment: Mapping[str, str]) -> Ended:
    """Run the program to its end while this process serves it."""
    program = await asyncio.create_subprocess_exec(
        *PROGRAM, *map(str, arguments), env=dict(environment), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE):
        out, err = await program.communicate()
    return Ended(program.returncode or 0, out.decode(), err.decode())


def with_token(kubeconfig: Path, token: str) -> Path:
    """A copy of a kubeconfig with another token."""
    config = json.loads(kubeconfig.read_text())
    config["users"][0]["user"]["token"] = token
    copy = kubeconfig.with_name("other-kubeconfig")
    copy.write_text(json.dumps(config))
    return copy
