"""Credentials that a program prints, as managed clusters hand them out."""

import contextlib
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.fake_api import FakeApi, refuses, says

from holdfast.api.timestamps import timestamp
from holdfast.api.wire import Request
from holdfast.kube import exec_plugin, kubeconfig
from holdfast.kube.http_transport import HttpTransport
from holdfast.kube.unreachable import NoCredentials, Silenced
from holdfast.process import Tasks, Thread

GET = Request("GET", "/version")
V1 = "client.authentication.k8s.io/v1"


class Hands:
    """A clock whose hands a test moves."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Hands:
    return Hands()


def program(folder: Path, *lines: str) -> None:
    """The program ./login, which counts its runs in the file ``runs``."""
    path = folder / "login"
    path.write_text("\n".join(["#!/bin/sh", f"echo run >> {folder}/runs", *lines]) + "\n")
    path.chmod(0o755)


def prints(folder: Path, status: dict[str, Any], version: str = V1) -> None:
    (folder / "answer").write_text(json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": status}))
    program(folder, f"cat {folder}/answer")


def runs(folder: Path) -> int:
    return len((folder / "runs").read_text().splitlines())


@contextlib.asynccontextmanager
async def transport(api: FakeApi, folder: Path, clock: Hands, **plugin: Any) -> AsyncIterator[HttpTransport]:
    """The way to the API for a user whose kubeconfig names ./login."""
    path = folder / "config"
    path.write_text(
        json.dumps(
            {
                "current-context": "x",
                "clusters": [{"name": "c", "cluster": {"server": api.url}}],
                "users": [{"name": "u", "user": {"exec": {"apiVersion": V1, "command": "./login", **plugin}}}],
                "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            }
        )
    )
    target = kubeconfig.load([path], clock).target()
    made = HttpTransport(target.server, credentials=target.credentials)
    try:
        yield made
    finally:
        await made.close()


@pytest.mark.parametrize("version", [V1, "client.authentication.k8s.io/v1beta1"])
async def test_a_token_is_used_until_it_ends(api: FakeApi, tmp_path: Path, clock: Hands, version: str):
    """A program may take a second and ask a cloud: not for every request."""
    prints(tmp_path, {"token": "t1", "expirationTimestamp": timestamp(clock.now() + 3600)}, version)
    api.answers(*[says({})] * 3)

    async with transport(api, tmp_path, clock, apiVersion=version) as way:
        await way.send(GET)
        await way.send(GET)
        prints(tmp_path, {"token": "t2"}, version)
        clock.time += 3590
        await way.send(GET)

    assert [seen.headers["authorization"] for seen in api.requests] == ["Bearer t1", "Bearer t1", "Bearer t2"]
    assert runs(tmp_path) == 2


async def test_a_token_that_is_refused_is_asked_for_again(api: FakeApi, tmp_path: Path, clock: Hands):
    """Clouds revoke tokens before they end."""
    program(tmp_path, f'echo \'{{"apiVersion": "{V1}", "status": {{"token": "t\'$(wc -l < {tmp_path}/runs)\'"}}}}\'')
    api.answers(says({}), refuses(401, "Unauthorized"), says({}))

    async with transport(api, tmp_path, clock) as way:
        await way.send(GET)
        assert (await way.send(GET)).status == 200

    assert [seen.headers["authorization"] for seen in api.requests] == ["Bearer t1", "Bearer t1", "Bearer t2"]


async def test_a_login_that_ends_midway_is_told(api: FakeApi, tmp_path: Path, clock: Hands):
    """The token was refused, and there is no other: the program's words say why, and nothing is left open."""
    prints(tmp_path, {"token": "t"})
    api.answers(says({}), refuses(401, "Unauthorized"))

    async with transport(api, tmp_path, clock) as way:
        await way.send(GET)
        program(tmp_path, "exit 1")
        with pytest.raises(NoCredentials):
            await way.send(GET)


async def test_requests_at_the_same_time_ask_once(api: FakeApi, tmp_path: Path, clock: Hands):
    """Ten caches start together; ten logins at once would look like an attack."""
    prints(tmp_path, {"token": "t"})
    api.answers(*[says({})] * 10)

    async with transport(api, tmp_path, clock) as way, Tasks() as tasks:
        for call in [tasks.spawn(way.send(GET), name="call") for _ in range(10)]:
            await call

    assert runs(tmp_path) == 1


