"""The HTTPS front lets in who has the token, bounds what it takes, and ends at once."""

import asyncio
import gzip
import io
import json
import ssl
from contextlib import AsyncExitStack

import aiohttp
import pytest
from tests.support.embedded import embedded_api
from tests.support.embedded_http import caller_of, http_api

from holdfast.embedded.bodies import MAX_BODY
from holdfast.embedded.http import PortInUse, serve
from holdfast.process import Process

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
async def api(tmp_path):
    async with http_api(tmp_path, body_seconds=0.2) as front, caller_of(front) as caller:
        yield caller


def config_map(name: str, **data: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


async def test_a_request_reaches_the_server_and_its_answer_comes_back(api):
    """Methods, bodies, queries and codes pass through unchanged."""
    status, made = await api.json("POST", CONFIG_MAPS, json=config_map("a", k="v"), params={"fieldManager": "me"})
    _, listed = await api.json("GET", CONFIG_MAPS, params={"labelSelector": "x in (y)"})

    assert (status, made["data"]) == (201, {"k": "v"})
    assert listed["items"] == []


async def test_a_missing_object_is_told_as_a_status(api):
    """Clients decide by the reason, not by the words."""
    status, body = await api.json("GET", f"{CONFIG_MAPS}/none")

    assert (status, body["kind"], body["reason"]) == (404, "Status", "NotFound")


@pytest.mark.parametrize("token", ["", "wrong", "ümlaut"])
@pytest.mark.parametrize("path", ["/api", CONFIG_MAPS, "/openapi/v3", "/", "/healthz/../api", "/versions"])
async def test_nothing_is_told_without_the_token(api, path, token):
    """Other users of the machine can reach the port."""
    status, body = await api.json("GET", path, token=token)

    assert (status, body["reason"], body["message"]) == (401, "Unauthorized", "Unauthorized")


async def test_nothing_is_written_without_the_token(api):
    """Refused means that nothing was done."""
    await api.json("POST", CONFIG_MAPS, json=config_map("a"), token="")

    assert (await api.json("GET", f"{CONFIG_MAPS}/a"))[0] == 404
    assert (await api.json("POST", "/version", token=""))[0] == 401


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/version"])
async def test_health_and_version_are_open(api, path):
    """Probes have no token."""
    async with api.call("GET", path, token="") as answer:
        assert answer.status == 200


async def test_a_body_that_is_too_large_is_refused(api):
    """One client can not fill the memory."""
    body = io.BytesIO(json.dumps(config_map("big", k="x" * MAX_BODY)).encode())

    status, refusal = await api.json("POST", CONFIG_MAPS, data=body, headers={"Content-Type": "application/json"})

    assert (status, refusal["reason"]) == (413, "RequestEntityTooLarge")


async def test_a_body_of_unknown_length_is_cut_at_the_same_size(api):
    """A sender that never says how much comes is bounded too."""

    async def endless():
        for _ in range(64):
            yield b"x" * 65536

    try:
        status, _ = await api.json("POST", CONFIG_MAPS, data=endless(), headers={"Content-Type": "application/json"})
    except aiohttp.ClientOSError:
        status = 413  # the server has hung up while we were still sending
    assert status == 413


async def test_a_body_that_does_not_come_is_given_up(api):
    """A slow sender must not hold a connection for ever."""
    never = asyncio.Event()

    async def stuck():
        yield b"{"
        await never.wait()

    status, refusal = await api.json("POST", CONFIG_MAPS, data=stuck(), headers={"Content-Type": "application/json"})

    assert status == 408
    assert refusal["message"] == "the body of the request took too long"


async def test_a_header_that_is_too_long_is_refused(api):
    """Headers are kept in memory before anybody has shown a token."""
    async with api.call("GET", "/api", headers={"X-Long": "x" * 200_000}) as answer:
        assert answer.status == 400


async def test_a_path_that_is_too_long_is_refused(api):
    """The same holds for addresses."""
    async with api.call("GET", "/api/" + "x" * 200_000) as answer:
        assert answer.status == 400


async def test_many_clients_are_served_at_once(api):
    """Each write is one revision, whoever sends it and when."""
    answers = await asyncio.gather(*(api.json("POST", CONFIG_MAPS, json=config_map(f"c{number}")) for number in range(50)))

    assert {status for status, _ in answers} == {201}
    assert len({body["metadata"]["resourceVersion"] for _, body in answers}) == 50
    assert len((await api.json("GET", CONFIG_MAPS))[1]["items"]) == 50


async def test_yaml_is_taken_as_a_body(api):
    """Curl and a manifest are enough."""
    manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: written\ndata:\n  when: '2026-01-01'\n"

    status, made = await api.json("POST", CONFIG_MAPS, data=manifest, headers={"Content-Type": "application/yaml"})

    assert (status, made["data"]) == (201, {"when": "2026-01-01"})


async def test_a_warning_reaches_the_client(api):
    """Warnings are printed by kubectl; they must survive the way through HTTP."""
    body = config_map("w") | {"date": {}}

    async with api.call("POST", CONFIG_MAPS, json=body, params={"fieldValidation": "Warn"}) as answer:
        assert answer.status == 201
        assert answer.headers["Warning"].startswith('299 - "unknown field')


async def test_a_slow_reader_of_a_watch_holds_nobody_up(api):
    """What one client does not read waits for that client alone."""
    async with api.call("GET", CONFIG_MAPS, params={"watch": "1"}) as stream:
        for number in range(30):
            status, _ = await api.json("POST", CONFIG_MAPS, json=config_map(f"c{number}", k="x" * 50_000))
            assert status == 201
        seen = [json.loads(await stream.content.readuntil(b"\n"))["object"]["metadata"]["name"] for _ in range(2)]

    assert seen == ["c0", "c1"]


async def test_a_watch_streams_what_happens(api):
    """Kubectl shows changes as they come, not when a buffer is full."""
    async with api.call("GET", CONFIG_MAPS, params={"watch": "1"}) as stream:
        assert stream.headers["Transfer-Encoding"] == "chunked"
        await api.json("POST", CONFIG_MAPS, json=config_map("a"))
        event = json.loads(await stream.content.readline())

    assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "a")


