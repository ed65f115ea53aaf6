"""The schemas of Kubernetes' own kinds that are served here.

They do for the built-in kinds what a definition's schema does for a custom one: unknown fields are dropped or refused, types are
checked, and kubectl can explain them. They hold the fields of the wire types and few rules; Kubernetes has more.
"""

from typing import Any, Final

from holdfast.embedded.schema import Schema

Document = dict[str, Any]


def _text(words: str = "", **more: Any) -> Document:
    return {"type": "string"} | ({"description": words} if words else {}) | more


def _whole(words: str = "", format_: str = "int32") -> Document:
    return {"type": "integer", "format": format_} | ({"description": words} if words else {})


def _flag(words: str = "") -> Document:
    return {"type": "boolean"} | ({"description": words} if words else {})


def _time(words: str = "", format_: str = "date-time") -> Document:
    # null and the empty text are Go's unset time
    return {"type": "string", "nullable": True, "x-format": format_} | ({"description": words} if words else {})


def _list(items: Document, words: str = "") -> Document:
    return {"type": "array", "items": items} | ({"description": words} if words else {})


def _map(values: Document, words: str = "") -> Document:
    return {"type": "object", "additionalProperties": values} | ({"description": words} if words else {})


def _object(words: str = "", required: tuple[str, ...] = (), /, **properties: Document) -> Document:
    wanted: Document = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties} | wanted | ({"description": words} if words else {})


def _anything(words: str = "") -> Document:
    return {"x-kubernetes-preserve-unknown-fields": True} | ({"description": words} if words else {})


def _meant(names: tuple[str, ...], schema: Document) -> Document:
    """With fields that everybody is told to write, and that no check of the type asks for."""
    return schema | {"x-required": list(names)}


def _any_map() -> Document:
    return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def _kind(words: str, /, **fields: Document) -> Document:
    return _object(
        words,
        apiVersion=_text("The version of this representation of an object."),
        kind=_text("The REST resource that this object represents."),
        metadata={"type": "object", "description": "Standard object's metadata."},
        **fields,
    )


def _condition(**more: Document) -> Document:
    condition = _object(
        "One observation about the object.",
        (),
        type=_text("What is observed."),
        status=_text("True, False or Unknown."),
        reason=_text("Why, in one word."),
        message=_text("Why, for people."),
        lastTransitionTime=_time("When the status last changed."),
        **more,
    )
    return _meant(("type", "status"), condition)


_QUANTITIES: Final = _map({"x-kubernetes-int-or-string": True})
_REFERENCE: Final = _object(
    "Refers to an object.",
    apiVersion=_text(), kind=_text(), namespace=_text(), name=_text(), uid=_text(), resourceVersion=_text(), fieldPath=_text(),
)  # fmt: skip
_TAINT: Final = _object(
    "Keeps pods without a matching toleration away.",
    ("key", "effect"), key=_text(), value=_text(), effect=_text(), timeAdded=_time(),
)  # fmt: skip
_NODE_INFO: Final = _object(
    "What the node says about itself.",
    (),
    **{name: _text() for name in (
        "machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion", "kubeletVersion", "kubeProxyVersion",
        "operatingSystem", "architecture",
    )},
)  # fmt: skip

