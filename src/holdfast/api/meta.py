"""What every Kubernetes object has, and conditions as Longhorn and Kubernetes write them."""

from typing import ClassVar, TypeVar

from holdfast.api.struct import Wire


class OwnerReference(Wire):
    """Names an owner by uid; when the last owner is gone, the object goes too."""

    complete: ClassVar[bool] = True

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ObjectMeta(Wire):
    """The standard metadata, as far as we use it."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str = ""
    deletion_timestamp: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    finalizers: tuple[str, ...] = ()
    owner_references: tuple[OwnerReference, ...] = ()


class Object(Wire):
    """An API object. Its apiVersion and kind are those that ``api.kinds`` has for its type."""

    metadata: ObjectMeta = ObjectMeta()


ObjectT = TypeVar("ObjectT", bound=Object)


class Condition(Wire, omit_defaults=False):
    """One observation about an object, in Longhorn's form: every field is always written.

    Longhorn's definitions ask for none of the fields. A condition that lacks one, by whoever's hand, must not hide its object from us.
    """

    complete: ClassVar[bool] = True

    type: str = ""
    status: str = ""
    last_probe_time: str = ""
    last_transition_time: str = ""
    reason: str = ""
    message: str = ""
