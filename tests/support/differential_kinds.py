"""The kinds that the differential scripts are about, and what may stand in their objects.

For each kind: the places of its fields and the values that a script writes there, good ones and such as a server refuses or
changes. What becomes of them the homes say, and nobody else.
"""

from typing import Any, Final

from msgspec import Struct
from tests.support.differential_steps import Kind

from holdfast.api.kinds import DISK_SCHEDULE, SETTING

Document = dict[str, Any]
Place = tuple[str, ...]


class Field(Struct, frozen=True):
    """A place in an object, and what is written there."""

    place: Place
    good: tuple[Any, ...]
    bad: tuple[Any, ...] = ()


def _field(place: str, *good: Any, bad: tuple[Any, ...] = ()) -> Field:
    return Field(tuple(place.split(".")), good, bad)


#: A schema with one of everything that a structural schema can say.
_SPEC: Final[Document] = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 100},
        "big": {"type": "integer", "format": "int64"},
        "ratio": {"type": "number", "exclusiveMinimum": True, "minimum": 0, "multipleOf": 0.5},
        "color": {"type": "string", "enum": ["red", "green"], "default": "red"},
        "code": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5, "nullable": True},
        "port": {"x-kubernetes-int-or-string": True},
        "when": {"type": "string", "format": "date-time"},
        "on": {"type": "boolean"},
        "parts": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}, "maxProperties": 3, "default": {}},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 1}, "x-kubernetes-list-type": "set", "maxItems": 3},
        "doors": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "wide": {"type": "integer", "default": 80}, "note": {"type": "string"}},
            },
        },
        "frame": {
            "type": "object",
            "default": {"wood": "oak"},
            "properties": {"wood": {"type": "string", "default": "pine"}, "thick": {"type": "integer", "default": 3}},
        },
        "either": {
            "type": "object",
            "properties": {"left": {"type": "string"}, "right": {"type": "string"}},
            "oneOf": [{"required": ["left"]}, {"required": ["right"]}],
        },
        "free": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"known": {"type": "integer", "default": 1}},
        },
    },
}
_STATUS: Final[Document] = {
    "type": "object",
    "properties": {
        "phase": {"type": "string", "enum": ["New", "Ready"], "default": "New"},
        "count": {"type": "integer"},
        "conditions": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
            "items": {
                "type": "object",
                "required": ["type", "status"],
                "properties": {"type": {"type": "string"}, "status": {"type": "string"}},
            },
        },
    },
}


def definition(kind: Kind) -> Document:
    """The CRD of a kind of ours."""
    group, _, version = kind.api_version.partition("/")
    served: Document = {
        "name": version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _SPEC, "status": _STATUS}}},
        "selectableFields": [{"jsonPath": ".spec.color"}],
    }
    if kind.has_status:
        served["subresources"] = {"status": {}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"plural": kind.plural, "kind": kind.kind, "singular": kind.kind.lower()},
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": [served],
        },
    }


KINDS: Final = {
    kind.plural: kind
    for kind in (
        Kind("v1", "ConfigMap", "configmaps", is_custom=False),
        Kind("v1", "Secret", "secrets", is_custom=False),
        Kind("coordination.k8s.io/v1", "Lease", "leases", is_custom=False),
        Kind("differ.example.com/v1", "Widget", "widgets", has_status=True),
        Kind("differ.example.com/v1", "Gadget", "gadgets", namespaced=False, has_status=True),
        Kind("differ.example.com/v1", "Plain", "plains"),
        Kind(DISK_SCHEDULE.api_version, DISK_SCHEDULE.name, DISK_SCHEDULE.plural, has_status=True),
        Kind(SETTING.api_version, SETTING.name, SETTING.plural, has_status=True),
    )
}
OURS: Final = ("widgets", "gadgets", "plains")

