"""Longhorn's Node: the disks of a machine, as wanted (spec) and as found by the node's agent (status)."""

from msgspec import field

from holdfast.api.meta import Condition, Object
from holdfast.api.struct import Wire


class DiskSpec(Wire):
    """A disk as an administrator wants it used."""

    disk_type: str = ""
    """filesystem or block."""
    path: str = ""
    """Where it is mounted, or its device."""
    disk_driver: str = ""
    allow_scheduling: bool = False
    """Whether new data may come here."""
    eviction_requested: bool = False
    """Whether it shall be emptied."""
    storage_reserved: int = 0
    """Bytes that are kept for others."""
    tags: tuple[str, ...] = ()
    """Words that volumes select disks by."""


class NodeSpec(Wire):
    """A machine as an administrator wants it used."""

    name: str = ""
    """The name of the node in Kubernetes."""
    allow_scheduling: bool = False
    """Whether new data may come to any of its disks."""
    eviction_requested: bool = False
    """Whether all its disks shall be emptied."""
    tags: tuple[str, ...] = ()
    """Words that volumes select nodes by."""
    disks: dict[str, DiskSpec] = {}
    """Its disks by name."""


class DiskStatus(Wire):
    """A disk as it was found."""

    conditions: tuple[Condition, ...] = ()
    """Ready, Schedulable."""
    storage_available: int = field(default_factory=int)  # factories, so that 0 is written too: a full disk must not look unknown
    """Bytes that are free."""
    storage_scheduled: int = field(default_factory=int)
    """Bytes that are promised."""
    storage_maximum: int = field(default_factory=int)
    """Bytes in all."""
    scheduled_replica: dict[str, int] = {}
    """Promised bytes by replica name."""
    scheduled_backing_image: dict[str, int] = {}
    """Promised bytes by backing image name."""
    disk_uuid: str = ""
    """Lies on the disk and moves with it."""
    disk_name: str = ""
    disk_path: str = ""
    disk_type: str = ""
    filesystem_type: str = ""
    written: dict[str, int] = {}
    """Bytes that the live head of each data directory holds, published by Holdfast's agent; unknown counts as 0."""


class NodeStatus(Wire):
    """A machine as its agent found it."""

    conditions: tuple[Condition, ...] = ()
    """Ready, Schedulable, and what stands in the way of something."""
    disk_status: dict[str, DiskStatus] = {}
    """Its disks as they were found, by name."""
    region: str = ""
    zone: str = ""


class LonghornNode(Object):
    """A machine with disks."""

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()
