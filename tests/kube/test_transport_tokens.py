"""Tokens that are replaced while we run."""

import os
from pathlib import Path

import pytest
from tests.support.fake_api import FakeApi, Line, Seen, refuses, says, streams

from holdfast.api.wire import Request, Stream
from holdfast.kube.auth import Token, TokenFile
from holdfast.kube.http_transport import HttpTransport
from holdfast.kube.misconfigured import KubeconfigError

GET = Request("GET", "/version")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "token").write_text("first\n")
    return tmp_path / "token"


@pytest.fixture
async def transport(api: FakeApi, file: Path):
    transport = HttpTransport(api.url, credentials=TokenFile(file, "user"))
    yield transport
    await transport.close()


def accepts(token: str):
    def decide(seen: Seen) -> Line:
        if seen.headers["authorization"] != f"Bearer {token}":
            return refuses(401, "Unauthorized")
        return streams() if "watch" in seen.query else says({})

    return decide


def replace(file: Path, token: str) -> None:
    """As kubelet does: a new file in the place of the old one."""
    new = file.with_name("new")
    new.write_text(token)
    new.rename(file)


def replace_unseen(file: Path, token: str) -> None:
    """Another token of the same length in the same instant."""
    before = file.stat()
    file.write_text(f"{token}\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def harm(file: Path, how: str) -> None:
    if how == "removed":
        file.unlink()
    else:
        file.write_text("")


async def test_a_replaced_token_is_used_from_the_next_request_on(api: FakeApi, transport: HttpTransport, file: Path):
    """Service account tokens live an hour, the process lives for months."""
    api.answers(says({}), says({}))
    await transport.send(GET)

    replace(file, "second")
    await transport.send(GET)

    assert [seen.headers["authorization"] for seen in api.requests] == ["Bearer first", "Bearer second"]


async def test_an_expired_token_is_read_anew_and_the_request_sent_once_more(api: FakeApi, transport: HttpTransport, file: Path):
    """Even if the file looks unchanged: its clock may be coarser than the change."""
    replace_unseen(file, "later")
    api.decides = accepts("later")

    assert (await transport.send(GET)).status == 200
    assert [seen.headers["authorization"] for seen in api.requests] == ["Bearer first", "Bearer later"]


async def test_an_expired_token_is_renewed_for_a_watch_too(api: FakeApi, transport: HttpTransport, file: Path):
    """A watch is opened with a token like everything else."""
    replace_unseen(file, "later")
    api.decides = accepts("later")

    opened = await transport.open(Request("GET", "/api/v1/nodes", (("watch", "true"),)))

    assert not hasattr(opened, "status")
    stream: Stream = opened
    assert [piece async for piece in stream] == []


async def test_a_token_that_stays_refused_is_not_sent_again(api: FakeApi, transport: HttpTransport):
    """The same token gives the same answer; a loop would lock the account."""
    api.decides = accepts("another")

    assert (await transport.send(GET)).status == 401
    assert len(api.requests) == 1


async def test_a_newer_token_that_is_refused_too_ends_it(api: FakeApi, transport: HttpTransport, file: Path):
    """Once more, not for ever."""

    def decide(seen: Seen) -> Line:
        replace(file, f"{seen.headers['authorization'][-4:]}x")
        return refuses(401, "Unauthorized")

    api.decides = decide

    assert (await transport.send(GET)).status == 401
    assert len(api.requests) == 2


@pytest.mark.parametrize("how", ["removed", "emptied"])
async def test_a_token_file_that_is_away_for_a_moment_leaves_the_last_token(api: FakeApi, transport: HttpTransport, file: Path, how: str):
    """Writers replace it in two steps; a request in between must not fail for that."""
    api.answers(says({}))
    harm(file, how)

    assert (await transport.send(GET)).status == 200
    assert api.requests[0].headers["authorization"] == "Bearer first"


@pytest.mark.parametrize("content", [None, "", "two words", "ünï", "a\nb"])
def test_a_token_file_without_a_token_is_told_at_once(tmp_path: Path, content: str | None):
    """At the start, with the file and the entry, and without what it holds."""
    path = tmp_path / "token"
    if content is not None:
        path.write_text(content)

    with pytest.raises(
        KubeconfigError, match=r'^f, user "u": the token file .*/token (holds no token|can not be read \(no such file)'
    ) as caught:
        TokenFile(path, 'f, user "u"')
    assert not content or content not in str(caught.value)


def test_no_token_shows_in_a_repr(file: Path):
    """Reprs end in logs and in tracebacks."""
    credentials = Token("very-secret", "user"), TokenFile(file, "user")

    assert "secret" not in repr(credentials)
    assert "first" not in repr(credentials)
