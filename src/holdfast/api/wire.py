"""The narrow waist between the client and a home: a request in, an answer or a stream out.

Whoever serves a Kubernetes API implements ``Transport``: HTTP to a server far away, or a direct call into the embedded one.
Above it nothing knows which; below it nothing knows types.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from msgspec import Struct


class Request(Struct, frozen=True, gc=False):
    """One call of the API. ``path`` is percent-encoded, ``query`` is not; header names are lower case."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Answer(Struct, frozen=True, gc=False):
    """A whole answer. Header names are lower case."""

    status: int
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Stream(Protocol):
    r"""The open end of a watch: bytes in pieces of any size, lines end in ``\\n`` and in nothing else."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def close(self) -> None: ...


class Unreachable(Exception):
    """No answer came: refused, reset, timed out or cut. Whether the server acted on the request is unknown."""


class Transport(Protocol):
    """A way to a Kubernetes API."""

    async def send(self, request: Request) -> Answer:
        """Answer in full. Raises ``Unreachable``."""
        ...

    async def open(self, request: Request) -> Answer | Stream:
        """A stream when the server agreed to stream (200), else its answer. Raises ``Unreachable``, also while streaming."""
        ...

    async def close(self) -> None: ...

    def kill(self) -> None:
        """As the death of the process would: nothing leaves through this transport any more; every call raises ``Unreachable``."""
        ...