_NAMESPACE: Final = _kind(
    "Namespace provides a scope for Names.",
    spec=_object("What is wanted.", finalizers=_list(_text(), "Must be empty before the namespace goes.")),
    status=_object("What is.", phase=_text("Active or Terminating.", enum=["Active", "Terminating"]), conditions=_list(_condition())),
)
_NODE: Final = _kind(
    "Node is a worker node in Kubernetes.",
    spec=_object(
        "What is wanted of the node.",
        podCIDR=_text(), podCIDRs=_list(_text()), providerID=_text("ID of the node assigned by the cloud provider."),
        unschedulable=_flag("New pods are kept away."), taints=_list(_TAINT), externalID=_text(), configSource=_any_map(),
    ),
    status=_object(
        "What the node reports.",
        capacity=_QUANTITIES, allocatable=_QUANTITIES, phase=_text(),
        conditions=_list(_condition(lastHeartbeatTime=_time("When the condition was last reported."))),
        addresses=_list(_meant(("type", "address"), _object("", type=_text(), address=_text()))),
        daemonEndpoints=_any_map(), nodeInfo=_NODE_INFO,
        images=_list(_object("", names=_list(_text()), sizeBytes=_whole(format_="int64"))),
        volumesInUse=_list(_text()),
        volumesAttached=_list(_meant(("name", "devicePath"), _object("", name=_text(), devicePath=_text()))),
        config=_any_map(), runtimeHandlers=_list(_any_map()), features=_any_map(),
    ),
)  # fmt: skip
_CONFIG_MAP: Final = _kind(
    "ConfigMap holds configuration data for pods to consume.",
    data=_map(_text(), "Data contains the configuration data."),
    binaryData=_map(_text(), "BinaryData contains binary data, in base64."),
    immutable=_flag("Immutable, if set to true, ensures that data stored in the ConfigMap cannot be updated."),
)
_SECRET: Final = _kind(
    "Secret holds secret data of a certain type.",
    type=_text("Used to facilitate programmatic handling of secret data."),
    data=_map(_text(), "Data contains the secret data, in base64."),
    stringData=_map(_text(), "stringData allows specifying non-binary secret data in string form. It is never output."),
    immutable=_flag("Immutable, if set to true, ensures that data stored in the Secret cannot be updated."),
)
_SERVICE_ACCOUNT: Final = _kind(
    "ServiceAccount is an identity for processes.",
    secrets=_list(_REFERENCE), imagePullSecrets=_list(_object("", name=_text())), automountServiceAccountToken=_flag(),
)  # fmt: skip
_EVENT: Final = _kind(
    "Event is a report of an event somewhere in the cluster.",
    involvedObject=_REFERENCE | {"description": "The object that this event is about."},
    reason=_text("Why, in one word."), message=_text("What happened, for people."),
    source=_object("The component reporting this event.", component=_text(), host=_text()),
    firstTimestamp=_time(), lastTimestamp=_time(), count=_whole("How often it happened."), type=_text("Normal or Warning."),
    eventTime=_time(), series=_object("", count=_whole(), lastObservedTime=_time()) | {"nullable": True}, action=_text(),
    related=_REFERENCE | {"nullable": True}, reportingComponent=_text(), reportingInstance=_text(),
)  # fmt: skip
_LEASE: Final = _kind(
    "Lease defines a lease concept.",
    spec=_object(
        "Who holds it, and until when.",
        holderIdentity=_text("The identity of the holder of the lease."), leaseDurationSeconds=_whole("How long it is held."),
        acquireTime=_time(), renewTime=_time(), leaseTransitions=_whole("How often it changed hands."),
        strategy=_text(), preferredHolder=_text(),
    ),
)  # fmt: skip
_NAMES: Final = _object(
    "How the kind is called.",
    plural=_text("The plural name, as in paths."), singular=_text(), kind=_text("The name of the kind."), listKind=_text(),
    shortNames=_list(_text()), categories=_list(_text()),
)  # fmt: skip
_COLUMN: Final = _meant(("name", "type", "jsonPath"), _object(
    "A column that kubectl shows.",
    name=_text(), type=_text(), format=_text(), description=_text(), priority=_whole(), jsonPath=_text(),
))  # fmt: skip
_VERSION: Final = _object(
    "One version of the kind.",
    ("name", "served", "storage"),
    name=_text(), served=_flag("It has an endpoint."), storage=_flag("Objects are kept in it."), deprecated=_flag(),
    deprecationWarning=_text(), schema=_object("What objects must look like.", openAPIV3Schema=_anything("A structural schema.")),
    subresources=_object(
        "Parts with endpoints of their own.",
        status=_object() | {"x-kubernetes-preserve-unknown-fields": True},
        scale=_object("", specReplicasPath=_text(), statusReplicasPath=_text(), labelSelectorPath=_text()),
    ),
    additionalPrinterColumns=_list(_COLUMN),
    selectableFields=_list(_meant(("jsonPath",), _object("", jsonPath=_text()))),
)  # fmt: skip
_DEFINITION: Final = _kind(
    "CustomResourceDefinition represents a resource that should be exposed on the API server.",
    spec=_object(
        "What the kind is.",
        ("group", "names", "scope", "versions"),
        group=_text("The API group."), names=_NAMES, scope=_text("Cluster or Namespaced."), versions=_list(_VERSION),
        conversion=_object("", strategy=_text(), webhook=_anything()), preserveUnknownFields=_flag(),
    ),
    status=_object(
        "What became of it.",
        conditions=_list(_condition(observedGeneration=_whole(format_="int64"))), acceptedNames=_NAMES, storedVersions=_list(_text()),
        observedGeneration=_whole(format_="int64"),
    ),
)  # fmt: skip
_DEFINITION["required"] = ["spec"]
_EVENT["required"] = ["metadata", "involvedObject"]


_TOLD: Final = {"x-format": "format", "x-required": "required"}


def _for_kubectl(document: Any) -> Any:
    """The document with the formats of times, which the checks do not hold against Go's unset ones, and with what is only meant."""
    if isinstance(document, list):
        return [_for_kubectl(item) for item in document]
    if not isinstance(document, dict):
        return document
    return {_TOLD.get(key, key): _for_kubectl(value) for key, value in document.items()}


def _schema(document: Document) -> Schema:
    schema = Schema.of(document)
    schema.document = _for_kubectl(document)
    return schema


#: By ``plural.group``.
BUILT_IN_SCHEMAS: Final[dict[str, Schema]] = {
    name: _schema(document)
    for name, document in {
        "namespaces": _NAMESPACE,
        "nodes": _NODE,
        "configmaps": _CONFIG_MAP,
        "secrets": _SECRET,
        "serviceaccounts": _SERVICE_ACCOUNT,
        "events": _EVENT,
        "leases.coordination.k8s.io": _LEASE,
        "customresourcedefinitions.apiextensions.k8s.io": _DEFINITION,
    }.items()
}
