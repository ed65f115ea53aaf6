"""DiskSchedule: the books of one disk. ``spec`` holds what is asked of it, ``status`` what it granted.

Named by the disk's UUID. Asks are written by whoever places replicas and images (one key each); status has one kind of
writer, the DiskSchedule controller. An ask without a token (written by hand or by an older writer) has the lowest one.
"""

from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta, field

from holdfast.api.meta import Condition, Object
from holdfast.api.struct import Wire

#: A size. The API refuses a negative one; a reader takes what it finds.
Bytes = Annotated[int, Meta(extra_json_schema={"minimum": 0})]

#: The server itself fills in a map that nobody wrote. JSON Patch can test a key of an empty map, but not of an absent one.
ALWAYS_THERE = Meta(extra_json_schema={"default": {}, "nullable": False})


class State(StrEnum):
    """The verdict on one ask. An ask that waits for its verdict is in spec and not in status."""

    SCHEDULED = "scheduled"
    REJECTED = "rejected"


class DiskScheduleSpec(Wire):
    """What is asked of the disk."""

    name: str = ""
    """The disk's name in the Node object."""
    node_id: str = ""
    """The node that holds the disk."""
    replicas: Annotated[dict[str, Bytes], ALWAYS_THERE] = {}
    """Wanted bytes by replica name. To release, remove the key."""
    backing_images: Annotated[dict[str, Bytes], ALWAYS_THERE] = {}
    """Wanted bytes by backing image name. To release, remove the key."""
    tokens: Annotated[dict[str, str], ALWAYS_THERE] = {}
    """Which intent an ask of a replica belongs to: uid/placement/epoch by replica name."""
    image_tokens: Annotated[dict[str, str], ALWAYS_THERE] = {}
    """Which intent an ask of a backing image belongs to, by image name."""


class ScheduledResource(Wire):
    """The verdict on one ask."""

    complete: ClassVar[bool] = True

    state: State
    """Whether the wanted bytes are granted."""
    scheduled_size: Bytes = field(default_factory=int)  # a factory, so that 0 is written too
    """The bytes granted. A refused growth keeps what was granted before."""
    token: str = ""
    """The token of the ask that this was decided for."""
    reason: str = ""
    """Why the ask was refused, as one word."""
    last_transition_time: str = ""
    """When the state last changed."""
    orphaned_since: str = ""
    """Since when the ask is known to have no living object; it is removed after the grace period."""
    adopted: bool = False
    """Granted because the bytes were already there, without asking whether they fit."""


class Limit(Wire):
    """What the disk could promise when its status was last decided, and on which revisions that rests."""

    bytes: int = field(default_factory=int)
    """The largest sum of grants that was allowed."""
    rule: str = ""
    """The rule that binds."""
    policy: str = ""
    """The limit policy in force (setting disk-schedule-limit)."""
    node_revision: str = ""
    """resourceVersion of the Node."""
    settings_revisions: dict[str, str] = {}
    """resourceVersion of each Setting used, by name; a missing key is a setting at its default."""


class DiskScheduleStatus(Wire):
    """What the disk granted."""

    replicas: dict[str, ScheduledResource] = {}
    """Verdicts by replica name."""
    backing_images: dict[str, ScheduledResource] = {}
    """Verdicts by backing image name."""
    storage_scheduled: Annotated[Bytes, Meta(extra_json_schema={"default": 0})] = field(default_factory=int)  # a table shows 0, not a gap
    """Sum of all granted bytes."""
    limit: Limit = Limit()
    """What the disk could promise when this was decided."""
    conditions: tuple[Condition, ...] = ()
    """Schedulable, OverLimit, OrphanedAsks, Deleting."""


class DiskSchedule(Object):
    """The books of one disk: what is asked of it and what it granted."""

    spec: DiskScheduleSpec = DiskScheduleSpec()
    status: DiskScheduleStatus = DiskScheduleStatus()
