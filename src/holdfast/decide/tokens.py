"""Fencing tokens: which intent an ask belongs to.

A token is ``uid/placement/epoch``. ``placement`` counts the assignments of the object to a disk, ``epoch`` the beginnings and
ends of its volume's expansions; both only rise. An ask without a token (written by hand or by an older writer) has the
lowest one.
"""

from typing import NamedTuple

from holdfast.decide.values import INT64_MAX


class Token(NamedTuple):
    """Compare counters only between tokens of one uid: ``is_newer_than`` does."""

    uid: str = ""
    placement: int = 0
    epoch: int = 0

    @classmethod
    def parse(cls, text: str) -> "Token":
        """Never fails: a text that is no token is an unknown uid with the lowest counters, so it fences like one."""
        parts = text.split("/")
        if len(parts) == 3 and parts[0]:
            placement, epoch = _counter(parts[1]), _counter(parts[2])
            if placement is not None and epoch is not None:
                return cls(parts[0], placement, epoch)
        return cls(text)

    def __str__(self) -> str:
        return f"{self.uid}/{self.placement}/{self.epoch}" if self.uid else ""

    def is_newer_than(self, other: "Token") -> bool:
        """Whether a writer that carries ``other`` is behind and must not write. Of two different uids neither is newer."""
        if not other.uid:
            return bool(self.uid)
        return self.uid == other.uid and (self.placement > other.placement or self.epoch > other.epoch)


def inherits(held: str, ask: str) -> bool:
    """Whether a grant decided for token ``held`` goes on for an ask with token ``ask``.

    Another uid inherits nothing. A missing token names no uid: the grant of an ask that an older writer made stays when its
    token is added, because its bytes may already be in use.
    """
    if held == ask or not held or not ask:
        return True
    return Token.parse(held).uid == Token.parse(ask).uid


def _counter(text: str) -> int | None:
    if not (text.isascii() and text.isdecimal() and len(text) <= 19):
        return None
    number = int(text)
    return number if number <= INT64_MAX else None
