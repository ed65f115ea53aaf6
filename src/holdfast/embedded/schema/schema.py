"""The schema of one version of a custom resource, ready to be applied to objects.

The order on a write is: prune, default (``take`` does both), validate, settle. On a read: default alone. All of them take the whole
object. Numbers are settled last: a schema tells ``1000.0`` from ``1000``, and who reads the object later can not.
"""

from typing import Any, Self

from holdfast.api.errors import StatusCause
from holdfast.embedded.schema import defaults, lists, structural
from holdfast.embedded.schema.node import Node
from holdfast.embedded.schema.plain import plain, plain_object
from holdfast.embedded.schema.prune import prune
from holdfast.embedded.schema.validate import NOTHING, validate
from holdfast.embedded.schema.values import same, settle_numbers


class Schema:
    """A structural schema (``openAPIV3Schema``)."""

    def __init__(self, document: dict[str, Any]) -> None:
        #: The document as it was written, for OpenAPI.
        self.document = document
        self._root = Node(document)
        self.has_defaults = any(node.has_default for node in self._root.walk())
        # most schemas have neither, and their objects need not be walked for them
        self._embeds = any(node.embedded for node in self._root.walk())
        self._is_plain = plain_object(self._root)
        status = self._root.properties.get("status")
        self._is_plain_status = plain(status) if status is not None else None
        self._has_sets = any(node.list_type in {"set", "map"} for node in self._root.walk())

    @classmethod
    def of(cls, document: dict[str, Any]) -> Self:
        """Read a schema; raises ``BadPattern`` for a pattern that is none. ``check`` says all else that is wrong."""
        return cls(document)

    @staticmethod
    def check(document: Any, path: str = "") -> list[StatusCause]:
        """What keeps a document from being a structural schema; ``path`` is where it stands in its definition."""
        return structural.check(document, path)

    def take(self, obj: dict[str, Any]) -> list[str]:
        """``prune`` and ``default``: the object as it will be kept, in place; the paths of what was dropped, sorted."""
        if self._is_plain(obj):
            return []
        gone = self.prune(obj)
        self.default(obj)
        return gone

    def embedded(self, obj: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """The objects within the object (x-kubernetes-embedded-resource), and where they are."""
        return list(lists.embedded_objects(obj, self._root)) if self._embeds else []

    def prune(self, obj: dict[str, Any]) -> list[str]:
        """Drop unknown fields in place; the paths of what was dropped, sorted."""
        return prune(obj, self._root)

    def default(self, obj: dict[str, Any]) -> None:
        """Drop nulls that say nothing and fill in defaults, in place."""
        defaults.drop_nulls(obj, self._root)
        defaults.fill(obj, self._root)

    def settle(self, obj: dict[str, Any]) -> None:
        """Write numbers as they are kept, in place."""
        if not self._is_plain(obj):
            settle_numbers(obj)

    def validate(self, obj: dict[str, Any], old: dict[str, Any] | None = None) -> list[StatusCause]:
        """Why the object is refused. With ``old``, what did not change is not refused."""
        found = [] if self._is_plain(obj) else self._causes(obj, old)
        return found + self.validate_parts(obj, old)

    def validate_parts(self, obj: dict[str, Any], old: dict[str, Any] | None = None) -> list[StatusCause]:
        """The part of ``validate`` that is asked of every object, even of one of another kind: objects within it, sets and maps."""
        found = lists.badly_embedded(obj, self._root) if self._embeds else []
        if self._has_sets and (old is None or not lists.repeated(old, self._root)):
            found += lists.repeated(obj, self._root)
        return found

    def _causes(self, obj: dict[str, Any], old: dict[str, Any] | None) -> list[StatusCause]:
        result = validate(obj, self._root, old=NOTHING if old is None else old)
        return [] if old is not None and result.causes and same(obj, old) else result.causes

    def validate_status(self, obj: dict[str, Any], old: dict[str, Any] | None = None) -> list[StatusCause]:
        """As ``validate``, for a write of the status subresource: only ``status`` is looked at."""
        node = self._root.properties.get("status")
        if node is None or "status" not in obj:
            return []
        before = NOTHING if old is None or "status" not in old else old["status"]
        if self._is_plain_status is not None and self._is_plain_status(obj["status"]):
            found: list[StatusCause] = []
        else:
            result = validate(obj["status"], node, "", "status", before)
            found = [] if before is not NOTHING and result.causes and same(obj["status"], before) else result.causes
        if self._has_sets and (old is None or not lists.repeated(before, node, "status")):
            found += lists.repeated(obj["status"], node, "status")
        return found
