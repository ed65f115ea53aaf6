"""Which manager works on which key, so that two seldom do the same work. Nothing rests on it: two that disagree lose time, not truth."""

from collections.abc import Callable
from typing import Protocol

from holdfast.kube.keys import Key


class Ownership(Protocol):
    """Says whose a key is, and tells when that may have changed."""

    def owns(self, key: Key) -> bool:
        """Whether this process works on the key."""
        ...

    def on_change(self, handler: Callable[[], None]) -> Callable[[], None]:
        """Call the handler when other keys may be ours than before. The result ends it."""
        ...

    async def run(self) -> None:
        """Keep up with who is there, until cancelled."""
        ...


class SoleOwner:
    """For a process that works alone: everything is its own."""

    def owns(self, _key: Key) -> bool:
        return True

    def on_change(self, _handler: Callable[[], None]) -> Callable[[], None]:
        return lambda: None

    async def run(self) -> None:
        """Nobody comes and nobody goes."""
