r"""A watch: one connection on which the server tells every change, one JSON object a line.

What to know about the lines:

- A line ends in ``\n`` and in nothing else. Go leaves U+0085 and U+2028 unescaped inside strings, so readers that split text on
  "line ends" tear objects apart; here bytes are split, before anything is decoded.
- A line may be many MB long and arrives in pieces cut anywhere, also within a character. There is no limit on its length.
- A connection that is cut leaves half a line. That is a cut, not a bad object.

An event is decoded in one go, with its object as the partial type that the caller wants.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from holdfast.api.errors import Status, error_from
from holdfast.api.meta import Object
from holdfast.api.struct import decode, decoder
from holdfast.api.wire import Request, Stream, Unreachable
from holdfast.kube.refusals import unreadable

T = TypeVar("T", bound=Object)


class WatchEvent(Struct, Generic[T], frozen=True, gc=False):
    """One change. ``type`` is ADDED, MODIFIED, DELETED or BOOKMARK; the object of a BOOKMARK has a resourceVersion and nothing else."""

    type: str
    object: T

    @property
    def resource_version(self) -> str:
        """Where a later watch goes on from."""
        return self.object.metadata.resource_version


class _RawEvent(Struct, frozen=True, gc=False):
    type: str = ""
    object: msgspec.Raw = msgspec.Raw(b"{}")


class Lines:
    """Puts lines together from pieces of any size. The cost is linear, however long a line and however small the pieces."""

    def __init__(self) -> None:
        self._unfinished: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """The lines that this piece completes."""
        lines = piece.split(b"\n")
        last = lines.pop()
        if lines and self._unfinished:
            lines[0] = b"".join([*self._unfinished, lines[0]])
            self._unfinished.clear()
        if last:
            self._unfinished.append(last)
        return lines

    @property
    def is_mid_line(self) -> bool:
        return any(not piece.isspace() for piece in self._unfinished)


async def events(open_: Callable[[Request], Awaitable[Stream]], request: Request, type_: type[T]) -> AsyncGenerator[WatchEvent[T], None]:
    """The events of a watch, until the server ends it. The stream is closed in any case."""
    event_of: Callable[[bytes], WatchEvent[T]] = decoder(WatchEvent[type_])  # type: ignore[valid-type]  # a type made at run time
    lines = Lines()
    stream = await open_(request)
    try:
        async for piece in stream:
            for line in lines.feed(piece):
                if not line or line.isspace():
                    continue
                try:
                    event = event_of(line)
                except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
                    event = _other_event(line, type_, request, problem)
                if event.type not in _TYPES:
                    event = _other_event(line, type_, request, None)
                yield event
    finally:
        await stream.close()
    if lines.is_mid_line:
        raise Unreachable(f"the watch of {request.path} was cut in the middle of an event")


_TYPES = frozenset({"ADDED", "MODIFIED", "DELETED", "BOOKMARK"})


def _other_event(line: bytes, type_: type[T], request: Request, problem: Exception | None) -> WatchEvent[T]:
    """What the fast path does not know: raises the error that an ERROR event tells; a bookmark may lack fields of the type."""
    try:
        raw = decode(line, _RawEvent)
        if raw.type == "ERROR":
            status = decode(bytes(raw.object), Status)
            raise error_from(status.code or 500, status, f"the watch of {request.path} ended with an error") from None
        if raw.type == "BOOKMARK":
            return WatchEvent(raw.type, type_(metadata=decode(bytes(raw.object), Object).metadata))
    except (msgspec.MsgspecError, UnicodeDecodeError) as worse:
        problem = problem or worse
    raise unreadable(request, line, problem or ValueError(f"unknown type of event {raw.type!r}")) from None


def query(since: str, labels: str, fields: str, seconds: int) -> tuple[tuple[str, str], ...]:
    """The query of a watch that goes on from a resourceVersion."""
    parameters = [
        ("watch", "true"),
        ("allowWatchBookmarks", "true"),
        ("resourceVersion", since),
        ("timeoutSeconds", str(seconds)),
        ("labelSelector", labels),
        ("fieldSelector", fields),
    ]
    return tuple((key, value) for key, value in parameters if value)
