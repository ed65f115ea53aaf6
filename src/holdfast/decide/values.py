"""The plain values that decisions are made of. ``decide.snapshot`` builds them from wire objects."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from holdfast.api.longhorn.disk_schedule import DiskScheduleStatus
from holdfast.decide.codes import Code
from holdfast.decide.policy import Policy

INT64_MAX = 2**63 - 1
"""The largest number of bytes that the wire can carry."""


class AskKind(StrEnum):
    """What an ask is for. Both kinds are decided by the same rules."""

    REPLICA = "replica"
    IMAGE = "backing-image"


class AskKey(NamedTuple):
    """Names one ask on a disk."""

    kind: AskKind
    name: str


class Ask(Struct, frozen=True, gc=False, kw_only=True):
    """Bytes that one object wants of the disk, with what is known about that object."""

    key: AskKey
    bytes: int
    token: str = ""
    directory: str
    """Where its data lies on the disk. Asks of one directory share their bytes, so only the largest counts."""
    created: float | None = None
    """When the named object was made; None when the object is not known: such an ask is the youngest."""
    is_there: bool = False
    """Its data lies complete on this disk already."""
    brings: int = 0
    """Bytes that will be written at once when it is granted: the content of an image."""
    is_known: bool = False
    """The named object was seen."""
    gone_since: float | None = None
    """Since when the named object is known to be gone."""


class Disk(Struct, frozen=True, gc=False):
    """The numbers of a disk, as its node reports them."""

    maximum: int
    reserved: int
    available: int
    written: Mapping[str, int] = {}
    """Bytes in the live head of each data directory; unknown counts as 0."""


NO_DISK = Disk(0, 0, 0)
"""Stands for a disk whose numbers are not known: it can promise nothing."""


class Situation(Struct, frozen=True, gc=False, kw_only=True):
    """All that the verdict on one disk depends on, but for the time."""

    disk_name: str
    node_id: str
    asks: tuple[Ask, ...]
    status: DiskScheduleStatus
    """What was decided before: grants are kept, and the refused know since when they wait."""
    disk: Disk
    is_deleting: bool = False
    """Somebody deleted the schedule, and it waits for the last release."""
    closed: Code | None = None
    """Why the disk takes no growth at all, if so."""
    policy: Policy
    node_revision: str = ""
