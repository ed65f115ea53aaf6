"""The CustomResourceDefinitions of Longhorn's kinds, generated from their types.

``holdfast crds`` prints them, ``deploy/crds`` holds them, ``holdfast up`` applies them: one function says what they are.
Longhorn's own kinds are open, since Longhorn writes far more fields than we read; a DiskSchedule is ours alone and closed.

The label marks what we made. A definition without it is somebody else's and is never touched.
"""

from typing import Any

from holdfast.api import kinds
from holdfast.api.kinds import Kind
from holdfast.api.structural_schema import class_description, schema_of

Crd = dict[str, Any]

LABELS = {"app.kubernetes.io/managed-by": "holdfast"}

_API_VERSION = (
    "The version of this representation of an object. Servers convert recognized versions to the latest one and may reject others."
)
_KIND = "The REST resource that this object represents. It cannot be changed."

_AGE = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}


def crd_of(kind: Kind) -> Crd:
    """The definition of one of Longhorn's kinds."""
    return {
        "apiVersion": kinds.CUSTOM_RESOURCE_DEFINITION.api_version,
        "kind": kinds.CUSTOM_RESOURCE_DEFINITION.name,
        "metadata": {"name": kind.resource, "labels": dict(LABELS)},
        "spec": {
            "group": kind.group,
            "names": {
                "kind": kind.name,
                "listKind": f"{kind.name}List",
                "plural": kind.plural,
                "singular": kind.singular,
                "shortNames": list(kind.short_names),
            },
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": [
                {
                    "name": kind.version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": _schema(kind)},
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [*_COLUMNS[kind], _AGE],
                }
            ],
        },
    }


def all_crds() -> tuple[Crd, ...]:
    """The definitions of all of Longhorn's kinds that we use."""
    return tuple(crd_of(kind) for kind in kinds.CUSTOM)


def _schema(kind: Kind) -> dict[str, Any]:
    schema = schema_of(kind.type, is_open=kind is not kinds.DISK_SCHEDULE)
    own = {name: value for name, value in schema["properties"].items() if name != "metadata"}
    schema["description"] = class_description(kind.type)
    schema["properties"] = {
        "apiVersion": {"type": "string", "description": _API_VERSION},
        "kind": {"type": "string", "description": _KIND},
        "metadata": {"type": "object"},
        **own,
    }
    return schema


def _column(name: str, path: str, type_: str = "string", note: str = "", *, wide: bool = False) -> dict[str, Any]:
    column: dict[str, Any] = {"name": name, "type": type_, "jsonPath": path}
    column |= {"format": "int64"} if type_ == "integer" else {}
    return column | ({"description": note} if note else {}) | ({"priority": 1} if wide else {})


def _condition(name: str, note: str, *, wide: bool = False) -> dict[str, Any]:
    return _column(name, f".status.conditions[?(@.type=='{name}')].status", note=note, wide=wide)


_COLUMNS: dict[Kind, tuple[dict[str, Any], ...]] = {
    kinds.LONGHORN_NODE: (
        _condition("Ready", "Whether the node's agent is there and well"),
        _column("AllowScheduling", ".spec.allowScheduling", "boolean", "Whether an administrator lets new data come here"),
        _condition("Schedulable", "Whether the node can take new data"),
    ),
    kinds.DISK_SCHEDULE: (
        _column("Node", ".spec.nodeID", note="The node that holds the disk"),
        _column("Disk", ".spec.name", note="The disk's name on that node"),
        _column("Scheduled", ".status.storageScheduled", "integer", "Sum of all granted bytes"),
        _column("Limit", ".status.limit.bytes", "integer", "The largest sum that was allowed when this was last decided"),
        _condition("Schedulable", "Whether the disk can grant anything"),
        _condition("OverLimit", "Whether more is granted than the disk may promise today", wide=True),
    ),
    kinds.SETTING: (
        _column("Value", ".value", note="The value as it was set"),
        _column("Applied", ".status.applied", "boolean", "Whether the value is in force"),
    ),
    kinds.REPLICA: (
        _column("Volume", ".spec.volumeName", note="The volume that this is a copy of"),
        _column("Node", ".spec.nodeID", note="The node it was placed on"),
        _column("Disk", ".spec.diskID", note="The UUID of the disk it was placed on"),
        _column("Size", ".spec.volumeSize", note="Nominal size in bytes"),
        _column("State", ".status.currentState", note="What its process does"),
    ),
    kinds.BACKING_IMAGE: (
        _column("Size", ".status.size", "integer", "Bytes of one copy"),
        _column("VirtualSize", ".status.virtualSize", "integer", "Bytes that a volume made of it shows"),
        _column("Copies", ".spec.minNumberOfCopies", "integer", "How many copies there shall be at least"),
        _column("UUID", ".status.uuid", note="Names its files", wide=True),
    ),
}
