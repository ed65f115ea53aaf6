"""What the fields that every object has are for, in a sentence each, as ``kubectl explain`` shows it."""

from typing import Final

_CONVENTIONS: Final = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"

DESCRIPTIONS: Final = {
    "apiVersion": "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas"
    f" to the latest internal value, and may reject unrecognized values. More info: {_CONVENTIONS}#resources",
    "kind": "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the"
    f" client submits requests to. Cannot be updated. In CamelCase. More info: {_CONVENTIONS}#types-kinds",
    "metadata": f"Standard object's metadata. More info: {_CONVENTIONS}#metadata",
    "ObjectMeta": "ObjectMeta is metadata that all persisted resources must have.",
    "OwnerReference": "OwnerReference identifies an owning object; when its last owner is gone, the object goes too.",
    "annotations": "Annotations is an unstructured key value map for arbitrary metadata.",
    "creationTimestamp": "CreationTimestamp is the server time when this object was created.",
    "deletionGracePeriodSeconds": "Number of seconds allowed for this object to gracefully terminate.",
    "deletionTimestamp": "DeletionTimestamp is when this object was asked to go; it goes when its finalizers are gone.",
    "finalizers": "Must be empty before the object is deleted from the registry.",
    "generateName": "GenerateName is a prefix from which the server makes a unique name, if name is not given.",
    "generation": "A sequence number representing a specific generation of the desired state.",
    "labels": "Map of string keys and values that can be used to organize and select objects.",
    "managedFields": "Which manager set which field; this server keeps no record of it.",
    "name": "Name must be unique within a namespace.",
    "namespace": "Namespace defines the space within which each name must be unique.",
    "ownerReferences": "List of objects depended by this object.",
    "resourceVersion": "An opaque value that changes with every change of the object.",
    "selfLink": "Not set by this server.",
    "uid": "UID is the unique in time and space value for this object.",
}
