"""kill -9 at any moment loses nothing that was acknowledged."""

import asyncio
import sys
from pathlib import Path

import pytest
from tests.support.raw_api import CONFIG_MAPS, serving

from holdfast.embedded.sqlite_journal import SqliteJournal

_WRITER = """
import asyncio, json, sys
from pathlib import Path
from holdfast.api.wire import Request
from holdfast.embedded.server import Server
from holdfast.embedded.sqlite_journal import SqliteJournal
from holdfast.process import Process, Tasks

async def write(transport, writer, generation):
    number = 0
    while True:
        number += 1
        name = f"w{writer}-{number % 7}"
        body = json.dumps({"metadata": {"name": name}, "data": {"n": f"{generation}-{number}"}}).encode()
        request = Request("PUT", f"/api/v1/namespaces/default/configmaps/{name}", (), {}, body)
        answer = await transport.send(request)
        if answer.status == 404:
            answer = await transport.send(Request("POST", "/api/v1/namespaces/default/configmaps", (), {}, body))
        assert answer.status < 300, answer
        version = json.loads(answer.body)["metadata"]["resourceVersion"]
        sys.stdout.write(f"{name} {generation}-{number} {version}\\n")
        sys.stdout.flush()

async def main(folder, generation):
    server = await Server.open(Process("victim"), SqliteJournal(Path(folder)))
    async with Tasks() as tasks:
        for writer in range(16):
            tasks.spawn(write(server.transport(), writer, generation), name=str(writer))
        await asyncio.get_running_loop().create_future()

asyncio.run(main(sys.argv[1], sys.argv[2]))
"""


async def _kill_in_mid_air(folder: Path, generation: int, acknowledged_before_the_kill: int) -> dict[str, tuple[str, int]]:
    """Names with the content and version of the last write that was acknowledged."""
    victim = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _WRITER, str(folder), str(generation), stdout=asyncio.subprocess.PIPE
    )
    assert victim.stdout is not None
    last: dict[str, tuple[str, int]] = {}
    seen = 0
    async for line in victim.stdout:
        if not line.endswith(b"\n"):
            break
        name, content, version = line.decode().split()
        last[name] = (content, int(version))
        seen += 1
        if seen == acknowledged_before_the_kill:
            victim.kill()
    await victim.wait()
    assert seen >= acknowledged_before_the_kill
    return last


@pytest.mark.parametrize("moment", [1, 37, 400])
async def test_a_killed_server_has_every_acknowledged_write(tmp_path, moment):
    """The promise that everything else rests on."""
    for generation in (1, 2):
        acknowledged = await _kill_in_mid_air(tmp_path, generation, moment)

        async with serving(SqliteJournal(tmp_path)) as api:
            found = {item["metadata"]["name"]: item for item in (await api.get(CONFIG_MAPS)).body["items"]}
            for name, (content, version) in acknowledged.items():
                kept = int(found[name]["metadata"]["resourceVersion"])
                assert kept >= version, name
                if kept == version:
                    assert found[name]["data"] == {"n": content}
            assert api.server.store.revision >= max(version for _, version in acknowledged.values())