async def test_the_program_is_told_what_it_is_asked_for(api: FakeApi, tmp_path: Path, clock: Hands):
    """Arguments, variables, and the question itself, as client-go puts it."""
    (tmp_path / "answer").write_text(json.dumps({"apiVersion": V1, "status": {"token": "t"}}))
    program(tmp_path, f'echo "$1 $REGION" > {tmp_path}/heard', f'echo "$KUBERNETES_EXEC_INFO" > {tmp_path}/asked', f"cat {tmp_path}/answer")
    api.answers(says({}))

    plugin = {"args": ["get token"], "env": [{"name": "REGION", "value": "here"}], "provideClusterInfo": True}
    async with transport(api, tmp_path, clock, **plugin) as way:
        await way.send(GET)

    assert (tmp_path / "heard").read_text() == "get token here\n"
    spec = {"interactive": False, "cluster": {"server": api.url}}
    assert json.loads((tmp_path / "asked").read_text()) == {"kind": "ExecCredential", "apiVersion": V1, "spec": spec}


@pytest.mark.parametrize(
    "lines, words",
    [
        (["echo starting; echo 'no login, run: cloud login' >&2; exit 3"], "ended with exit code 3: no login, run: cloud login"),
        (["exit 1"], "ended with exit code 1"),
        (["echo s3cr3t"], "printed no ExecCredential"),
        ([f'echo \'{{"apiVersion": "{V1}beta1", "status": {{"token": "s3cr3t"}}}}\''], f"answered in another version than {V1}"),
        ([f'echo \'{{"apiVersion": "{V1}"}}\''], "gave no token"),
        (
            [f'echo \'{{"apiVersion": "{V1}", "status": {{"clientCertificateData": "s3cr3t"}}}}\''],
            "gave only a client certificate, which is not supported here",
        ),
    ],
    ids=["complaint", "silence", "garbage", "version", "nothing", "certificate"],
)
async def test_a_program_that_fails_is_told_with_its_words(api: FakeApi, tmp_path: Path, clock: Hands, lines: list[str], words: str):
    """It usually says what to do. What it printed for us is not shown: that may be the secret."""
    program(tmp_path, *lines)

    async with transport(api, tmp_path, clock) as way:
        with pytest.raises(NoCredentials) as caught:
            await way.send(GET)

    assert str(caught.value) == f'{tmp_path}/config, user "u": the program ./login {words}'
    assert api.requests == []


async def test_a_program_that_is_not_installed_is_told_with_its_hint(api: FakeApi, tmp_path: Path, clock: Hands):
    """The kubeconfig says how to get it."""
    async with transport(api, tmp_path, clock, command="no-such-login", installHint="Get it\n  from example.com") as way:
        with pytest.raises(NoCredentials, match=r"can not be started \(no such file or directory\); Get it from example.com"):
            await way.send(GET)


async def test_a_program_does_not_outlive_its_transport(api: FakeApi, tmp_path: Path, clock: Hands):
    """A login that hangs is ended with what waits for it."""
    os.mkfifo(tmp_path / "started")
    program(tmp_path, f"echo $$ > {tmp_path}/started", "exec sleep 1000")
    thread = Thread("listen")

    async with transport(api, tmp_path, clock) as way, Tasks() as tasks:
        call = tasks.spawn(failure_of(way), name="call")
        program_id = int(await thread.run((tmp_path / "started").read_text))
        way.kill()
        assert isinstance(await call, Silenced)
    thread.close()

    with pytest.raises(ProcessLookupError):
        os.kill(program_id, 0)


async def failure_of(way: HttpTransport) -> Exception | None:
    try:
        await way.send(GET)
    except Silenced as failure:
        return failure
    return None


def test_the_secrets_of_a_program_show_in_no_repr():
    """Arguments and variables of login programs hold keys more often than not."""
    plugin = exec_plugin.Plugin(command="login", args=("s3cr3t",), env=(exec_plugin.Variable(name="KEY", value="s3cr3t"),))

    assert "s3cr3t" not in repr((plugin, plugin.env))
