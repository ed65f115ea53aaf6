"""A machine whose disks are numbers, and whose faults can be switched while it runs.

A disk's UUID is a function of the names of node and disk: the same disk comes back after a restart. Space is what is left of
the size by data directories and by *foreign* bytes, which nobody asked the ledger for.

Faults come from code (``pull``, ``plug``, ``fill``, ``write``, ``fall``, ``rise``) or from the Node's annotation, see ``wishes``.
A changed annotation replaces all that was switched before, and a removed one heals everything.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.agent.driver import DiskFault, DiskInfo, NodeInfo
from holdfast.agent.wishes import ANNOTATION, DiskWish, Wishes, WishRefused
from holdfast.api.conditions import told
from holdfast.api.longhorn import LonghornNode
from holdfast.api.longhorn.node import DiskSpec
from holdfast.api.meta import Condition

SIMULATION = "Simulation"


def uuid_of(node: str, disk: str) -> str:
    """The UUID of a simulated disk: the same for the same names, on every start."""
    digits = hashlib.sha256(f"{node}/{disk}".encode()).hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-a{digits[17:20]}-{digits[20:32]}"


@dataclass
class SimulatedDisk:
    """The state of one disk. ``written`` is by data directory."""

    uuid: str
    size: int
    foreign: int = 0
    written: dict[str, int] = field(default_factory=dict)
    is_away: bool = False

    @property
    def available(self) -> int:
        return max(0, self.size - self.foreign - sum(self.written.values()))


class SimulatedDriver:
    """A driver over numbers."""

    remark_types = (SIMULATION,)

    def __init__(self, node: str, disks: Mapping[str, int]) -> None:
        """``disks`` are sizes by name."""
        self.node = node
        self._made_with = dict(disks)
        self._annotation = ""
        self._remark: Condition | None = None
        self._begin(Wishes())

    def _begin(self, wishes: Wishes) -> None:
        """The machine as new, with what is wished for switched on."""
        disks = {name: SimulatedDisk(uuid_of(self.node, name), size) for name, size in self._made_with.items()}
        for name, wish in wishes.disks.items():
            if name not in disks and not wish.size:
                raise WishRefused(f"there is no simulated disk {name!r}; a new one needs a size")
            disks[name] = self._wished(disks.get(name) or SimulatedDisk(uuid_of(self.node, name), 0), wish)
        self.disks = disks
        self.is_up = not wishes.down

    def _wished(self, disk: SimulatedDisk, wish: DiskWish) -> SimulatedDisk:
        return SimulatedDisk(
            uuid=wish.uuid or disk.uuid,
            size=wish.size or disk.size,
            foreign=wish.foreign,
            written=dict(wish.written),
            is_away=wish.away,
        )

    # ---- faults, for code -------------------------------------------------------------------------------------------------

    def pull(self, disk: str) -> None:
        """The disk is away."""
        self.disks[disk].is_away = True

    def plug(self, disk: str) -> None:
        """The disk is back, as it was."""
        self.disks[disk].is_away = False

    def fill(self, disk: str, size: int) -> None:
        """Somebody else writes ``size`` bytes (or, below 0, frees them)."""
        self.disks[disk].foreign = max(0, self.disks[disk].foreign + size)

    def write(self, disk: str, directory: str, size: int) -> None:
        """A data directory's live head grows by ``size`` bytes."""
        written = self.disks[disk].written
        written[directory] = written.get(directory, 0) + size

    def fall(self) -> None:
        """The node is down: its agent says nothing any more."""
        self.is_up = False

    def rise(self) -> None:
        """The node is up again."""
        self.is_up = True

    # ---- the driver's verbs -----------------------------------------------------------------------------------------------

    async def node_info(self, node: LonghornNode) -> NodeInfo:
        annotation = node.metadata.annotations.get(ANNOTATION, "")
        if annotation != self._annotation:
            self._annotation = annotation
            self._remark = self._obey(annotation)
        return NodeInfo(is_up=self.is_up, remarks=(self._remark,) if self._remark else ())

    def _obey(self, annotation: str) -> Condition | None:
        try:
            wishes = Wishes.parse(annotation)
            self._begin(wishes)
        except WishRefused as refusal:
            words = f"annotation {ANNOTATION}: {refusal}; what was simulated before stays"
            return told(SIMULATION, holds=False, reason="Refused", message=words)
        return told(SIMULATION, holds=True, reason="AsAnnotated", message=wishes.in_words()) if annotation else None

    async def disk_list(self) -> Mapping[str, DiskSpec]:
        return {
            name: DiskSpec(disk_type="filesystem", path=f"/simulated/{self.node}/{name}", allow_scheduling=True) for name in self._made_with
        }

    async def disk_info(self, name: str, disk: DiskSpec) -> DiskInfo:  # noqa: ARG002 - a simulated disk is known by its name
        found = self._reach(name)
        return DiskInfo(uuid=found.uuid, filesystem_type="simulated", maximum=found.size, available=found.available)

    async def disk_written(self, name: str, disk: DiskSpec) -> Mapping[str, int]:  # noqa: ARG002 - as above
        return dict(self._reach(name).written)

    def _reach(self, name: str) -> SimulatedDisk:
        disk = self.disks.get(name)
        if disk is None:
            raise DiskFault("NoDiskInfo", f"node {self.node} has no simulated disk {name}; annotation {ANNOTATION} can add one by its size")
        if disk.is_away:
            raise DiskFault("NoDiskInfo", f"disk {name} is away from node {self.node}")
        return disk
