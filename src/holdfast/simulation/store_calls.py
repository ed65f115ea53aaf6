"""What clients asked of the server, and what they heard: every call is written down before it is sent.

A write carries a mark of its own, which ends up in the object: so of every call it can be said afterwards how often it took place.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from holdfast.api.wire import Answer, Request, Transport, Unreachable
from holdfast.kube.unreachable import NotSent
from holdfast.simulation.journal import VirtualJournal
from holdfast.simulation.store_chronicle import Chronicle, Document, Key

#: No answer came, and nobody knows what became of the call.
UNKNOWN: Final = 0
#: It never reached the server.
NOT_SENT: Final = 1

Violates = Callable[[str, str, str], None]
"""Is told of a promise, on what it was broken, and the numbers."""


class Call(Struct, kw_only=True):
    """One call: what it was to do, what it was bound to, and what came of it."""

    who: str
    verb: str
    """create, update, patch, test (a JSON patch), delete, clear (a collection), get or list."""
    key: Key
    """Without a name where the server makes it, or a collection is meant."""
    mark: str = ""
    version: str = ""
    """The version that it names, and only that may be changed or deleted."""
    uid: str = ""
    """The same for the uid."""
    tested: str = ""
    """The mark that a JSON patch tests."""
    sent: Document | None = None
    """The whole object, for a create or an update."""
    changes: tuple[tuple[tuple[str, ...], Any], ...] = ()
    """What a patch sets, by path; None takes away."""
    is_dry: bool = False
    floor: int = 0
    """The newest revision that the server had spoken of when the call began."""
    until: int = 0
    """The newest durable revision when its answer was heard."""
    status: int = UNKNOWN

    @property
    def is_done(self) -> bool:
        return 200 <= self.status < 300

    @property
    def may_have_written(self) -> bool:
        return not self.is_dry and (self.status == UNKNOWN or self.is_done)

    def spans(self, revision: int) -> bool:
        """Whether it was under way when this revision came to be."""
        return self.floor < revision and (self.status == UNKNOWN or revision <= self.until)

    def __str__(self) -> str:
        return f"{self.verb} {self.mark or 'without a mark'} of {self.who}"


class Desk:
    """Where all calls are written down."""

    def __init__(self, chronicle: Chronicle, journal: VirtualJournal, violates: Violates, *, history: int) -> None:
        self.chronicle = chronicle
        self.calls: list[Call] = []
        self.violates = violates
        self._journal = journal
        self._history = history

    async def ask(self, wire: Transport, call: Call, request: Request) -> tuple[int, Document]:
        """The status and the document of the answer; ``UNKNOWN`` or ``NOT_SENT`` when there is none."""
        call.floor = self.chronicle.told
        self.calls.append(call)
        try:
            answer = await wire.send(request)
        except NotSent:
            call.status = NOT_SENT
            return NOT_SENT, {}
        except Unreachable:
            return UNKNOWN, {}
        call.until = self.chronicle.revision
        call.status = answer.status
        return answer.status, _document(answer)

    def may_forget(self, resource: str, revision: int) -> bool:
        """Whether a server may say that it does not know any more what happened to a kind after a revision."""
        if self._journal.loads and revision < self._journal.loads[-1]:
            return True
        return sum(1 for _ in self.chronicle.after(revision, resource)) > self._history * 3 // 4


def _document(answer: Answer) -> Document:
    found: Document = msgspec.json.decode(answer.body)
    return found
