"""What a server refuses arrives as a type per reason, with words that help."""

import pytest
from tests.support.fake_api import FakeApi, refuses, says

from holdfast.api.core import Node
from holdfast.api.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Conflict,
    Expired,
    Forbidden,
    Gone,
    InternalError,
    Invalid,
    NotFound,
    RequestEntityTooLarge,
    ServerTimeout,
    ServiceUnavailable,
    TooManyRequests,
    Unauthorized,
)  # fmt: skip
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.meta import ObjectMeta
from holdfast.kube.client import Client


@pytest.mark.parametrize(
    "code, reason, expected",
    [
        (400, "BadRequest", BadRequest),
        (401, "Unauthorized", Unauthorized),
        (403, "Forbidden", Forbidden),
        (404, "NotFound", NotFound),
        (409, "AlreadyExists", AlreadyExists),
        (409, "Conflict", Conflict),
        (410, "Expired", Expired),
        (410, "Gone", Gone),
        (422, "Invalid", Invalid),
        (500, "InternalError", InternalError),
        (504, "Timeout", ServerTimeout),
        (418, "SomethingNew", ApiError),
        (403, "SomethingNew", Forbidden),
    ],
)
async def test_a_refusal_has_the_type_of_its_reason(client: Client, api: FakeApi, code: int, reason: str, expected: type[ApiError]):
    """Callers choose what to do by type; an unknown reason goes by its code."""
    api.answers(refuses(code, reason, "because", details={"name": "n", "kind": "nodes"}))

    with pytest.raises(ApiError) as caught:
        await client.get(Node, "n")

    assert type(caught.value) is expected
    assert str(caught.value) == "because"
    assert caught.value.details.name == "n"
    assert caught.value.actual_code == code


async def test_the_causes_of_an_invalid_object_arrive(client: Client, api: FakeApi):
    """Each field that breaks the schema is named."""
    causes = [{"reason": "FieldValueInvalid", "message": "must be >= 0", "field": "spec.replicas.r1"}]
    api.answers(refuses(422, "Invalid", "invalid", details={"causes": causes}))

    with pytest.raises(Invalid) as caught:
        await client.patch(DiskSchedule, "d", "longhorn-system", {"spec": {"replicas": {"r1": -1}}})

    assert caught.value.details.causes[0].field == "spec.replicas.r1"


@pytest.mark.parametrize(
    "code, body, expected, words",
    [
        (
            502,
            "<html><head><style>x{}</style><title>502 Bad Gateway</title></head><body>nginx</body></html>",
            ApiError,
            'GET /api/v1/nodes/n was answered with 502 Bad Gateway and "502 Bad Gateway nginx"',
        ),
        (503, "", ServiceUnavailable, "GET /api/v1/nodes/n was answered with 503 Service Unavailable and an empty body"),
        (403, "no entry", Forbidden, 'GET /api/v1/nodes/n was answered with 403 Forbidden and "no entry"'),
        (404, "404 page not found\n", NotFound, "the server does not serve /api/v1/nodes/n; if it belongs to a CRD, is the CRD installed?"),
        (413, "{}", RequestEntityTooLarge, 'GET /api/v1/nodes/n was answered with 413 Request Entity Too Large and "{}"'),
        (
            302,
            "",
            ApiError,
            "GET /api/v1/nodes/n was answered with 302 Found, a redirect, which is not followed",
        ),
        (599, '{"status": 5}', ApiError, 'GET /api/v1/nodes/n was answered with 599 and "{"status": 5}"'),
        (500, "\x00\ufffd" * 5000, InternalError, "GET /api/v1/nodes/n was answered with 500 Internal Server Error and"),
    ],
)
async def test_a_refusal_without_a_status_says_what_came_instead(
    client: Client, api: FakeApi, code: int, body: str, expected: type[ApiError], words: str
):
    """A proxy or a wrong address answers in its own words: they are shown, cut to a line."""
    api.answers(says(body, code))

    with pytest.raises(ApiError) as caught:
        await client.get(Node, "n")

    assert type(caught.value) is expected
    assert str(caught.value).startswith(words)
    assert len(str(caught.value)) < 400


async def test_a_redirect_does_not_carry_the_token_elsewhere(client: Client, api: FakeApi):
    """The token belongs to the server that was named."""
    api.answers(says("", 307, location="/elsewhere"))

    with pytest.raises(ApiError, match="redirect"):
        await client.get(Node, "n")
    assert len(api.requests) == 1


async def test_a_conflict_without_words_is_told_by_what_was_tried(client: Client, api: FakeApi):
    """A create meets an object that exists; a patch meets one that has changed."""
    api.answers(says("", 409), says("", 409))

    with pytest.raises(AlreadyExists):
        await client.create(Node(metadata=ObjectMeta(name="n")))
    with pytest.raises(Conflict):
        await client.patch(Node, "n", "", {})


async def test_too_many_requests_are_told_when_patience_ends(client: Client, api: FakeApi):
    """The number of attempts is bounded: a server under load is not stormed."""
    api.answers(*[refuses(429, "TooManyRequests", "slow down")] * 20)

    with pytest.raises(TooManyRequests, match="slow down"):
        await client.get(Node, "n")
    assert len(api.requests) == 5
