"""Whether an ask still has somebody who wants it.

An ask is an orphan when the object that it was made for is gone, came back as another one, or has moved on: its placement has
passed that of the ask. Each of these is for ever, so a verdict that arrives late does no harm. Which copy of the object may be
judged by is the reader's concern: a missing one only by a live read, a newer placement by any copy.
"""

from holdfast.api.longhorn import BackingImage, Replica
from holdfast.decide.tokens import Token

PLACEMENT = "holdfast.io/placement"
"""Annotation of a Replica: how often it was assigned to a disk."""


def is_orphan(token: str, found: Replica | BackingImage | None, disk: str) -> bool:
    """Whether nobody wants the ask with this token on the disk with this UUID any more. ``found`` bears the ask's name."""
    if found is None:
        return True
    asked = Token.parse(token)
    if asked.uid and asked.uid != found.metadata.uid:
        return True
    if not isinstance(found, Replica):
        return False
    if not asked.uid:
        # Nobody knows which assignment it was made for: what counts is where the replica is.
        return found.spec.disk_id not in {"", disk}
    return placement_of(found) > asked.placement


def placement_of(replica: Replica) -> int:
    """How often the replica was assigned to a disk; what cannot be read counts as never."""
    text = replica.metadata.annotations.get(PLACEMENT, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0
