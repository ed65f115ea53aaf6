"""What an agent needs from the machine that it speaks for.

The verbs are the words of the data plane (disks now; replicas and engines join with volumes), so that numbers in memory and
real processes serve the same agent. Every verb may be called again at any time, and has a deadline that the agent sets.
"""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from holdfast.api.longhorn import LonghornNode
from holdfast.api.longhorn.node import DiskSpec
from holdfast.api.meta import Condition


class NodeInfo(Struct, frozen=True, gc=False, kw_only=True):
    """How the machine is."""

    is_up: bool = True
    """False for a machine that is simulated to be off: then the agent keeps silent."""
    remarks: tuple[Condition, ...] = ()
    """What the driver itself has to say, as conditions of the node."""


class DiskInfo(Struct, frozen=True, gc=False, kw_only=True):
    """A disk as it was found. The UUID lies on the disk itself and moves with it."""

    uuid: str
    type: str = "filesystem"
    filesystem_type: str = ""
    maximum: int
    available: int


class DiskFault(Exception):
    """A disk that could not be looked at. ``reason`` is one word, for conditions."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class Driver(Protocol):
    """A machine with disks."""

    @property
    def remark_types(self) -> tuple[str, ...]:
        """Types of the conditions that ``node_info`` may return; one that it leaves out has ended."""
        ...

    async def node_info(self, node: LonghornNode) -> NodeInfo:
        """How the machine is. The Node as it is wanted comes along, since it may hold configuration of the driver."""
        ...

    async def disk_list(self) -> Mapping[str, DiskSpec]:
        """The disks that a new Node starts with, by name."""
        ...

    async def disk_info(self, name: str, disk: DiskSpec) -> DiskInfo:
        """What is found behind a disk of the Node's spec. Raises ``DiskFault``."""
        ...

    async def disk_written(self, name: str, disk: DiskSpec) -> Mapping[str, int]:
        """The bytes that the live head of each data directory holds, by directory. Raises ``DiskFault``."""
        ...
