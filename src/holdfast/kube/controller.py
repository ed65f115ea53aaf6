"""What a controller is: a kind, what wakes it, and one round over one object.

A round may be run twice at once, by two processes, and may die at any ``await``. It decides on what the caches hold, writes
patches, and keeps no memory of its own. What it raises brings the key back, later each time; a conflict does so without a word.

A *mapper* says which keys a change concerns. Of an update it is asked twice: about the change, and about the old object as if it
had gone (``Change(old, None)``), because what pointed elsewhere before concerns those it pointed to. A mapper that looks at both
objects by itself says so with ``@sees_both``, and is asked once.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from holdfast.api.meta import Object, ObjectT
from holdfast.kube.cache import Change, key_of
from holdfast.kube.keys import Key

if TYPE_CHECKING:
    from holdfast.kube.caches import Caches
    from holdfast.kube.runtime import Runtime

Mapper = Callable[["Caches", Change[Any]], Iterable[Key]]
M = TypeVar("M", bound=Mapper)

_SEES_BOTH = "_sees_both"


def sees_both(mapper: M) -> M:
    """Mark a mapper that looks at the old and the new object of a change by itself."""
    setattr(mapper, _SEES_BOTH, True)
    return mapper


@sees_both
def same_object(_caches: "Caches", change: Change[Any]) -> Iterable[Key]:
    """The changed object itself."""
    return (key_of(change.object),)


def keys_of(mapper: Mapper, caches: "Caches", change: Change[Any]) -> Iterable[Key]:
    """All keys that the change concerns, each once, in the mapper's order: a set's would differ from run to run."""
    keys = dict.fromkeys(mapper(caches, change))
    if change.old is not None and change.new is not None and not getattr(mapper, _SEES_BOTH, False):
        keys |= dict.fromkeys(mapper(caches, Change(change.old, None)))
    return keys


class Controller(Generic[ObjectT]):
    """The base of every controller. Changes of its own kind wake it without being listed in ``reacts_to``."""

    kind: ClassVar[type[Object]]
    reacts_to: ClassVar[Mapping[type[Object], Mapper]] = {}
    workers: ClassVar[int] = 4

    def __init__(self, runtime: "Runtime") -> None:
        self.runtime = runtime

    @property
    def name(self) -> str:
        return type(self).__name__

    async def reconcile(self, obj: ObjectT) -> float | None:
        """One round over an object as the cache has it. Returns the wall-clock second at which to look again, or None."""
        raise NotImplementedError

    async def reconcile_gone(self, key: Key) -> None:
        """One round for an object that is no longer there.

        A courtesy, not a promise: after a restart nobody knows what there once was. What must not be left behind is found by
        looking for it.
        """
