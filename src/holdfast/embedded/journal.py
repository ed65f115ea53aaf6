"""What lies behind the memory of the server: current objects and the revision counter, kept durably.

A journal takes batches of changes. A batch is written whole or not at all, and is durable when its future is done; batches come
one after the other, in revision order. History is not kept: after a start the server goes on from the last revision.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Change(NamedTuple):
    """An object as it is from now on; ``data`` is None when it is gone."""

    key: str
    revision: int
    data: bytes | None


class Kept(NamedTuple):
    """An object as it was found at start."""

    key: str
    revision: int
    data: bytes


class Loaded(NamedTuple):
    revision: int
    objects: Sequence[Kept]


class DataFolderError(Exception):
    """The data folder can not be used; the message tells a person why and what to do."""


class JournalFailed(Exception):
    """A batch could not be written, and nothing of it was."""


class Journal(Protocol):
    """Where committed changes go."""

    async def load(self) -> Loaded:
        """Everything there is. Called once, before the first commit. Raises ``DataFolderError``."""
        ...

    def commit(self, changes: Sequence[Change]) -> asyncio.Future[None]:
        """Make the changes durable; the future fails with ``JournalFailed``. Never called while a commit is under way."""
        ...

    async def close(self) -> None:
        """Wait for the commit at hand and let go of the files."""
        ...
