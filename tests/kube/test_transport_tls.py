"""TLS with real certificates: whom we trust, how we show who we are, and what is said when it fails."""

import asyncio
import datetime as dt
import ssl
from pathlib import Path

import pytest
from tests.support.certificates import Authority
from tests.support.fake_api import FakeApi, Meet, bare_server, fake_api, says

from holdfast.api.wire import Answer, Request
from holdfast.kube import tls
from holdfast.kube.http_transport import HttpTransport, Limits
from holdfast.kube.unreachable import NotSent, Untrusted

GET = Request("GET", "/version")


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def trusting(authority: Authority) -> tls.Material:
    return tls.Material(entry="the CA", file=authority.file)


async def asked(api: FakeApi, **settings: object) -> Answer:
    api.answers(says({}))
    transport = HttpTransport(api.url, **settings)  # type: ignore[arg-type]  # the settings of each test are its own
    try:
        return await transport.send(GET)
    finally:
        await transport.close()


async def test_a_server_of_the_trusted_authority_is_spoken_to(authority: Authority):
    """The usual way to a cluster: its own CA, and no other."""
    async with fake_api(authority.serves("127.0.0.1")) as api:
        assert (await asked(api, tls=tls.context(authority=trusting(authority)))).status == 200


async def test_a_server_of_another_authority_is_refused_with_words(authority: Authority, tmp_path: Path):
    """The token must not go to whoever answers at the address; the reader must see that it is about trust."""
    other = Authority(tmp_path, "other")
    async with fake_api(authority.serves("127.0.0.1")) as api:
        with pytest.raises(Untrusted) as caught:
            await asked(api, tls=tls.context(authority=trusting(other)))
        assert str(caught.value).startswith(f"cannot reach the Kubernetes API at {api.url} (its certificate is not trusted: ")
        assert api.requests == []


async def test_a_server_under_another_name_is_refused(authority: Authority):
    """A valid certificate of somebody else proves nothing."""
    async with fake_api(authority.serves("10.0.0.1")) as api:
        with pytest.raises(Untrusted, match=r"not valid for '127\.0\.0\.1'"):
            await asked(api, tls=tls.context(authority=trusting(authority)))


async def test_tls_server_name_is_what_the_certificate_must_say(authority: Authority):
    """Behind a tunnel the address is not the name."""
    async with fake_api(authority.serves("kubernetes")) as api:
        trusted = tls.context(authority=trusting(authority))
        assert (await asked(api, tls=trusted, tls_server_name="kubernetes")).status == 200
        with pytest.raises(Untrusted):
            await asked(api, tls=trusted, tls_server_name="other")


async def test_an_expired_certificate_is_named_as_such(authority: Authority):
    """It happens to every cluster once, and must not read as a riddle."""
    past = dt.datetime(2001, 1, 1, tzinfo=dt.UTC)
    async with fake_api(authority.serves("127.0.0.1", until=past)) as api:
        with pytest.raises(Untrusted, match="certificate has expired"):
            await asked(api, tls=tls.context(authority=trusting(authority)))


async def test_verification_can_be_switched_off(authority: Authority):
    """insecure-skip-tls-verify: the user said so."""
    async with fake_api(authority.serves("10.0.0.1")) as api:
        assert (await asked(api, tls=tls.context(insecure=True))).status == 200


async def test_a_client_certificate_is_shown(authority: Authority):
    """Most administrators of clusters are known by one."""
    certificate, key = authority.signs("admin")
    shown = tls.context(
        authority=trusting(authority), certificate=tls.Material("certificate", file=certificate), key=tls.Material("key", file=key)
    )
    async with fake_api(authority.serves("127.0.0.1", clients=authority.file)) as api:
        assert (await asked(api, tls=shown)).status == 200


def handshakes(context: ssl.SSLContext) -> Meet:
    """Goes no further than the handshake, and sends the alert when that fails. (asyncio's own servers swallow it.)"""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls_side = context.wrap_bio(incoming, outgoing, server_side=True)
        failed = False
        while not failed and (data := await reader.read(65536)):
            incoming.write(data)
            try:
                tls_side.do_handshake()
            except ssl.SSLError as problem:
                failed = not isinstance(problem, ssl.SSLWantReadError)
            writer.write(outgoing.read())

    return meet


@pytest.mark.parametrize("shows", ["none", "a foreign one"])
async def test_a_client_that_the_server_does_not_know_is_told(authority: Authority, tmp_path: Path, shows: str):
    """The server ends the connection with an alert; it must not be taken for a broken network and tried again."""
    context = tls.context(authority=trusting(authority))
    if shows == "a foreign one":
        context.load_cert_chain(*Authority(tmp_path, "other").signs("stranger"))
    async with bare_server(handshakes(authority.serves("127.0.0.1", clients=authority.file))) as address:
        transport = HttpTransport(f"https://{address}", tls=context)
        with pytest.raises(Untrusted, match="it does not accept our client certificate"):
            await transport.send(GET)
        await transport.close()


async def test_a_server_without_tls_is_named_as_such():
    """Https to a port that speaks http: the address is wrong."""
    async with fake_api() as api:
        transport = HttpTransport(api.url.replace("http://", "https://"))
        with pytest.raises(Untrusted, match=r"it does not speak TLS; is the address right\?"):
            await transport.send(GET)
        await transport.close()


async def test_a_server_that_does_not_even_greet_was_sent_nothing():
    """A host that accepts connections and no more, as one that is about to go down: any request may be sent again."""

    async def never(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with bare_server(never) as address:
        transport = HttpTransport(f"https://{address}", limits=Limits(connect=0.05))
        with pytest.raises(NotSent, match="no connection in time"):
            await transport.send(Request("POST", "/"))
        await transport.close()
