"""Records written by hand, revision by revision, with the metadata that a server would give: a test bends only what it is about.

record = RecordByHand()
record.disk()                                    # a node with one disk of 100Gi, and its empty books
record.asks(r1=50)
record.grants(r1=50)
assert record.broken() == []
"""

import copy
from collections.abc import Mapping
from typing import Any

from holdfast.api.merge_patch import apply
from holdfast.api.timestamps import micro_timestamp, timestamp
from holdfast.simulation.checker import Checker
from holdfast.simulation.record import Revision

GIB = 2**30
BIRTH = 1_767_225_600.0
NAMESPACE = "longhorn-system"
DISK = "11111111-aaaa-4bbb-8ccc-222222222222"
READY = [{"type": "Ready", "status": "True"}]
LONGHORN = "longhorn.io/v1beta2"
_VERSIONS = {"Lease": "coordination.k8s.io/v1", "ConfigMap": "v1", "Namespace": "v1"}

Object = dict[str, Any]


class RecordByHand:
    """A record that grows by what is told in it."""

    def __init__(self) -> None:
        self.revisions: list[Revision] = []
        self._now: dict[tuple[str, str], Object] = {}

    # ---- any object ---------------------------------------------------------------------------------------------------------

    def tells(self, type_: str, obj: Object, *, at: int = 0) -> None:
        """One line, with the next revision unless told otherwise."""
        revision = at or (self.revisions[-1].revision + 1 if self.revisions else 1)
        told = copy.deepcopy(obj)
        told["metadata"]["resourceVersion"] = str(revision)
        self.revisions.append(Revision(revision, type_, told))
        self._now[obj["kind"], obj["metadata"]["name"]] = told

    def adds(self, kind: str, name: str, *, metadata: Object | None = None, status: Object | None = None, **content: Any) -> None:
        """A new object. A server takes its status in a second write."""
        born = {
            "name": name,
            "namespace": NAMESPACE,
            "uid": f"uid-{len(self.revisions)}-{name}",
            "generation": 1,
            "creationTimestamp": timestamp(BIRTH + len(self.revisions)),
        }
        told = {key: value for key, value in (born | (metadata or {})).items() if value is not None}
        self.tells("ADDED", {"apiVersion": _VERSIONS.get(kind, LONGHORN), "kind": kind, "metadata": told, **content})
        if status is not None:
            self.changes(kind, name, {"status": status})

    def changes(self, kind: str, name: str, patch: Object) -> None:
        """A merge patch. The generation counts what a server counts, unless the patch says otherwise."""
        before = self.now(kind, name)
        after = apply(patch, before)
        apart = {"metadata", "status"}
        is_new = {k: v for k, v in before.items() if k not in apart} != {k: v for k, v in after.items() if k not in apart}
        ends = "deletionTimestamp" in after["metadata"] and "deletionTimestamp" not in before["metadata"]
        if "generation" not in patch.get("metadata", {}):
            after["metadata"]["generation"] = before["metadata"].get("generation", 0) + is_new + ends
        self.tells("MODIFIED", after)

    def ends(self, kind: str, name: str) -> None:
        """Somebody asks for its deletion, and its finalizers hold it."""
        self.changes(kind, name, {"metadata": {"deletionTimestamp": timestamp(BIRTH + 1000 + len(self.revisions))}})

    def deletes(self, kind: str, name: str) -> None:
        self.tells("DELETED", self.now(kind, name))
        del self._now[kind, name]

    def now(self, kind: str, name: str) -> Object:
        return copy.deepcopy(self._now[kind, name])

    def uid(self, kind: str, name: str) -> str:
        found: str = self._now[kind, name]["metadata"]["uid"]
        return found

    # ---- a disk and its books -----------------------------------------------------------------------------------------------

    def disk(self, uuid: str = DISK, *, node: str = "n1", name: str = "ssd1", **numbers: int) -> None:
        """A node with one disk, in GiB, and the books of it."""
        self.node(node, name, uuid, **numbers)
        spec = {"name": name, "nodeID": node, "replicas": {}, "backingImages": {}, "tokens": {}, "imageTokens": {}}
        self.adds("DiskSchedule", uuid, metadata={"finalizers": ["longhorn.io"]}, spec=spec)

    def node(self, node: str = "n1", name: str = "ssd1", uuid: str = DISK, **numbers: int) -> None:
        """A node with one disk, open and ready."""
        disk = {"allowScheduling": True, "storageReserved": numbers.get("reserved", 0) * GIB}
        sizes = {
            "storageAvailable": numbers.get("available", numbers.get("maximum", 100)) * GIB,
            "storageMaximum": numbers.get("maximum", 100) * GIB,
        }
        status = {"conditions": READY, "diskStatus": {name: {"diskUUID": uuid, "conditions": READY, "written": {}, **sizes}}}
        self.adds("Node", node, spec={"allowScheduling": True, "disks": {name: disk}}, status=status)

    def node_says(self, patch: Object, *, of: str = "ssd1", node: str = "n1") -> None:
        """The node's agent reports something else of the disk."""
        self.changes("Node", node, {"status": {"diskStatus": {of: patch}}})

    def asks(self, *, on: str = DISK, tokens: Mapping[str, str | None] | None = None, **sizes: int | None) -> None:
        """In GiB; None takes an ask away, with its token."""
        replicas = {name: None if size is None else size * GIB for name, size in sizes.items()}
        gone = {name: None for name, size in sizes.items() if size is None}
        self.changes("DiskSchedule", on, {"spec": {"replicas": replicas, "tokens": gone | dict(tokens or {})}})

    def grants(self, *, on: str = DISK, more: Mapping[str, Object] | None = None, **sizes: int | None) -> None:
        """A verdict: these hold so much, in GiB; the rest stays as it is. It names the newest Node and Settings."""
        books = self.now("DiskSchedule", on)
        spec, held = books["spec"], books.get("status", {}).get("replicas", {})
        entries = dict(held)
        for name, size in sizes.items():
            entries.pop(name, None)
            if size is not None:
                state = "scheduled" if size * GIB == spec["replicas"].get(name) else "rejected"
                token = spec["tokens"].get(name, "")
                entries[name] = {"state": state, "scheduledSize": size * GIB, "token": token} | dict((more or {}).get(name, {}))
        node = self._now.get(("Node", spec["nodeID"]), {"metadata": {"resourceVersion": ""}})
        settings = {name: obj["metadata"]["resourceVersion"] for (kind, name), obj in self._now.items() if kind == "Setting"}
        books["status"] = {
            "replicas": entries,
            "storageScheduled": sum(entry["scheduledSize"] for entry in entries.values()),
            "limit": {"nodeRevision": node["metadata"]["resourceVersion"], "settingsRevisions": settings},
        }
        self.tells("MODIFIED", books)

    def replica(self, name: str, *, placement: int = 1, on: str = DISK, node: str = "n1", directory: str = "") -> str:
        """A replica that is placed; its token."""
        metadata = {"annotations": {"holdfast.io/placement": str(placement)}, "finalizers": ["longhorn.io"]}
        spec = {"volumeName": "v", "diskID": on, "nodeID": node, "dataDirectoryName": directory or f"v-{name}"}
        self.adds("Replica", name, metadata=metadata, spec=spec)
        return f"{self.uid('Replica', name)}/{placement}/0"

    def setting(self, name: str, value: str) -> None:
        self.adds("Setting", name, value=value)

    # ---- time and leases ----------------------------------------------------------------------------------------------------

    def lease(self, name: str, holder: str, *, at: float = 0.0, **more: Any) -> None:
        spec = {"holderIdentity": holder, "leaseDurationSeconds": 15, "renewTime": micro_timestamp(BIRTH + at), **more}
        self.adds("Lease", name, metadata={"generation": None}, spec=spec)

    def renews(self, name: str, *, at: float, **more: Any) -> None:
        self.changes("Lease", name, {"metadata": {"generation": None}, "spec": {"renewTime": micro_timestamp(BIRTH + at), **more}})

    def time_passes(self, seconds: float) -> None:
        """As told by the heart of a node."""
        name = "holdfast-node-n1"
        if ("Lease", name) not in self._now:
            self.lease(name, "agent-n1")
        began = len([each for each in self.revisions if each.object["metadata"]["name"] == name]) * 10.0
        for beat in range(int(seconds / 10)):
            self.renews(name, at=began + beat * 10.0)

    # ---- judgement ----------------------------------------------------------------------------------------------------------

    def broken(self) -> list[str]:
        """The promises that some revision breaks."""
        return [violation.promise for violation in Checker().check_all(self.revisions)]

    def broken_at_rest(self) -> list[str]:
        """The promises that are broken if this is where it ends."""
        checker = Checker()
        assert checker.check_all(self.revisions) == []
        return [violation.promise for violation in checker.at_rest()]
