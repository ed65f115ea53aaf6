"""When a request is sent again, and how long to wait before.

The rules:

- Nothing left (``NotSent``): send again, whatever the method. That bridges a server that restarts.
- It broke on the way (``Unreachable``): send again only what does no harm twice. A POST or PATCH may have been acted upon; its
  caller must look at the object first.
- The server said "later" (429, or 503 with Retry-After): it did not act, so send again after the time that it named. A server
  that asks for more patience than ours gets it from our caller, not from a task that sleeps here for minutes.
- Every wait has jitter, so that the clients of one server do not come back together, and the number of attempts is bounded.
"""

import msgspec
from msgspec import Struct

from holdfast.api.errors import Status
from holdfast.api.struct import decode
from holdfast.api.wire import Answer, Request, Unreachable
from holdfast.kube.unreachable import NoCredentials, NotSent, Silenced, Untrusted
from holdfast.process import Randomness

_HARMLESS_TWICE = frozenset({"GET", "HEAD", "DELETE"})


class Patience(Struct, frozen=True, gc=False, kw_only=True):
    """How often and how long a client tries. The waits between attempts double from ``first`` up to ``most`` seconds."""

    attempts: int = 8
    first: float = 0.1
    most: float = 5.0
    longest_retry_after: float = 30.0

    def wait(self, attempt: int, randomness: Randomness) -> float:
        """Seconds to wait after the given attempt (from 1) failed."""
        return randomness.jitter(min(self.most, self.first * 2 ** (attempt - 1)))


PATIENT = Patience()
#: For a command that a person waits for: a server that is away is told at once.
IMPATIENT = Patience(attempts=2)


def wait_after_failure(request: Request, failure: Unreachable, attempt: int, patience: Patience, randomness: Randomness) -> float | None:
    """Seconds until the request may be sent again, or None when it must not be."""
    if attempt >= patience.attempts or isinstance(failure, (Untrusted, NoCredentials, Silenced)):
        return None
    if isinstance(failure, NotSent) or request.method in _HARMLESS_TWICE:
        return patience.wait(attempt, randomness)
    return None


def wait_after_answer(answer: Answer, attempt: int, patience: Patience, randomness: Randomness) -> float | None:
    """Seconds until the request may be sent again, or None when the answer stands."""
    if answer.status not in (429, 503) or attempt >= patience.attempts:
        return None
    named = _named_wait(answer)
    if named is None:
        return patience.wait(attempt, randomness) if answer.status == 429 else None
    if named > patience.longest_retry_after:
        return None
    return randomness.jitter(max(named, patience.first), 0.25)


def _named_wait(answer: Answer) -> float | None:
    """The seconds that the server asked for, in its header or in its Status. Kubernetes never gives a date there."""
    header = answer.headers.get("retry-after", "").strip()
    if header.isascii() and header.isdecimal():
        return float(header)
    try:
        seconds = decode(answer.body, Status).details.retry_after_seconds
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return float(seconds) if seconds > 0 else None
