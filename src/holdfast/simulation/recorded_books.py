"""The books of a disk as a record shows them: what a DiskSchedule asks for and grants, read from plain JSON.

Read here once more, and not with the types of the deciders: a checker that reads like them would share their mistakes. Whatever is
not of the right shape counts as nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Document = dict[str, Any]

#: Replicas and images: where their asks stand and where the tokens of these.
SIDES = (("replicas", "tokens"), ("backingImages", "imageTokens"))
REPLICAS, IMAGES = SIDES[0][0], SIDES[1][0]


class AskKey(NamedTuple):
    """One entry of the books: which map it stands in, and its name there."""

    side: str
    name: str

    def __str__(self) -> str:
        return self.name if self.side == REPLICAS else f"image {self.name}"


class Token(NamedTuple):
    """Which intent an ask belongs to."""

    uid: str = ""
    placement: int = 0
    epoch: int = 0


def token_of(text: str) -> Token:
    """A text that is no token is an unknown uid with the lowest counters."""
    uid, *counters = text.split("/")
    if uid and len(counters) == 2 and all(part.isascii() and part.isdecimal() and len(part) < 20 for part in counters):
        return Token(uid, int(counters[0]), int(counters[1]))
    return Token(text)


class Ask(NamedTuple):
    """More than 0 bytes that are wanted. 0 bytes are a release that left its key behind."""

    bytes: int
    text: str
    """The token as it stands."""

    @property
    def token(self) -> Token:
        return token_of(self.text)


class Grant(NamedTuple):
    """The verdict on an ask."""

    state: str
    size: int
    text: str
    """The token that it was decided for."""
    reason: str
    orphaned_since: str
    adopted: bool

    @property
    def token(self) -> Token:
        return token_of(self.text)

    @property
    def is_refused(self) -> bool:
        return self.state == "rejected"


class Books:
    """Both sides of one DiskSchedule."""

    def __init__(self, schedule: Mapping[str, Any]) -> None:
        spec, status = part(schedule, "spec"), part(schedule, "status")
        self.uuid: str = schedule["metadata"]["name"]
        self.namespace: str = schedule["metadata"].get("namespace", "")
        self.node = text_in(spec, "nodeID")
        self.disk = text_in(spec, "name")
        self.has_status = bool(status)
        self.told_sum = whole(status.get("storageScheduled"))
        self.limit = part(status, "limit")
        self.asks: dict[AskKey, Ask] = {}
        self.grants: dict[AskKey, Grant] = {}
        self.names: set[str] = set()
        """Every name that stands in the books, also with 0 bytes."""
        for side, tokens_key in SIDES:
            sizes, tokens, entries = part(spec, side), part(spec, tokens_key), part(status, side)
            self.names.update(sizes, entries)
            for name, size in sizes.items():
                if whole(size) > 0:
                    self.asks[AskKey(side, name)] = Ask(size, text_in(tokens, name))
            for name in entries:
                self.grants[AskKey(side, name)] = _grant(part(entries, name))

    @property
    def total(self) -> int:
        """Every granted byte."""
        return sum(grant.size for grant in self.grants.values())


def _grant(entry: Mapping[str, Any]) -> Grant:
    return Grant(
        text_in(entry, "state"),
        whole(entry.get("scheduledSize")),
        text_in(entry, "token"),
        text_in(entry, "reason"),
        text_in(entry, "orphanedSince"),
        entry.get("adopted") is True,
    )


def grown(before: Books | None, after: Books) -> list[AskKey]:
    """Whose grant was added or grew; one of another uid than before is a new one, of whatever size.

    What was adopted was there already and asks nobody; of what stood before the record nobody knows.
    """
    if before is None:
        return []
    held = before.grants
    return [key for key, grant in after.grants.items() if not grant.adopted and grant.size > 0 and _is_more(grant, held.get(key))]


def _is_more(grant: Grant, held: Grant | None) -> bool:
    is_anothers = held is not None and bool(held.text and grant.text) and held.token.uid != grant.token.uid
    return held is None or is_anothers or grant.size > held.size


def disagreements(books: Books) -> Iterator[str]:
    """Where asks and grants differ. Right after a verdict, and once all is quiet, they may not."""
    for key in sorted(books.asks.keys() | books.grants.keys()):
        ask, grant = books.asks.get(key), books.grants.get(key)
        if ask is None:
            yield f"{key} is granted and not asked"
        elif grant is None:
            yield f"{key} is asked and has no verdict"
        elif not grant.is_refused and grant.size != ask.bytes:
            yield f"{key} asks {ask.bytes} and is {grant.state} with {grant.size}"
        elif grant.size > ask.bytes:
            yield f"{key} asks {ask.bytes} and holds {grant.size}"
        elif grant.text != ask.text:
            yield f"{key} has token {ask.text!r}, its verdict is for {grant.text!r}"


def part(obj: Mapping[str, Any], key: str) -> Document:
    """A map in a document, or an empty one."""
    found = obj.get(key)
    return found if isinstance(found, dict) else {}


def text_in(obj: Mapping[str, Any], key: str) -> str:
    """A text in a document, or an empty one."""
    found = obj.get(key)
    return found if isinstance(found, str) else ""


def whole(value: Any) -> int:
    """A whole number, or 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
