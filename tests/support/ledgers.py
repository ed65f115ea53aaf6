"""One disk and its books, for tests of decisions: say what it is like and what is asked of it, then look at the verdict."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from holdfast.api.longhorn import BackingImage, DiskSchedule, LonghornNode, Replica, Setting
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec, DiskScheduleStatus, ScheduledResource
from holdfast.api.struct import from_builtins
from holdfast.api.timestamps import timestamp
from holdfast.decide.explain import Explanation, explain
from holdfast.decide.ledger import Answer, Verdict, decide
from holdfast.decide.policy import policy_of
from holdfast.decide.reasons import Reason
from holdfast.decide.snapshot import situation_of
from holdfast.decide.values import AskKey, AskKind, Situation
from holdfast.decide.why import why

UUID = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
NOW = 1_136_214_245.0
"""2006-01-02T15:04:05Z."""
READY = [{"type": "Ready", "status": "True"}]
UNREADY = [{"type": "Ready", "status": "False"}]

_UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def size(text: str | int) -> int:
    """Bytes of ``50Gi``."""
    if isinstance(text, int):
        return text
    return int(text[:-2]) * _UNITS[text[-2:]] if text[-2:] in _UNITS else int(text)


def setting(name: str, value: str, revision: str = "1") -> Setting:
    return from_builtins({"metadata": {"name": name, "resourceVersion": revision}, "value": value}, Setting)


def disk_status(*, total: str | int = "500Gi", available: str | int | None = None, written: Mapping[str, str | int] | None = None, **more):
    """A disk as its node reports it."""
    found = {
        "diskUUID": UUID,
        "storageMaximum": size(total),
        "storageAvailable": size(total if available is None else available),
        "written": {directory: size(text) for directory, text in (written or {}).items()},
        "conditions": READY,
    }
    return found | more


def node(disk=None, *, wanted=None, spec=None, conditions=None, revision: str = "1") -> LonghornNode:
    """The node ``example-node`` with the disk ``example-disk``; ``wanted`` is the disk's part of the spec."""
    body = {
        "metadata": {"name": "example-node", "resourceVersion": revision},
        "spec": {"allowScheduling": True, "disks": {"example-disk": {"allowScheduling": True} | (wanted or {})}} | (spec or {}),
        "status": {
            "conditions": READY if conditions is None else conditions,
            "diskStatus": {"example-disk": disk_status() if disk is None else disk},
        },
    }
    return from_builtins(body, LonghornNode)


def replica(name: str, *, age: float = 0, uid: str = "", directory: str = "", on: str = UUID, healthy: bool = False) -> Replica:
    """A replica made ``age`` seconds ago."""
    spec = {"diskID": on, "dataDirectoryName": directory or f"{name}-dir", "healthyAt": timestamp(NOW - age) if healthy else ""}
    metadata = {"name": name, "uid": uid or f"uid-of-{name}", "creationTimestamp": timestamp(NOW - age)}
    return from_builtins({"metadata": metadata, "spec": spec}, Replica)


def image(name: str, *, age: float = 0, content: str | int = 0, state: str = "") -> BackingImage:
    """A backing image with this much content; ``state`` is that of its file on the disk."""
    files = {UUID: {"state": state}} if state else {}
    metadata = {"name": name, "uid": f"uid-of-{name}", "creationTimestamp": timestamp(NOW - age)}
    status = {"realSize": size(content), "diskFileStatusMap": files}
    return from_builtins({"metadata": metadata, "status": status}, BackingImage)


