"""Objects by what they say: every value that a function finds in an object leads back to it.

The function is pure and the objects are frozen, so what an object was filed under is computed again when it leaves: an index
holds no more than its values and references.
"""

from collections.abc import Callable, Iterable
from typing import Generic

from holdfast.api.meta import ObjectT

Place = tuple[str, str]
"""Namespace and name. A plain tuple where thousands are held: the collector stops tracking it; equal to the ``Key`` of the same words."""


class Index(Generic[ObjectT]):
    """One named view of a cache; an object may be under many values or none."""

    def __init__(self, values_of: Callable[[ObjectT], tuple[str, ...]]) -> None:
        self._values_of = values_of
        self._filed: dict[str, dict[Place, None]] = {}

    def under(self, value: str) -> Iterable[Place]:
        """Where the objects are that have this value, in the order in which they came to have it."""
        return self._filed.get(value, ())

    def file(self, place: Place, obj: ObjectT) -> None:
        for value in self._values_of(obj):
            self._filed.setdefault(value, {})[place] = None

    def refile(self, place: Place, old: ObjectT, new: ObjectT) -> None:
        """The same object, changed: most changes leave most of its values alone, and those cost nothing here."""
        before, after = self._values_of(old), self._values_of(new)
        if before == after:
            return
        for value in before:
            if value not in after:
                self._drop(value, place)
        for value in after:
            if value not in before:
                self._filed.setdefault(value, {})[place] = None

    def remove(self, place: Place, obj: ObjectT) -> None:
        for value in dict.fromkeys(self._values_of(obj)):
            self._drop(value, place)

    def _drop(self, value: str, place: Place) -> None:
        filed = self._filed.get(value)
        if filed is not None:
            filed.pop(place, None)
            if not filed:
                del self._filed[value]
