"""The kinds of Kubernetes itself that we use, as far as we use them."""

from typing import ClassVar

from holdfast.api.meta import Object
from holdfast.api.struct import Wire


class Namespace(Object):
    """A namespace."""


class NodeCondition(Wire):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class Taint(Wire):
    key: str = ""
    value: str = ""
    effect: str = ""


class NodeSpec(Wire):
    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()


class NodeStatus(Wire):
    conditions: tuple[NodeCondition, ...] = ()
    allocatable: dict[str, str] = {}


class Node(Object):
    """A machine, as kubelet registered it. Longhorn's Node is ``api.longhorn.LonghornNode``."""

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class PodSpec(Wire):
    node_name: str = ""
    scheduler_name: str = ""


class PodCondition(Wire):
    type: str = ""
    status: str = ""
    reason: str = ""


class PodStatus(Wire):
    phase: str = ""
    conditions: tuple[PodCondition, ...] = ()


class Pod(Object):
    """What runs, as far as it tells us where."""

    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class ConfigMap(Object):
    data: dict[str, str] = {}


class Secret(Object):
    """``data`` is base64, as it travels."""

    type: str = ""
    data: dict[str, str] = {}


class ServiceAccount(Object):
    """An identity for processes."""


class ObjectReference(Wire):
    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""


class EventSource(Wire):
    component: str = ""
    host: str = ""


class Event(Object):
    """Something that happened to an object, for people. (core/v1)"""

    involved_object: ObjectReference = ObjectReference()
    reason: str = ""
    message: str = ""
    source: EventSource = EventSource()
    first_timestamp: str = ""
    last_timestamp: str = ""
    count: int = 0
    type: str = ""
    reporting_component: str = ""
    reporting_instance: str = ""


class LeaseSpec(Wire):
    holder_identity: str = ""
    lease_duration_seconds: int = 0
    acquire_time: str = ""
    renew_time: str = ""
    lease_transitions: int = 0


class Lease(Object):
    """Who holds what, until when. (coordination.k8s.io/v1)"""

    spec: LeaseSpec = LeaseSpec()


class CustomResourceDefinitionNames(Wire):
    plural: str = ""
    singular: str = ""
    kind: str = ""
    list_kind: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()


class CustomResourceDefinitionCondition(Wire):
    complete: ClassVar[bool] = False

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class CustomResourceDefinitionSpec(Wire):
    group: str = ""
    names: CustomResourceDefinitionNames = CustomResourceDefinitionNames()
    scope: str = ""


class CustomResourceDefinitionStatus(Wire):
    conditions: tuple[CustomResourceDefinitionCondition, ...] = ()


class CustomResourceDefinition(Object):
    """A kind that somebody added. (apiextensions.k8s.io/v1)"""

    spec: CustomResourceDefinitionSpec = CustomResourceDefinitionSpec()
    status: CustomResourceDefinitionStatus = CustomResourceDefinitionStatus()
