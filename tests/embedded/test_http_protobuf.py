"""kubectl sends some built-in kinds as protobuf; they are read as if they had come as JSON."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.embedded import embedded_api
from tests.support.requests import ask

from holdfast.api.errors import ApiError, BadRequest, UnsupportedMediaType
from holdfast.embedded import protobuf

MARK = b"k8s\x00"


def number(value: int) -> bytes:
    """A varint."""
    out = bytearray()
    value &= 2**64 - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(index: int, content: bytes | str | int) -> bytes:
    if isinstance(content, int):
        return number(index << 3) + number(content)
    data = content.encode() if isinstance(content, str) else content
    return number(index << 3 | 2) + number(len(data)) + data


def body(version: str, kind: str, *fields: bytes) -> bytes:
    return MARK + field(1, field(1, version) + field(2, kind)) + field(2, b"".join(fields)) + field(3, "") + field(4, "")


def entry(key: str, value: bytes | str) -> bytes:
    return field(1, key) + field(2, value)


META = field(1, field(1, "x") + field(2, "") + field(11, entry("a", "b")) + field(8, b"") + field(14, "f") + field(7, 0))


def test_a_config_map_is_read():
    """``kubectl create configmap`` of new versions sends this."""
    sent = body("v1", "ConfigMap", META, field(2, entry("k", "v")), field(3, entry("b", b"\x00\xff")), field(4, 1))

    assert protobuf.read(sent) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x", "labels": {"a": "b"}, "finalizers": ["f"]},
        "data": {"k": "v"},
        "binaryData": {"b": "AP8="},
        "immutable": True,
    }


def test_a_secret_is_read_as_base64():
    """Bytes travel as base64 in JSON."""
    sent = body("v1", "Secret", META, field(2, entry("k", b"v")), field(3, "Opaque"))

    assert protobuf.read(sent)["data"] == {"k": "dg=="}


def test_times_and_numbers_are_read():
    """Leases and events are made of them."""
    moment = field(1, 1_700_000_000) + field(2, 5000)
    lease = protobuf.read(body("coordination.k8s.io/v1", "Lease", META, field(2, field(2, 15) + field(4, moment))))
    event = protobuf.read(body("v1", "Event", META, field(6, moment), field(8, -1)))

    assert lease["spec"] == {"leaseDurationSeconds": 15, "renewTime": "2023-11-14T22:13:20.000005Z"}
    assert (event["firstTimestamp"], event["count"]) == ("2023-11-14T22:13:20Z", -1)


async def test_an_object_sent_as_protobuf_is_created():
    """The whole way: from the body to the store."""
    async with embedded_api() as server:
        sent = body("v1", "Namespace", field(1, field(1, "made")), field(2, b""), field(3, b""))
        status, found = await ask(server, "POST", "/api/v1/namespaces", sent, content="application/vnd.kubernetes.protobuf")

    assert (status, found["metadata"]["name"], found["status"]["phase"]) == (201, "made", "Active")


def test_a_kind_that_nobody_sends_like_this_is_refused_with_words():
    """Whoever hits this limit reads how to go on."""
    with pytest.raises(UnsupportedMediaType, match="send application/json"):
        protobuf.read(body("v1", "Pod", META))


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{}",
        MARK + b"\x0a\xff",
        MARK + b"\xff" * 20,
        body("v1", "ConfigMap", number(2 << 3) + number(2**40)),
        body("v1", "ConfigMap", field(1, 2**40)),
        body("v1", "ConfigMap", field(1, field(1, b"\xff\xfe"))),
        body("v1", "Event", field(6, field(1, 2**62))),
    ],
)
def test_a_broken_body_is_refused_with_words(sent):
    """A number where a text belongs must not become a text of that many zeros."""
    with pytest.raises(BadRequest, match="protobuf"):
        protobuf.read(sent)


@given(st.binary(max_size=64))
@settings(max_examples=200)
def test_no_body_makes_the_reader_fail(noise):
    """Whatever comes, it is an object or a refusal."""
    for sent in (noise, MARK + noise, body("v1", "Event", noise), body("v1", "ConfigMap", field(1, noise))):
        with contextlib.suppress(ApiError):
            assert isinstance(protobuf.read(sent), dict)
