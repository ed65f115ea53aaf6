"""The one place where decisions become sentences."""

from collections.abc import Sequence

from holdfast.api.longhorn.disk_schedule import DiskScheduleStatus, ScheduledResource
from holdfast.api.names import LONGEST_NAME
from holdfast.api.timestamps import timestamp
from holdfast.decide.codes import Code
from holdfast.decide.policy import Policy
from holdfast.decide.reasons import Act, Fix, Operands, Reason, Step
from holdfast.decide.settings import MINIMAL_AVAILABLE, ORPHAN_GRACE, OVER_PROVISIONING
from holdfast.decide.values import AskKey, AskKind, Disk

_UNITS = ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki"))
_NAMED = 5
_LONGEST_QUOTED = 60


def size(count: int) -> str:
    """Bytes, exactly: in the largest binary unit that leaves nothing over, else with separators."""
    for unit, name in _UNITS:
        if count and count % unit == 0:
            return f"{count // unit:,}{name}"
    return "0" if not count else f"{count:,} bytes" if abs(count) != 1 else f"{count} byte"


def schedulable(disk: str, node: str, closed: Code | None) -> str:
    """What the condition Schedulable says."""
    if closed is None:
        return f"Disk {shown(disk)} is ready for scheduling on node {shown(node)}"
    return f"Disk {shown(disk)} takes nothing more: {closed_because(closed, disk, node)}"


def closed_because(code: Code, disk: str, node: str) -> str:
    """Why a disk takes no growth."""
    names_a_node, disk, node = bool(node), shown(disk), shown(node)
    return {
        Code.NODE_MISSING: f"its node {node} does not exist" if names_a_node else "its schedule names no node",
        Code.DISK_MISSING: f"node {node} does not report it",
        Code.UUID_DIFFERS: f"node {node} reports another disk under this name",
        Code.DISK_REMOVED: f"it is no longer in spec.disks of node {node}",
        Code.NODE_NOT_READY: f"node {node} is not ready",
        Code.DISK_NOT_READY: f"it is not ready on node {node}",
        Code.NODE_DISABLED: f"scheduling is disabled on node {node}",
        Code.DISK_DISABLED: f"scheduling is disabled on it (spec.disks.{disk}.allowScheduling of node {node})",
        Code.NODE_EVICTING: f"node {node} is being emptied (evictionRequested)",
        Code.DISK_EVICTING: f"it is being emptied (spec.disks.{disk}.evictionRequested of node {node})",
    }[code]


DELETING = "the deletion of this DiskSchedule waits for the last release; until then it works on, after that the disk gets new books"
"""What the condition Deleting says."""


def over_limit(scheduled: int, limit: int, rule: str) -> str:
    """What the condition OverLimit says."""
    over = size(scheduled - limit)
    return f"{size(scheduled)} is scheduled and the limit is {size(limit)} ({rule}), {over} too much: grants stay, nothing more is granted"


def orphaned(keys: Sequence[AskKey]) -> str:
    """What the condition OrphanedAsks says."""
    listed = ", ".join(map(named, keys[:_NAMED]))
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    asks = "1 ask" if len(keys) == 1 else f"{len(keys)} asks"
    return f"no object stands behind {asks}: {listed}{more}; removed after {ORPHAN_GRACE}"


def orphan_event(key: AskKey) -> str:
    """What is told once of an ask without an object."""
    return f"no object stands behind the ask of {named(key)}; it is removed after {ORPHAN_GRACE}"


def named(key: AskKey) -> str:
    """An ask by kind and name."""
    return f"backing image {shown(key.name)}" if key.kind is AskKind.IMAGE else f"replica {shown(key.name)}"


def shown(text: str) -> str:
    """A name as it may be printed. A key can be any text: it could fill the screen, break the line or speak to the terminal."""
    if len(text) <= LONGEST_NAME and text.isprintable() and " " not in text and text:
        return text
    quoted = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text[:_LONGEST_QUOTED])
    return f'"{quoted}"' if len(text) <= _LONGEST_QUOTED else f'"{quoted}..."'