async def test_a_client_that_hangs_up_ends_its_watch(tmp_path):
    """Watches of clients that are gone must not pile up."""
    async with embedded_api() as server, serve(server, Process("front"), port=0, data_dir=tmp_path) as front:
        collection = server.store.collection("configmaps")
        async with caller_of(front) as caller, caller.call("GET", CONFIG_MAPS, params={"watch": "1"}):
            assert len(collection.watches) == 1
        async with asyncio.timeout(5):
            while collection.watches:  # noqa: ASYNC110 - the set has no event to wait for
                await asyncio.sleep(0)


async def test_the_server_stops_at_once_with_watches_open(tmp_path):
    """Ctrl-C must not wait for clients: open watches end, and end properly."""
    async with embedded_api() as server, AsyncExitStack() as serving:
        front = await serving.enter_async_context(serve(server, Process("front"), port=0, data_dir=tmp_path))
        async with caller_of(front) as caller:
            streams = [await caller.call("GET", CONFIG_MAPS, params={"watch": "1"}) for _ in range(5)]

            async with asyncio.timeout(5):
                await serving.aclose()

            assert [await stream.content.read() for stream in streams] == [b""] * 5


async def test_a_port_in_use_is_told_in_words(tmp_path):
    """The most frequent failure of a start has to say what to do."""
    async with http_api(tmp_path) as front, embedded_api() as server:
        with pytest.raises(PortInUse, match=f"port {front.port} of 127.0.0.1 is in use"):
            async with serve(server, Process("second"), port=front.port, data_dir=tmp_path):
                pass


async def test_the_front_is_served_on_loopback_and_in_tls_alone(tmp_path):
    """A token that travels in the clear is no token."""
    async with http_api(tmp_path) as front:
        assert front.url == f"https://127.0.0.1:{front.port}"
        async with aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.ClientError):
                await session.get(f"http://127.0.0.1:{front.port}/version")
            with pytest.raises(aiohttp.ClientConnectorCertificateError):
                await session.get(f"{front.url}/version")


@pytest.mark.parametrize(
    "sent,code",
    [
        (b"\x00\x01nonsense\r\n\r\n", 400),
        (b"GET /api HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n", 400),
        (b"GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"POST /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", 400),
        (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 401),
        (b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 401),
        (b"GET /api/%ff HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \xff\r\n\r\n", 401),
        (b"GET /version?%zz=%ff HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET /version HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 200),
    ],
)
async def test_nonsense_on_the_wire_is_answered_and_makes_no_noise(api, caplog, sent, code):
    """Port scanners and broken clients cost a line of theirs, not a traceback of ours."""
    context = ssl.create_default_context(cafile=str(api.front.ca_file))
    reader, writer = await asyncio.open_connection("127.0.0.1", api.front.port, ssl=context)
    writer.write(sent)
    line = await reader.readline()
    writer.close()
    await writer.wait_closed()

    assert int(line.split()[1]) == code
    assert caplog.records == []
    assert (await api.json("GET", "/api"))[0] == 200


async def test_a_compressed_body_is_not_unpacked(api):
    """A few bytes that become gigabytes are an old trick."""
    packed = gzip.compress(json.dumps(config_map("z")).encode())

    status, _ = await api.json("POST", CONFIG_MAPS, data=packed, headers={"Content-Type": "application/json", "Content-Encoding": "gzip"})

    assert status == 400
