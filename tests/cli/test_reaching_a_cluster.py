"""Every way in which a cluster may be closed to a command has its words: what, where, from which source, and what to try."""

import socket
from pathlib import Path

import pytest
from tests.support.embedded import client_of, embedded_api
from tests.support.program import holdfast, surroundings
from tests.support.served import cluster, holdfast_beside, with_token

from holdfast.cli.explain import explained
from holdfast.cli.sources import Live
from holdfast.plane.definitions import apply_missing
from holdfast.plane.failure import Failure

pytestmark = pytest.mark.slow

COMMANDS = pytest.mark.parametrize("command", [("manager", "--metrics-port", "0"), ("explain", "disk", "node-1/disk-1")], ids=" ".join)

UNREACHABLE = """\
apiVersion: v1
kind: Config
current-context: lab
contexts: [{name: lab, context: {cluster: lab, user: me}}]
clusters: [{name: lab, cluster: {server: "http://127.0.0.1:PORT"}}]
users: [{name: me, user: {token: abc}}]
"""


@pytest.fixture
def environment(tmp_path):
    (tmp_path / "home").mkdir()
    return surroundings(tmp_path / "home")


@pytest.fixture
def nobody(tmp_path) -> Path:
    """A kubeconfig of a server that does not run."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    path: Path = tmp_path / "kubeconfig"
    path.write_text(UNREACHABLE.replace("PORT", str(port)))
    return path


def check(ended, *words: str) -> None:
    assert (ended.code, ended.out) == (1, ""), ended.err
    assert "Traceback" not in ended.err
    for word in words:
        assert word in ended.err


def test_a_server_that_does_not_run(environment, nobody):
    """The address, where it came from, and a command that checks it."""
    ended = holdfast("explain", "disk", "d", "--kubeconfig", nobody, environment=environment)
    check(ended, "cannot reach the Kubernetes API at http://127.0.0.1:", "(connection refused)", 'context "lab"')
    check(ended, f"Is the server running? Try: kubectl --kubeconfig {nobody} --context lab version")


@COMMANDS
def test_no_kubeconfig_at_all(environment, command):
    """On a machine that never saw a cluster."""
    check(holdfast(*command, environment=environment), "KUBECONFIG")


@COMMANDS
def test_a_kubeconfig_that_is_not_there(environment, tmp_path, command):
    """The named file, not some other one."""
    check(holdfast(*command, "--kubeconfig", tmp_path / "gone", environment=environment), "gone", "no such file")


@COMMANDS
def test_a_context_that_is_not_there(environment, nobody, command):
    """And those that are."""
    ended = holdfast(*command, "--kubeconfig", nobody, "--context", "prod", environment=environment)
    check(ended, 'there is no context "prod"', "there is lab")


@COMMANDS
async def test_a_token_that_expired(environment, tmp_path, command):
    """A token lives for hours; the next day this is the first message of the morning."""
    async with cluster(tmp_path / "data") as served:
        expired = with_token(served.kubeconfig, "yesterday")
        ended = await holdfast_beside(*command, "--kubeconfig", expired, environment=environment)
    check(ended, "does not accept our credentials", "expired", served.url, "Try: kubectl")


async def test_a_manager_without_its_kinds(environment, tmp_path):
    """The command that brings them is the answer."""
    async with cluster(tmp_path / "data", has_kinds=False) as served:
        ended = await holdfast_beside("manager", "--metrics-port", "0", "--kubeconfig", served.kubeconfig, environment=environment)
    check(ended, "diskschedules.longhorn.io", "holdfast crds | kubectl apply -f -")


async def test_an_explanation_without_any_kinds(environment, tmp_path):
    """It is neither a cluster of Longhorn nor one of Holdfast."""
    async with cluster(tmp_path / "data", has_kinds=False) as served:
        ended = await holdfast_beside("explain", "disk", "d", "--kubeconfig", served.kubeconfig, environment=environment)
    check(ended, "does not serve nodes.longhorn.io")


async def test_a_disk_that_does_not_exist(environment, tmp_path):
    """The cluster is fine; the name is not."""
    async with cluster(tmp_path / "data") as served:
        ended = await holdfast_beside("explain", "disk", "n/d", "--kubeconfig", served.kubeconfig, environment=environment)
    check(ended, "there is no disk n/d in namespace longhorn-system")


@pytest.mark.parametrize("reference", ["", ".", "..", "a/b/c", "../nodes/x", "ä", "x" * 3000, "%2e%2e", "n\n"])
async def test_no_name_leads_to_anything_but_words(reference):
    """A person may type anything; none of it becomes a path."""
    async with embedded_api() as server:
        client = client_of(server)
        await apply_missing(client)
        with pytest.raises(Failure, match="there is no disk"):
            await explained(Live(client, "longhorn-system"), reference, "longhorn-system", 0.0)
