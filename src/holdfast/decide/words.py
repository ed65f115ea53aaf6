"""The one place where decisions become sentences."""

from collections.abc import Sequence

from holdfast.decide.codes import Code
from holdfast.decide.reasons import Act, Fix, Operands, Reason, Step
from holdfast.decide.settings import MINIMAL_AVAILABLE, OVER_PROVISIONING
from holdfast.decide.values import AskKey, AskKind

_UNITS = ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki"))
_NAMED = 5


def size(count: int) -> str:
    """Bytes, exactly: in the largest binary unit that leaves nothing over, else with separators."""
    for unit, name in _UNITS:
        if count and count % unit == 0:
            return f"{count // unit:,}{name}"
    return "0" if not count else f"{count:,} bytes" if abs(count) != 1 else f"{count} byte"


def schedulable(disk: str, node: str, closed: Code | None) -> str:
    """What the condition Schedulable says."""
    if closed is None:
        return f"Disk {disk} is ready for scheduling on node {node}"
    return f"Disk {disk} takes nothing more: {closed_because(closed, disk, node)}"


def closed_because(code: Code, disk: str, node: str) -> str:
    """Why a disk takes no growth."""
    return {
        Code.NODE_MISSING: f"its node {node} does not exist" if node else "its schedule names no node",
        Code.DISK_MISSING: f"node {node} does not report it",
        Code.UUID_DIFFERS: f"node {node} reports another disk under this name",
        Code.DISK_REMOVED: f"it is no longer in spec.disks of node {node}",
        Code.SCHEDULE_DELETING: "its DiskSchedule is being deleted",
        Code.NODE_NOT_READY: f"node {node} is not ready",
        Code.DISK_NOT_READY: f"it is not ready on node {node}",
        Code.NODE_DISABLED: f"scheduling is disabled on node {node}",
        Code.DISK_DISABLED: f"scheduling is disabled on it (spec.disks.{disk}.allowScheduling of node {node})",
        Code.NODE_EVICTING: f"node {node} is being emptied (evictionRequested)",
        Code.DISK_EVICTING: f"it is being emptied (spec.disks.{disk}.evictionRequested of node {node})",
    }[code]


def over_limit(scheduled: int, limit: int, rule: str) -> str:
    """What the condition OverLimit says."""
    over = size(scheduled - limit)
    return f"{size(scheduled)} is scheduled and the limit is {size(limit)} ({rule}), {over} too much: grants stay, nothing more is granted"


def orphaned(names: Sequence[str]) -> str:
    """What the condition OrphanedAsks says."""
    listed = ", ".join(names[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{len(names)} asked for by objects that are gone: {listed}{more}"


def named(key: AskKey) -> str:
    """An ask by kind and name."""
    return f"backing image {key.name}" if key.kind is AskKind.IMAGE else f"replica {key.name}"


def reason(found: Reason, disk: str, node: str) -> str:
    """``n3/ssd1  over-provisioned: 100Gi + 430Gi scheduled > 500Gi; short by 30Gi``."""
    place = f"{node}/{disk}  "
    if found.code is Code.BEHIND_ELDER:
        elder = "an older ask" if found.elder is None else named(found.elder)
        return f"{place}behind an elder: {elder} has waited too long for this disk, younger asks wait for it"
    if not found.operands:
        return f"{place}closed: {closed_because(found.code, disk, node)}"
    return place + "; ".join(operands(broken) for broken in found.operands)


def operands(broken: Operands) -> str:
    """A broken rule with its numbers."""
    ceiling = size(broken.ceiling)
    if broken.percent != 100:
        ceiling += f" ({broken.percent}% of {size(broken.of)})"
    short = f"; short by {size(broken.shortfall)}"
    sums = f"{size(broken.growth)} + {size(broken.counted)}"
    if broken.rule is Code.OVER_PROVISIONING:
        return f"over-provisioned: {sums} scheduled > {ceiling}{short}"
    if broken.rule is Code.FREE_SPACE:
        return f"no free space: {sums} still to be written > {ceiling}{short}"
    if broken.rule is Code.STORAGE_AVAILABLE:
        return f"not enough available: {sums} scheduled > {ceiling}{short}"
    least = broken.of * broken.percent // 100
    left = broken.ceiling + least + 1
    coming = broken.growth + broken.counted
    available = f"{size(left)} available" + (f" - {size(coming)} to be written" if coming else "")
    return f"too little available: {available} <= {size(least)} ({broken.percent}% of {size(broken.of)}){short}"


def fixes(found: Reason, disk: str) -> str:
    """What would help, as one sentence; empty when nothing is known to."""
    return ", or ".join(fix(one, disk) for one in found.fixes)


def fix(acts: Fix, disk: str) -> str:
    """Everything that has to be done for one fix."""
    return " and ".join(_act(act, disk) for act in acts)


def _act(act: Act, disk: str) -> str:
    return {
        Step.RELEASE: f"free {size(act.amount)} on this disk",
        Step.FREE: f"remove {size(act.amount)} of files from its file system",
        Step.OVER_PROVISIONING: f"raise {OVER_PROVISIONING} to {act.amount}",
        Step.MINIMAL_AVAILABLE: f"lower {MINIMAL_AVAILABLE} to {act.amount}",
        Step.ASK_LESS: f"ask for at most {size(act.amount)}",
        Step.OPEN_DISK: f"make disk {disk} available again",
        Step.WAIT: "wait until it is granted or withdrawn",
    }[act.step]
