"""Replica: one copy of a volume's data on one disk."""

from holdfast.api.meta import Object
from holdfast.api.struct import Int64, Wire


class ReplicaSpec(Wire):
    """Where the copy shall be, and how large."""

    volume_name: str = ""
    """The volume that this is a copy of."""
    volume_size: Int64 = Int64(0)
    """Nominal size in bytes."""
    node_id: str = ""
    """The node it is placed on."""
    disk_id: str = ""
    """The UUID of the disk it is placed on."""
    disk_path: str = ""
    data_directory_name: str = ""
    desire_state: str = ""
    backing_image: str = ""
    engine_name: str = ""
    active: bool = False
    healthy_at: str = ""
    last_healthy_at: str = ""
    failed_at: str = ""
    eviction_requested: bool = False


class ReplicaStatus(Wire):
    """What its process does."""

    current_state: str = ""
    started: bool = False


class Replica(Object):
    """One copy of a volume's data on one disk."""

    spec: ReplicaSpec = ReplicaSpec()
    status: ReplicaStatus = ReplicaStatus()
