"""What the witnesses of the client runtime are shown, and what they say of it."""

from typing import Any

from holdfast.api.core import ConfigMap
from holdfast.api.kinds import to_wire
from holdfast.api.meta import Object, ObjectMeta
from holdfast.simulation.record import Revision
from holdfast.simulation.runtime_history import History
from holdfast.simulation.world import NAMESPACE


class Told:
    """What a witness said, by promise."""

    def __init__(self) -> None:
        self.promises: list[str] = []

    def __call__(self, promise: str, subject: str, numbers: str) -> None:
        assert subject
        assert numbers
        self.promises.append(promise)


def origin(version: int, *, name: str = "o1", uid: str = "one", value: str = "", group: str = "a") -> ConfigMap:
    metadata = ObjectMeta(name=name, namespace=NAMESPACE, uid=uid, resource_version=str(version), labels={"group": group})
    return ConfigMap(metadata=metadata, data={"value": value})


def stored(*objects: Object, gone: tuple[Object, ...] = ()) -> History:
    history = History()
    for obj in objects:
        history.see(Revision(int(obj.metadata.resource_version), "MODIFIED", to_wire(obj)))
    for obj in gone:
        history.see(Revision(int(obj.metadata.resource_version), "DELETED", to_wire(obj)))
    return history


class Shown:
    """A cache that shows what a test says."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.filed: dict[str, list[Any]] = {}

    def get(self, name: str, _namespace: str = "") -> Any:
        return self.objects.get(name)

    def all(self) -> list[Any]:
        return list(self.objects.values())

    def by(self, _index: str, value: str) -> list[Any]:
        return self.filed.get(value, [])
