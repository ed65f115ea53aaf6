"""Failures as a Kubernetes API tells them: a Status object, here an exception with a type per reason.

The client raises them from answers, the embedded server answers with them: one table serves both directions.
"""

from typing import Any, ClassVar

from holdfast.api.struct import Wire, to_builtins


class StatusCause(Wire):
    reason: str = ""
    message: str = ""
    field: str = ""


class StatusDetails(Wire):
    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: tuple[StatusCause, ...] = ()
    retry_after_seconds: int = 0


class Status(Wire):
    """The wire form of a failure (or of the success of a delete)."""

    status: str = ""
    message: str = ""
    reason: str = ""
    details: StatusDetails = StatusDetails()
    code: int = 0


class ApiError(Exception):
    """A refusal of the API server. ``reason`` and ``code`` are Kubernetes' own."""

    code: ClassVar[int] = 500
    reason: ClassVar[str] = "InternalError"

    def __init__(self, message: str, *, details: StatusDetails | None = None, code: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details or StatusDetails()
        #: Kubernetes writes the details of some refusals also when they say nothing.
        self._has_details = details is not None
        self.actual_code = code or type(self).code
        #: What the server had to say before it refused.
        self.warnings: tuple[str, ...] = ()

    def status(self) -> dict[str, Any]:
        """The Status object that tells this failure on the wire."""
        details = to_builtins(self.details)
        body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": self.message, "reason": self.reason}
        return body | ({"details": details} if details or self._has_details else {}) | {"code": self.actual_code}


class BadRequest(ApiError):
    code, reason = 400, "BadRequest"


class Unauthorized(ApiError):
    code, reason = 401, "Unauthorized"


class Forbidden(ApiError):
    code, reason = 403, "Forbidden"


class NotFound(ApiError):
    code, reason = 404, "NotFound"


class MethodNotAllowed(ApiError):
    code, reason = 405, "MethodNotAllowed"


class NotAcceptable(ApiError):
    code, reason = 406, "NotAcceptable"


class AlreadyExists(ApiError):
    code, reason = 409, "AlreadyExists"


class Conflict(ApiError):
    """The object has changed since it was read, or a precondition did not hold."""

    code, reason = 409, "Conflict"


class Gone(ApiError):
    code, reason = 410, "Gone"


class Expired(ApiError):
    """The resourceVersion asked for is no longer in the history: list again."""

    code, reason = 410, "Expired"


class RequestEntityTooLarge(ApiError):
    code, reason = 413, "RequestEntityTooLarge"


class UnsupportedMediaType(ApiError):
    code, reason = 415, "UnsupportedMediaType"


class Invalid(ApiError):
    """The object breaks its schema (with causes), or a JSON Patch test failed (without)."""

    code, reason = 422, "Invalid"


class TooManyRequests(ApiError):
    code, reason = 429, "TooManyRequests"


class InternalError(ApiError):
    code, reason = 500, "InternalError"


class ServiceUnavailable(ApiError):
    code, reason = 503, "ServiceUnavailable"


class ServerTimeout(ApiError):
    code, reason = 504, "Timeout"


#: Where two share a code, the first stands for an answer that gives no reason.
_KINDS: tuple[type[ApiError], ...] = (
    BadRequest, Unauthorized, Forbidden, NotFound, MethodNotAllowed, NotAcceptable, Conflict, AlreadyExists, Expired, Gone,
    RequestEntityTooLarge, UnsupportedMediaType, Invalid, TooManyRequests, InternalError, ServiceUnavailable, ServerTimeout,
)  # fmt: skip
_BY_REASON = {kind.reason: kind for kind in _KINDS}
_BY_CODE = {kind.code: kind for kind in reversed(_KINDS)}


def error_from(code: int, status: Status | None, fallback_message: str) -> ApiError:
    """The failure that an answer tells: by its reason if we know it, else by its HTTP code."""
    status = status or Status(message=fallback_message)
    kind = _BY_REASON.get(status.reason) or _BY_CODE.get(code, ApiError)
    return kind(status.message or fallback_message, details=status.details, code=code)
