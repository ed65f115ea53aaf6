"""Which objects of a kind a list, a watch or a deletion means: by namespace, name, labels and fields."""

from typing import Any

from msgspec import Struct

from holdfast.api.errors import BadRequest
from holdfast.api.selectors import FieldSelector, LabelSelector
from holdfast.embedded.entries import Entry, Key
from holdfast.embedded.resources import Resource

_NAME, _NAMESPACE = "metadata.name", "metadata.namespace"
#: What a field that is not there is compared as, where that is not the empty text.
_UNSET = {"spec.unschedulable": "false"}


class Selection(Struct, frozen=True):
    """What must hold for an object to be meant."""

    namespace: str
    labels: LabelSelector
    fields: FieldSelector

    @classmethod
    def of(cls, resource: Resource, namespace: str, labels: str, fields: str, name: str = "") -> "Selection":
        try:
            selector, selected = LabelSelector.parse(labels), FieldSelector.parse(fields)
        except ValueError as problem:
            raise BadRequest(str(problem)) from None
        if name:
            selected = FieldSelector((*selected.requirements, (_NAME, "=", name)))
        for path, _, _ in selected.requirements:
            known = (_NAME, _NAMESPACE) if resource.namespaced else (_NAME,)
            if path not in {*known, *resource.selectable}:
                raise BadRequest(f"field label not supported: {path:.200}")
        return cls(namespace, selector, selected)

    @property
    def is_all(self) -> bool:
        """No selector beside the namespace."""
        return not self.labels.requirements and not self.fields.requirements

    @property
    def name(self) -> str:
        """The only name that can match; empty when several can."""
        return next((value for path, operator, value in self.fields.requirements if path == _NAME and operator == "="), "")

    def matches(self, key: Key, entry: Entry) -> bool:
        if self.namespace and key.namespace != self.namespace:
            return False
        if self.labels.requirements and not self.labels.matches(entry.facts.labels or {}):
            return False
        return not self.fields.requirements or self.fields.matches(_Fields(key, entry).text)


class _Fields:
    """The fields of one object as texts; the object is decoded only when a field of its body is asked for."""

    def __init__(self, key: Key, entry: Entry) -> None:
        self._key = key
        self._entry = entry
        self._object: dict[str, Any] | None = None

    def text(self, path: str) -> str:
        if path == _NAME:
            return self._key.name
        if path == _NAMESPACE:
            return self._key.namespace
        if self._object is None:
            self._object = self._entry.object()
        value: Any = self._object
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if path == "source" and isinstance(value, dict):
            # Events are selected by who told of them, which newer ones say in another field.
            value = value.get("component") or self._object.get("reportingComponent")
        if value is None:
            return _UNSET.get(path, "")
        return str(value).lower() if isinstance(value, bool) else str(value)
