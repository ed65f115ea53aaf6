"""What this server serves: one ``Resource`` per group, version and plural, and the registry that they join and leave.

Built-in kinds are there from the start. A custom kind joins when its CRD is committed, and leaves when that CRD is gone; who
follows (discovery, OpenAPI, the watches of a kind that left) is told by the registry.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from holdfast.api.errors import StatusCause
from holdfast.embedded.rules import Rules


class Schema(Protocol):
    """What a kind demands of its objects. Objects are dicts as they travel; pruning and defaults happen in place."""

    def take(self, obj: dict[str, Any]) -> list[str]:
        """Drop unknown fields and fill in defaults; the paths of what was dropped: ``spec.tokns``."""
        ...

    def default(self, obj: dict[str, Any]) -> None: ...

    def embedded(self, obj: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """The objects within the object, and where they are."""
        ...

    def validate(self, obj: dict[str, Any], old: dict[str, Any] | None = None) -> list[StatusCause]: ...

    def validate_parts(self, obj: dict[str, Any], old: dict[str, Any] | None = None) -> list[StatusCause]:
        """What is asked even of an object of another kind."""
        ...

    def validate_status(self, obj: dict[str, Any], old: dict[str, Any] | None = None) -> list[StatusCause]: ...

    def settle(self, obj: dict[str, Any]) -> None:
        """Write numbers as they are kept; only who judges an object may see how they were sent."""
        ...


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """A kind as it is served under one version."""

    group: str = ""
    version: str = "v1"
    plural: str
    singular: str
    kind: str
    list_kind: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    namespaced: bool = True
    has_status: bool = False
    #: Custom kinds: names are checked strictly, writes must carry a resourceVersion, every object counts generations.
    is_custom: bool = False
    #: ``metadata.generation`` counts changes of what is neither metadata nor status.
    counts_generations: bool = False
    #: PUT without a resourceVersion overwrites whatever is there.
    may_overwrite: bool = False
    #: PUT makes what is not there.
    made_by_update: bool = False
    #: Its CRD is being deleted: objects may go, none may come.
    is_ending: bool = False
    #: The version in which objects are kept; ``version`` when empty.
    stored_version: str = ""
    #: Objects may have been kept before the schema got some of its defaults: they are filled in when they are read.
    completes_reads: bool = False
    #: Field paths that field selectors may use, beside metadata.name and metadata.namespace.
    selectable: tuple[str, ...] = ()
    #: None: the objects are taken as they are.
    schema: Schema | None = None
    #: Printer columns, read by ``tables``.
    columns: tuple[Any, ...] = ()
    #: What is special about the kind.
    rules: Rules = Rules()

    @property
    def id(self) -> str:
        """``plural.group``: one per kind, whatever the version. The key of its objects in the store."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def stored_api_version(self) -> str:
        version = self.stored_version or self.version
        return f"{self.group}/{version}" if self.group else version

    @property
    def kind_of_list(self) -> str:
        return self.list_kind or f"{self.kind}List"


Listener = Callable[[], None]


class Registry:
    """The resources served now. A listener is called after every change."""

    def __init__(self, resources: Sequence[Resource] = ()) -> None:
        self.listeners: list[Listener] = []
        self._resources: dict[tuple[str, str, str], Resource] = {}
        for resource in resources:
            self._resources[resource.group, resource.version, resource.plural] = resource

    def __iter__(self) -> Iterator[Resource]:
        return iter(tuple(self._resources.values()))

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        return self._resources.get((group, version, plural))

    def of_kind(self, group: str, kind: str) -> Resource | None:
        """The kind under any of its versions."""
        return next((resource for resource in self if resource.kind == kind and resource.group == group), None)

    def kept(self) -> Iterator[Resource]:
        """One resource per kind, however many versions it has."""
        seen: dict[str, Resource] = {}
        for resource in self:
            seen.setdefault(resource.id, resource)
        return iter(seen.values())

    def replace(self, group: str, plural: str, resources: Sequence[Resource]) -> None:
        """The versions of one kind are now these; none when it left."""
        for known in [key for key in self._resources if key[0] == group and key[2] == plural]:
            del self._resources[known]
        for resource in resources:
            self._resources[resource.group, resource.version, resource.plural] = resource
        for listener in tuple(self.listeners):
            listener()
