"""The columns of Kubernetes' own kinds, as kubectl's users know them."""

from typing import Any, Final

from holdfast.embedded.columns import AGE, CREATED_AT, NAME, Column, at, text_at
from holdfast.embedded.durations import age

_ROLE_PREFIX: Final = "node-role.kubernetes.io/"


def _node_status(node: dict[str, Any], _: float) -> str:
    ready = [condition for condition in at(node, "status", "conditions") or [] if at(condition, "type") == "Ready"]
    words = ["Unknown"] if not ready else ["Ready" if at(ready[-1], "status") == "True" else "NotReady"]
    return ",".join([*words, *(["SchedulingDisabled"] if at(node, "spec", "unschedulable") else [])])


def _node_roles(node: dict[str, Any], _: float) -> str:
    labels: dict[str, str] = at(node, "metadata", "labels") or {}
    roles = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)} | {labels.get("kubernetes.io/role") or ""}
    return ",".join(sorted(roles - {""})) or "<none>"


def _address(kind: str) -> Any:
    def cell(node: dict[str, Any], _: float) -> str:
        found = [address for address in at(node, "status", "addresses") or [] if at(address, "type") == kind]
        return str(at(found[0], "address")) if found else "<none>"

    return cell


def _kernel(node: dict[str, Any], _: float) -> str:
    architecture = at(node, "status", "nodeInfo", "architecture")
    return (at(node, "status", "nodeInfo", "kernelVersion") or "<unknown>") + (f" ({architecture})" if architecture else "")


def _first_seen(event: dict[str, Any], now: float) -> str:
    return age(event.get("firstTimestamp") or event.get("eventTime"), now)


def _last_seen(event: dict[str, Any], now: float) -> str:
    last = at(event, "series", "lastObservedTime") or event.get("lastTimestamp")
    return age(last, now) if last else _first_seen(event, now)


def _event_object(event: dict[str, Any], _: float) -> str:
    kind, name = str(at(event, "involvedObject", "kind") or "").lower(), at(event, "involvedObject", "name")
    return f"{kind}/{name}" if name else kind


def _event_source(event: dict[str, Any], _: float) -> str:
    component = at(event, "source", "component") or event.get("reportingComponent") or ""
    instance = at(event, "source", "host") or event.get("reportingInstance") or ""
    return f"{component}, {instance}" if instance else component


def _event_count(event: dict[str, Any], _: float) -> int:
    return at(event, "series", "count") or event.get("count") or 1


def _size_of(*names: str) -> Any:
    return lambda obj, _: sum(len(obj.get(name) or {}) for name in names)


_WIDE: Final = 1
_NAMESPACE = (NAME, Column(name="Status", description="The status of the namespace", cell=text_at("status", "phase")), AGE)
_NODE = (
    NAME,
    Column(name="Status", description="The status of the node", cell=_node_status),
    Column(name="Roles", description="The roles of the node", cell=_node_roles),
    AGE,
    Column(name="Version", description="Kubelet Version reported by the node.", cell=text_at("status", "nodeInfo", "kubeletVersion")),
    Column(name="Internal-IP", priority=_WIDE, cell=_address("InternalIP")),
    Column(name="External-IP", priority=_WIDE, cell=_address("ExternalIP")),
    Column(name="OS-Image", priority=_WIDE, cell=lambda node, _: at(node, "status", "nodeInfo", "osImage") or "<unknown>"),
    Column(name="Kernel-Version", priority=_WIDE, cell=_kernel),
    Column(
        name="Container-Runtime",
        priority=_WIDE,
        cell=lambda node, _: at(node, "status", "nodeInfo", "containerRuntimeVersion") or "<unknown>",
    ),
)
_EVENT = (
    Column(name="Last Seen", description="The time at which the most recent occurrence of this event was recorded.", cell=_last_seen),
    Column(name="Type", description="Type of this event (Normal, Warning), new types could be added in the future", cell=text_at("type")),
    Column(name="Reason", description="The reason for the transition into the object's current status.", cell=text_at("reason")),
    Column(name="Object", description="The object that this event is about.", cell=_event_object),
    Column(name="Subobject", priority=_WIDE, cell=text_at("involvedObject", "fieldPath")),
    Column(name="Source", priority=_WIDE, description="The component reporting this event.", cell=_event_source),
    Column(name="Message", description="What happened, for people.", cell=lambda event, _: str(event.get("message") or "").strip()),
    Column(name="First Seen", priority=_WIDE, description="The time at which the event was first recorded.", cell=_first_seen),
    Column(name="Count", priority=_WIDE, description="The number of times this event has occurred.", cell=_event_count),
    Column(name="Name", priority=_WIDE, format="name", description=NAME.description, cell=NAME.cell),
)
_SECRET = (
    NAME,
    Column(name="Type", description="Used to facilitate programmatic handling of secret data.", cell=text_at("type")),
    Column(name="Data", description="Data contains the secret data.", cell=_size_of("data")),
    AGE,
)
_CONFIG_MAP = (NAME, Column(name="Data", description="Data contains the configuration data.", cell=_size_of("data", "binaryData")), AGE)
_LEASE = (NAME, Column(name="Holder", description="The identity of the holder of the lease.", cell=text_at("spec", "holderIdentity")), AGE)

#: By ``plural.group``.
BUILT_IN_COLUMNS: Final[dict[str, tuple[Column, ...]]] = {
    "namespaces": _NAMESPACE,
    "nodes": _NODE,
    "events": _EVENT,
    "secrets": _SECRET,
    "serviceaccounts": (NAME, AGE),
    "configmaps": _CONFIG_MAP,
    "leases.coordination.k8s.io": _LEASE,
    "customresourcedefinitions.apiextensions.k8s.io": (NAME, CREATED_AT),
}
