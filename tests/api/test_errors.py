import pytest

from holdfast.api import errors
from holdfast.api.errors import ApiError, Conflict, Expired, Invalid, NotFound, Status, StatusCause, StatusDetails, error_from
from holdfast.api.struct import decode, encode

_KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ApiError) and kind is not ApiError]


@pytest.mark.parametrize("kind", _KINDS, ids=lambda kind: kind.__name__)
def test_a_refusal_goes_over_the_wire_and_back(kind):
    """What the embedded server raises is what its client catches."""
    details = StatusDetails(name="n", kind="nodes", causes=(StatusCause(field="spec", reason="FieldValueInvalid", message="no"),))
    refusal = kind("words", details=details)

    status = decode(encode(refusal.status()), Status)
    again = error_from(status.code, status, "fallback")

    assert type(again) is kind
    assert (again.message, again.details, again.actual_code, str(again)) == ("words", details, kind.code, "words")
    assert status.status == "Failure"


def test_every_reason_is_told_apart():
    """Two types with one reason could not both come back."""
    assert len({kind.reason for kind in _KINDS}) == len(_KINDS)


@pytest.mark.parametrize(
    "code, kind",
    [
        (400, errors.BadRequest),
        (401, errors.Unauthorized),
        (404, NotFound),
        (409, Conflict),
        (410, Expired),
        (429, errors.TooManyRequests),
        (504, errors.ServerTimeout),
    ],
)
def test_without_a_reason_the_code_decides(code, kind):
    """Proxies and load balancers answer without a Status."""
    assert type(error_from(code, None, "from a proxy")) is kind
    assert error_from(code, None, "from a proxy").message == "from a proxy"
    assert type(error_from(code, Status(message="m", reason="SomethingNew"), "fallback")) is kind


def test_an_unknown_code_is_still_a_refusal():
    """502 from a proxy is no reason to crash."""
    refusal = error_from(502, None, "bad gateway")

    assert type(refusal) is ApiError
    assert refusal.actual_code == 502
    assert refusal.status()["code"] == 502


def test_a_reason_wins_over_the_code():
    """AlreadyExists and Conflict share one code."""
    assert type(error_from(409, Status(reason="AlreadyExists"), "m")) is errors.AlreadyExists


def test_null_in_a_status_is_taken():
    """Go writes null for what is not there."""
    status = decode(b'{"status": "Failure", "message": "m", "reason": "Invalid", "details": {"causes": null}, "code": 422}', Status)

    assert type(error_from(422, status, "fallback")) is Invalid


def test_a_status_without_details_has_none():
    """A client must not see an empty object where a real server has nothing."""
    assert NotFound("gone").status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "gone",
        "reason": "NotFound",
        "code": 404,
    }


def test_how_long_to_wait_travels():
    """429 and 503 say when to come back."""
    refusal = errors.TooManyRequests("later", details=StatusDetails(retry_after_seconds=7))

    assert refusal.status()["details"] == {"retryAfterSeconds": 7}