def reason(found: Reason, disk: str, node: str) -> str:
    """``n3/ssd1  over-provisioned: 100Gi + 430Gi scheduled > 500Gi; short by 30Gi``."""
    place = f"{shown(node)}/{shown(disk)}  "
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


def fixes(found: Reason) -> str:
    """What would help, as one sentence; empty when nothing is known to."""
    return ", or ".join(map(fix, found.fixes))


def fix(acts: Fix) -> str:
    """Everything that has to be done for one fix."""
    return " and ".join(map(_act, acts))


def _act(act: Act) -> str:
    return {
        Step.RELEASE: f"free {size(act.amount)} on this disk",
        Step.FREE: f"remove {size(act.amount)} of files from its file system",
        Step.OVER_PROVISIONING: f"raise {OVER_PROVISIONING} to {act.amount}",
        Step.MINIMAL_AVAILABLE: f"lower {MINIMAL_AVAILABLE} to {act.amount}",
        Step.ASK_LESS: f"ask for at most {size(act.amount)}",
        Step.WAIT: "wait until it is granted or withdrawn",
    }[act.step]


def rule(code: Code, counted: int, ceiling: int, disk: Disk, policy: Policy) -> str:
    """What a rule compares, with the numbers of a disk."""
    percent = policy.over_provisioning
    if code is Code.OVER_PROVISIONING:
        return f"{size(counted)} scheduled, at most {size(ceiling)} ({percent}% of {size(max(0, disk.maximum - disk.reserved))})"
    if code is Code.FREE_SPACE:
        return f"{size(counted)} still to be written, at most {size(ceiling)} ({percent}% of {size(disk.available)} available)"
    if code is Code.STORAGE_AVAILABLE:
        return f"{size(counted)} scheduled, at most {size(ceiling)} available"
    least = disk.maximum * policy.minimal_available // 100
    coming = f" - {size(counted)} to be written" if counted else ""
    return f"{size(disk.available)} available{coming}, more than {size(least)} ({policy.minimal_available}% of {size(disk.maximum)})"


def age(seconds: float) -> str:
    """How long ago, in the unit that a person would use."""
    for unit, name in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= 2 * unit:
            return f"{int(seconds // unit)}{name}"
    return f"{int(seconds)}s"


def orphan(key: AskKey, gone_since: float, grace: float) -> str:
    """An ask whose object is gone, or was never there."""
    since, until = timestamp(gone_since), timestamp(gone_since + grace)
    return f"no object stands behind the ask of {named(key)} (since {since}); it may be removed from {until}"


def adopted(key: AskKey) -> str:
    """A grant that nobody checked."""
    return f"{named(key)} was on the disk before it was granted: adopted without asking whether it fits"


def released(key: AskKey) -> str:
    """An ask for nothing."""
    return f"{named(key)} asks for 0 bytes: that releases it, its key can be removed"


def differs(recorded: DiskScheduleStatus, decided: DiskScheduleStatus) -> str:
    """Where the recorded status is not what would be decided now."""
    found = []
    if recorded.limit.bytes != decided.limit.bytes:
        found.append(f"limit {size(recorded.limit.bytes)} -> {size(decided.limit.bytes)}")
    if recorded.storage_scheduled != decided.storage_scheduled:
        found.append(f"scheduled {size(recorded.storage_scheduled)} -> {size(decided.storage_scheduled)}")
    for kind, before, after in (
        (AskKind.REPLICA, recorded.replicas, decided.replicas),
        (AskKind.IMAGE, recorded.backing_images, decided.backing_images),
    ):
        for name in sorted(before.keys() | after.keys()):
            was, is_now = _entry(before.get(name)), _entry(after.get(name))
            if was != is_now:
                found.append(f"{named(AskKey(kind, name))} {was} -> {is_now}")
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    listed = ", ".join(found[:_NAMED]) or "conditions or reasons"
    return f"the recorded status is not what would be decided now: {listed}{more}"


def _entry(entry: ScheduledResource | None) -> str:
    return "pending" if entry is None else f"{entry.state.value} {size(entry.scheduled_size)}"
