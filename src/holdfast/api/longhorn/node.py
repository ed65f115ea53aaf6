"""Longhorn's Node: the disks of a machine, as wanted (spec) and as found by the node's agent (status)."""

from holdfast.api.meta import Condition, Object
from holdfast.api.struct import Wire


class DiskSpec(Wire):
    """A disk as an administrator wants it used."""

    disk_type: str = ""
    path: str = ""
    disk_driver: str = ""
    allow_scheduling: bool = False
    eviction_requested: bool = False
    storage_reserved: int = 0
    tags: tuple[str, ...] = ()


class NodeSpec(Wire):
    name: str = ""
    allow_scheduling: bool = False
    eviction_requested: bool = False
    tags: tuple[str, ...] = ()
    disks: dict[str, DiskSpec] = {}


class DiskStatus(Wire):
    """A disk as it was found."""

    conditions: tuple[Condition, ...] = ()
    storage_available: int = 0
    storage_scheduled: int = 0
    storage_maximum: int = 0
    scheduled_replica: dict[str, int] = {}
    scheduled_backing_image: dict[str, int] = {}
    disk_uuid: str = ""
    disk_name: str = ""
    disk_path: str = ""
    disk_type: str = ""
    filesystem_type: str = ""
    written: dict[str, int] = {}
    """Bytes that the live head of each data directory holds, published by Holdfast's agent; unknown counts as 0."""


class NodeStatus(Wire):
    conditions: tuple[Condition, ...] = ()
    disk_status: dict[str, DiskStatus] = {}
    region: str = ""
    zone: str = ""


class LonghornNode(Object):
    """A machine with disks."""

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()