class Book:
    """The books of one disk. What it decides it records, so the next verdict builds on it."""

    def __init__(
        self, total: str | int = "500Gi", *, policy: str = "", over: int | None = None, least: int = 0, aging: str = "", **disk
    ) -> None:
        """``least`` is the share that must stay free: 0 here, so that round numbers fit."""
        self.now = NOW
        self.total, self.disk = total, disk
        self.wanted: dict[str, Any] = {}
        self.node: LonghornNode | None = None
        self.has_node = True
        self.settings = {"storage-minimal-available-percentage": str(least)}
        if policy:
            self.settings["disk-schedule-limit"] = policy
        if over is not None:
            self.settings["storage-over-provisioning-percentage"] = str(over)
        if aging:
            self.settings["disk-schedule-aging"] = aging
        self.objects: dict[tuple[type, str], Replica | BackingImage] = {}
        self.gone: dict[AskKey, float] = {}
        self.schedule = DiskSchedule(spec=DiskScheduleSpec(name="example-disk", node_id="example-node"))
        self.schedule = replace(self.schedule, metadata=replace(self.schedule.metadata, name=UUID))

    def becomes(self, **disk) -> None:
        """The node reports other numbers."""
        self.disk = self.disk | disk

    def holds(self, *objects: Replica | BackingImage) -> None:
        """These objects exist."""
        self.objects |= {(type(obj), obj.metadata.name): obj for obj in objects}

    def asks(self, tokens: Mapping[str, str] | None = None, /, **sizes: str | int) -> Verdict:
        """Replicas ask for these sizes (and keep what others ask); the verdict is recorded."""
        spec = self.schedule.spec
        wanted = spec.replicas | {name: size(text) for name, text in sizes.items()}
        return self._wants(replace(spec, replicas=wanted, tokens=spec.tokens | dict(tokens or {})))

    def asks_for_images(self, **sizes: str | int) -> Verdict:
        spec = self.schedule.spec
        return self._wants(replace(spec, backing_images=spec.backing_images | {name: size(text) for name, text in sizes.items()}))

    def releases(self, *names: str) -> Verdict:
        """These replicas take their asks back."""
        spec = self.schedule.spec
        return self._wants(replace(spec, replicas={name: wanted for name, wanted in spec.replicas.items() if name not in names}))

    def records(self, **entries: ScheduledResource) -> None:
        """Somebody edits the status by hand."""
        self.schedule = replace(self.schedule, status=replace(self.status, replicas=self.status.replicas | entries))

    def passes(self, seconds: float) -> Verdict:
        """Time passes, then everything is decided again."""
        self.now += seconds
        return self.decides()

    def decides(self) -> Verdict:
        """Decide, and record it."""
        self.situation = self.situation_now()
        self.verdict = decide(self.situation, self.now)
        self.schedule = replace(self.schedule, status=self.verdict.status)
        return self.verdict

    def situation_now(self) -> Situation:
        policy = policy_of(setting(name, value) for name, value in self.settings.items())
        return situation_of(self.schedule, self.node_now(), policy, self._replica, self._image, self.gone)

    def node_now(self) -> LonghornNode | None:
        if not self.has_node:
            return None
        return self.node or node(disk_status(total=self.total, **self.disk), wanted=self.wanted)

    def explains(self) -> Explanation:
        replicas = [obj for obj in self.objects.values() if isinstance(obj, Replica)]
        images = [obj for obj in self.objects.values() if isinstance(obj, BackingImage)]
        found = (setting(name, value) for name, value in self.settings.items())
        return explain(self.schedule, self.node_now(), found, replicas, images, self.now)

    @property
    def status(self) -> DiskScheduleStatus:
        return self.schedule.status

    def entry(self, name: str) -> tuple[str, int]:
        """State and granted bytes of a replica, as recorded."""
        found = self.status.replicas[name]
        return found.state.value, found.scheduled_size

    def granted(self) -> dict[str, int]:
        """The bytes of every replica that has some."""
        return {name: entry.scheduled_size for name, entry in self.status.replicas.items() if entry.scheduled_size}

    def refused(self) -> dict[str, str]:
        """The reason of every refused replica."""
        return {name: entry.reason for name, entry in self.status.replicas.items() if entry.state == "rejected"}

    def answer(self, name: str) -> Answer:
        found = self.verdict.on(AskKey(AskKind.REPLICA, name))
        assert found is not None
        return found

    def why(self, name: str) -> Reason:
        found = why(self.situation, self.verdict, self.answer(name))
        assert found is not None
        return found

    def condition(self, type_: str):
        return next((condition for condition in self.status.conditions if condition.type == type_), None)

    def _wants(self, spec: DiskScheduleSpec) -> Verdict:
        self.schedule = replace(self.schedule, spec=spec)
        return self.decides()

    def _replica(self, name: str) -> Replica | None:
        found = self.objects.get((Replica, name))
        return found if isinstance(found, Replica) else None

    def _image(self, name: str) -> BackingImage | None:
        found = self.objects.get((BackingImage, name))
        return found if isinstance(found, BackingImage) else None
