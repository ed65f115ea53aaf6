"""Why an ask is refused: one word each.

The words travel: they are ``reason`` of a status entry and ``rule`` of a limit. The first four are the rules of the limit
policies, the others say that the disk takes no growth at all, whatever its size.
"""

from enum import StrEnum


class Code(StrEnum):
    """One reason for which an ask is not granted."""

    STORAGE_AVAILABLE = "storage-available"
    """The sum of all grants would pass the disk's available bytes."""
    OVER_PROVISIONING = "over-provisioning"
    """The sum of nominal sizes would pass what the disk may promise."""
    FREE_SPACE = "free-space"
    """What is granted and not yet written would pass the disk's free bytes."""
    MINIMAL_AVAILABLE = "minimal-available"
    """The disk's available bytes are, or would be, down to the share that must stay free."""

    BEHIND_ELDER = "behind-elder"
    """It would fit, but an older ask has waited too long for this disk."""

    NODE_MISSING = "node-missing"
    """The schedule names no node, or one that does not exist."""
    DISK_MISSING = "disk-missing"
    """The node does not report this disk: it is away."""
    UUID_DIFFERS = "uuid-differs"
    """The node reports another disk under this name."""
    DISK_REMOVED = "disk-removed"
    """The node's spec no longer lists the disk."""
    NODE_NOT_READY = "node-not-ready"
    DISK_NOT_READY = "disk-not-ready"
    NODE_DISABLED = "node-scheduling-disabled"
    DISK_DISABLED = "disk-scheduling-disabled"
    NODE_EVICTING = "node-evicting"
    DISK_EVICTING = "disk-evicting"

    @property
    def condition_reason(self) -> str:
        """The word as conditions spell it: ``DiskNotReady``."""
        return "".join(word.capitalize() for word in self.value.split("-"))


RULES = frozenset({Code.STORAGE_AVAILABLE, Code.OVER_PROVISIONING, Code.FREE_SPACE, Code.MINIMAL_AVAILABLE})
"""The codes that are about bytes."""
