"""The one registry of kinds: how a type is called on the wire and where it is served.

Everything that needs a path, a plural or a short name asks here: the client, the embedded server, the CRDs, kubectl's words.
"""

from typing import Any, TypeVar

from msgspec import Struct

from holdfast.api import core, longhorn
from holdfast.api.meta import Object
from holdfast.api.struct import to_builtins

T = TypeVar("T", bound=Object)

FINALIZER = "longhorn.io"
LONGHORN_GROUP = "longhorn.io"


class Kind(Struct, frozen=True, gc=False, kw_only=True):
    """A kind and its place in the API."""

    type: type[Object]
    group: str = ""
    version: str = "v1"
    name: str
    plural: str
    singular: str
    short_names: tuple[str, ...] = ()
    namespaced: bool = True
    has_status: bool = False

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def resource(self) -> str:
        """``plural.group``, as in errors, RBAC and CRD names."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """The URL path of the collection, of one object or of its subresource. Names must be clean (RFC 1123)."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        parts = [root, *(("namespaces", namespace) if namespace and self.namespaced else ()), self.plural]
        return "/".join([*parts, *([name] if name else ()), *([subresource] if subresource else ())])


def _core(
    type_: type[Object], plural: str, *short: str, name: str = "", group: str = "", namespaced: bool = True, has_status: bool = False
) -> Kind:
    name = name or type_.__name__
    return Kind(
        type=type_,
        group=group,
        name=name,
        plural=plural,
        singular=name.lower(),
        short_names=short,
        namespaced=namespaced,
        has_status=has_status,
    )


def _longhorn(type_: type[Object], plural: str, short: str, name: str = "") -> Kind:
    name = name or type_.__name__
    return Kind(
        type=type_,
        group=LONGHORN_GROUP,
        version="v1beta2",
        name=name,
        plural=plural,
        singular=name.lower(),
        short_names=(short,),
        has_status=True,
    )


NAMESPACE = _core(core.Namespace, "namespaces", "ns", namespaced=False, has_status=True)
POD = _core(core.Pod, "pods", "po", has_status=True)
NODE = _core(core.Node, "nodes", "no", namespaced=False, has_status=True)
CONFIG_MAP = _core(core.ConfigMap, "configmaps", "cm")
SECRET = _core(core.Secret, "secrets")
SERVICE_ACCOUNT = _core(core.ServiceAccount, "serviceaccounts", "sa")
EVENT = _core(core.Event, "events", "ev")
LEASE = _core(core.Lease, "leases", group="coordination.k8s.io")
CUSTOM_RESOURCE_DEFINITION = _core(
    core.CustomResourceDefinition,
    "customresourcedefinitions",
    "crd",
    "crds",
    group="apiextensions.k8s.io",
    namespaced=False,
    has_status=True,
)

LONGHORN_NODE = _longhorn(longhorn.LonghornNode, "nodes", "lhn", "Node")
DISK_SCHEDULE = _longhorn(longhorn.DiskSchedule, "diskschedules", "lhds")
SETTING = _longhorn(longhorn.Setting, "settings", "lhs")
REPLICA = _longhorn(longhorn.Replica, "replicas", "lhr")
BACKING_IMAGE = _longhorn(longhorn.BackingImage, "backingimages", "lhbi")

#: Kinds that the embedded server serves without a CRD.
BUILT_IN: tuple[Kind, ...] = (NAMESPACE, NODE, CONFIG_MAP, SECRET, SERVICE_ACCOUNT, EVENT, LEASE, CUSTOM_RESOURCE_DEFINITION)
#: Kinds that we only read, where a real cluster has them.
FOREIGN: tuple[Kind, ...] = (POD,)
#: Kinds that come as CRDs.
CUSTOM: tuple[Kind, ...] = (LONGHORN_NODE, DISK_SCHEDULE, SETTING, REPLICA, BACKING_IMAGE)
ALL: tuple[Kind, ...] = BUILT_IN + FOREIGN + CUSTOM

_BY_TYPE: dict[type[Object], Kind] = {kind.type: kind for kind in ALL}


def kind_of(type_: type[Object]) -> Kind:
    """The kind of a type; a KeyError is a mistake in our code."""
    return _BY_TYPE[type_]


def to_wire(obj: Object) -> dict[str, Any]:
    """The object as it is sent, with its apiVersion and kind."""
    kind = kind_of(type(obj))
    return {"apiVersion": kind.api_version, "kind": kind.name, **to_builtins(obj)}