# No number is written with a point and yet whole and small: over itself it is another one to Kubernetes (docs/embedded.md).
_WIDGET: Final = (
    _field("spec.size", 1, 7, 100, bad=(0, 101, "7", 1.5, None)),
    _field("spec.big", 9007199254740993, -1, bad=(True,)),
    _field("spec.ratio", 0.5, 2.5, 1e20, 1e21, 1e300, 3, bad=(0, 0.3, "1")),
    _field("spec.color", "green", "red", None, bad=("blue", 5)),
    _field("spec.code", "abc", None, bad=("ABC", "toolong", "")),
    _field("spec.port", 80, "http", bad=(1.5, [])),
    _field("spec.when", "2026-01-02T03:04:05Z", bad=("yesterday",)),
    _field("spec.on", True, False, bad=("true", 1)),
    _field("spec.parts", {}, {"a": 1}, {"a": 1, "b": 2}, None, bad=({"a": -1}, {"a": "x"}, {"a": 1, "b": 1, "c": 1, "d": 1}, [])),
    _field("spec.parts.a", 5, None, bad=(-5,)),
    _field("spec.tags", ["x"], ["x", "y"], [], bad=(["x", "x"], [""], "x", ["a", "b", "c", "d"], [None])),
    _field(
        "spec.doors",
        [{"name": "front"}],
        [{"name": "front", "wide": 90}, {"name": "back", "other": 1}],
        bad=([{"name": "a"}, {"name": "a"}], [{"wide": 1}], [5], {}),
    ),
    _field("spec.frame", {}, {"wood": "elm"}, {"thick": 4, "unknown": 1}, None, bad=("oak", {"thick": "4"})),
    _field("spec.either", {"left": "l"}, {"right": "r"}, bad=({}, {"left": "l", "right": "r"})),
    _field(
        "spec.free",
        {},
        {"any": {"thing": [1, None]}},
        {"any": [1e20, 1e-7, -2.5, 123456789012345678]},
        {"known": None},
        bad=({"known": "1"},),
    ),
    _field("spec.unknown", 1, {"deep": True}),
    _field("unknown", "x", [1]),
    _field("spec", {"size": 3}, {"size": 4, "color": "green"}, bad=({}, "spec", [], None)),
)
_WIDGET_STATUS: Final = (
    _field("status", {}, {"phase": "Ready"}, {"count": 1, "unknown": 2}, None, bad=("x", {"phase": "Old"})),
    _field("status.phase", "Ready", "New", None, bad=("Old",)),
    _field("status.count", 1, 2, bad=("2",)),
    _field(
        "status.conditions",
        [{"type": "A", "status": "True"}],
        [{"type": "A", "status": "False"}, {"type": "B", "status": "True", "x": 1}],
        bad=([{"type": "A"}], [{"type": "A", "status": "x"}, {"type": "A", "status": "y"}]),
    ),
)
FIELDS: Final[dict[str, tuple[Field, ...]]] = {
    "configmaps": (
        _field("data", {"a": "1"}, {"a": "2", "b": ""}, None, bad=({"a": 1}, {"bad key": "x"}, "x", {"..": "x"})),
        _field("data.a", "3", "4", None, bad=(5,)),
        _field("data.b", "x"),
        _field("binaryData", {"bin": "aGk="}, bad=({"bin": "%%"}, {"a": "aGk="}, {"bin": 1})),
        _field("immutable", True, False, None, bad=("yes",)),
        _field("unknown", 1),
    ),
    "secrets": (
        _field("data", {"a": "MQ=="}, {"a": "Mg==", "b": ""}, None, bad=({"a": "not base64!"}, {"bad key": "MQ=="}, {"a": 1})),
        # Not null: to Go it is another content than none, until it is read again.
        _field("data.a", "Mw==", bad=("?",)),
        _field("stringData", {"s": "text"}, {"a": "over"}, {}, None, bad=({"s": 1}, {"bad key": "x"})),
        _field(
            "type",
            "Opaque",
            "example.com/t",
            "",
            bad=("kubernetes.io/tls", "kubernetes.io/basic-auth", "kubernetes.io/dockerconfigjson", 5),
        ),
        _field("immutable", True, False, None),
    ),
    "leases": (
        _field("spec.holderIdentity", "me", "you", None, bad=("", 5)),
        _field("spec.leaseDurationSeconds", 15, 30, None, bad=(0, -1, "15")),
        _field("spec.leaseTransitions", 0, 3, bad=(-1,)),
        _field(
            "spec.renewTime", "2026-01-02T03:04:05.000006Z", "2026-01-02T03:04:05Z", "2026-01-02T05:04:05.1+02:00", None, bad=("now", 5)
        ),
        _field("spec.acquireTime", "2026-01-02T03:04:05.123456Z", None),
        _field("spec.unknown", 1),
        _field("spec", {}, {"holderIdentity": "we"}, None, bad=("x",)),
    ),
    "widgets": _WIDGET + _WIDGET_STATUS[:1],
    "gadgets": _WIDGET + _WIDGET_STATUS[:1],
    "plains": _WIDGET + _WIDGET_STATUS,
    DISK_SCHEDULE.plural: (
        _field("spec.name", "disk-1", bad=(1,)),
        _field("spec.nodeID", "node-1"),
        _field("spec.replicas", {"r": 5}, {"r": "5"}, {"r": 1, "q": 2}, {}, None, bad=({"r": -1}, {"r": {}}, [])),
        _field("spec.replicas.r", 10, 107374182400, None, bad=(-1, "x")),
        _field("spec.tokens", {"r": "u/p/1"}, None, bad=({"r": 1},)),
        _field("spec.backingImages", {"i": 7}, None),
        _field("spec", {}, {"replicas": {}}, None, bad=("x",)),
        _field("unknown", 1),
    ),
    SETTING.plural: (
        _field("value", "100", "", "x", None, bad=(100, {"a": 1})),
        _field("spec", {}),
        _field("unknown", 1),
    ),
}
STATUS_FIELDS: Final[dict[str, tuple[Field, ...]]] = {
    "widgets": _WIDGET_STATUS,
    "gadgets": _WIDGET_STATUS,
    DISK_SCHEDULE.plural: (
        _field("status.storageScheduled", 5, 0, None, bad=(-1, "5")),
        _field("status.replicas", {"r": {"state": "scheduled", "scheduledSize": 5}}, {}, None, bad=({"r": {"state": "odd"}}, {"r": {}})),
        _field("status.limit", {"bytes": 5, "rule": "x"}, {"unknown": 1}, None),
        _field("status.conditions", [{"type": "Schedulable", "status": "True"}], [], bad=("x", [{"type": 1}])),
        _field("status", {}, None, bad=("x",)),
    ),
    SETTING.plural: (
        _field("status.applied", True, False, None, bad=("x",)),
        _field("status.conditions", [{"type": "Valid", "status": "True"}], [], bad=([5],)),
        _field("status", {}, None),
    ),
}
METADATA: Final = (
    _field("metadata.labels.app", "x", "y", None, bad=("bad value!", 5, "x" * 64)),
    _field("metadata.labels.tier", "front", "back", "", None),
    _field("metadata.annotations", {"note": "n"}, {"note": "m", "example.com/b": ""}, None, bad=({"bad key!": "x"}, {"note": 1})),
    _field("metadata.annotations.note", "z", None),
    _field(
        "metadata.finalizers",
        ["example.com/f"],
        ["example.com/f", "example.com/g"],
        ["example.com/g"],
        [],
        None,
        bad=(["nope"], ["bad finalizer!"], ["example.com/f", "example.com/f"], "x"),
    ),
    _field("metadata.generation", 7, bad=("7",)),
    _field("metadata.creationTimestamp", "2020-01-01T00:00:00Z", None, bad=("then",)),
    # No time: of an object that is going, who tried to write one is noted down, and nothing else is a revision.
    _field("metadata.deletionTimestamp", None),
    _field("metadata.deletionGracePeriodSeconds", None, 5),
    _field("metadata.generateName", "other-"),
    _field("metadata.unknown", "x"),
    _field("metadata.uid", None, bad=("another",)),
    _field("metadata.name", None, bad=("another-$home",)),
    _field("metadata.namespace", "$home", bad=("another",)),
    _field("metadata.labels", {"app": "x"}, {}, None, bad=({"": "x"}, [])),
)
#: Label selectors that a script asks with.
LABELS = (
    "app=x",
    "app!=x",
    "app in (x,y)",
    "app notin (x)",
    "!app",
    "app",
    "tier=",
    "app=x,tier=front",
    "app==y",
    "tier in (front,back),app",
)
BAD_LABELS = ("app in x", "a b", "=x", "app=bad value!")
#: What a marker has: every selector of a watch is true of it.
MARKED = {
    "app=x": {"app": "x"},
    "app!=x": {},
    "app in (x,y)": {"app": "y"},
    "!app": {},
    "app": {"app": "x"},
    "app=x,tier=front": {"app": "x", "tier": "front"},
}
