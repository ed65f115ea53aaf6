"""From an answer that is no success to a typed error with words.

A Kubernetes API refuses with a Status object. What stands between (a proxy, a load balancer, a login page) answers with HTML
or text, and then the message has to say so, because the reader's mistake is probably the address.
"""

import http
import re

import msgspec

from holdfast.api.errors import AlreadyExists, ApiError, Conflict, Forbidden, Status, error_from
from holdfast.api.struct import decode
from holdfast.api.wire import Answer, Request

_SHOWN = 200


class Unreadable(ApiError):
    """An answer that is not what this version can read: no JSON, or fields of other types than expected."""

    code, reason = 500, "Unreadable"


def refusal(request: Request, answer: Answer) -> ApiError:
    """The error that the answer tells."""
    status = status_in(answer.body)
    if status is not None:
        return error_from(answer.status, status, _plain(request, answer))
    if answer.status == http.HTTPStatus.NOT_FOUND:
        return error_from(404, None, f"the server does not serve {request.path}; if it belongs to a CRD, is the CRD installed?")
    if answer.status == http.HTTPStatus.CONFLICT:
        return (AlreadyExists if request.method == "POST" else Conflict)(_plain(request, answer))
    return error_from(answer.status, None, _plain(request, answer))


def advised(failure: Exception) -> str:
    """A failure in words; with what to do, where an account may not do what it has to."""
    if isinstance(failure, Forbidden) and " cannot " in failure.message:  # a namespace that ends forbids too, and rights do not help there
        return f"{failure}. The rights needed are in deploy/rbac.yaml"
    return str(failure)


def status_in(body: bytes) -> Status | None:
    """The Status in a body, if it is one."""
    try:
        status = decode(body, Status)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return status if status.status == "Failure" or status.reason or status.message else None


def unreadable(request: Request, body: bytes, problem: Exception) -> Unreadable:
    """The error for a body that should have been an object or a list."""
    if body.lstrip()[:1] != b"{":
        return Unreadable(f"{request.method} {request.path} was answered with {_excerpt(body)}: is this a Kubernetes API?")
    return Unreadable(f"the answer to {request.method} {request.path} can not be read: {problem}")


def _plain(request: Request, answer: Answer) -> str:
    phrase = http.HTTPStatus(answer.status).phrase if answer.status in set(http.HTTPStatus) else ""
    line = f"{request.method} {request.path} was answered with {answer.status} {phrase}".rstrip()
    if 300 <= answer.status < 400:
        return f"{line}, a redirect, which is not followed: is this a Kubernetes API?"
    return f"{line} and {_excerpt(answer.body)}"


def _excerpt(body: bytes) -> str:
    text = body[: 8 * _SHOWN].decode(errors="replace")
    text = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", text)
    text = " ".join(text.split())
    if not text:
        return "an empty body"
    return f'"{text[:_SHOWN]}{"..." if len(text) > _SHOWN else ""}"'
