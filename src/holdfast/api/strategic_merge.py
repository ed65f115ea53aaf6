"""Strategic merge patches: what kubectl sends for Kubernetes' own kinds.

Like a merge patch, but some lists are merged instead of replaced: lists of objects by a key (``MERGE_KEYS`` says which), lists
of scalars as sets. Directives in the patch say more:

- ``$patch: replace`` in a map or as an item of a list: the patch is the whole new value; ``$patch: delete`` empties the map, or
  removes the item of that key;
- ``$retainKeys: [...]`` in a map: other keys go;
- ``$setElementOrder/list: [...]`` beside a list: the order that its items shall have;
- ``$deleteFromPrimitiveList/list: [...]`` beside a list: scalars to remove from it.

Items that the patch does not name keep their order and, as far as that allows, their place. Where there is nothing to merge with,
what the patch says is taken as it is, without nulls, and a map or an item with a ``$patch`` of its own is no part of it.
Custom resources have no such patches; the server refuses them there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.api.json_values import MAX_DEPTH, TooDeep, copied

#: Merged lists by their place: the key of their items, or SCALARS. Lists that are not named are replaced.
MergeKeys = Mapping[tuple[str, ...], str]

SCALARS = ""

_METADATA: MergeKeys = {("metadata", "ownerReferences"): "uid", ("metadata", "finalizers"): SCALARS}

#: By ``Kind.resource``, the kinds that take strategic merge patches.
MERGE_KEYS: Mapping[str, MergeKeys] = {
    "namespaces": {**_METADATA, ("status", "conditions"): "type"},
    "nodes": {
        **_METADATA,
        ("spec", "podCIDRs"): SCALARS,
        ("status", "conditions"): "type",
        ("status", "addresses"): "type",
    },
    "configmaps": _METADATA,
    "secrets": _METADATA,
    "serviceaccounts": {**_METADATA, ("secrets",): "name"},
    "events": _METADATA,
    "leases.coordination.k8s.io": _METADATA,
    "customresourcedefinitions.apiextensions.k8s.io": _METADATA,
}

_PATCH = "$patch"
_RETAIN = "$retainKeys"
_ORDER = "$setElementOrder/"
_REMOVE = "$deleteFromPrimitiveList/"


def apply(patch: Any, document: Any, merge_keys: MergeKeys) -> dict[str, Any]:
    """The patched document. Shares no map and no list with its arguments; raises ValueError for a malformed patch."""
    if not isinstance(patch, dict) or not isinstance(document, dict):
        raise ValueError("a strategic merge patch and what it is applied to must be objects")  # noqa: TRY004 - a bad document, not a bad call
    return _Merge(merge_keys).maps(patch, document, (), MAX_DEPTH)


class _Merge:
    def __init__(self, merge_keys: MergeKeys) -> None:
        self.merge_keys = merge_keys

    def maps(self, patch: dict[str, Any], before: dict[str, Any], place: tuple[str, ...], levels: int) -> dict[str, Any]:
        if levels <= 0:
            raise TooDeep
        directive = patch.get(_PATCH)
        if _PATCH in patch and not (isinstance(directive, str) and directive in {"replace", "delete"}):
            raise ValueError(f"{_words(place)}: unknown $patch directive {directive!r:.100}")
        if directive == "delete":
            return {}
        if directive == "replace":
            return {key: copied(value, levels - 1) for key, value in patch.items() if key != _PATCH}
        retained = _retained(patch, place)
        kept = {key: value for key, value in before.items() if retained is None or key in retained}
        orders = _beside(patch, _ORDER, place)
        removals = _beside(patch, _REMOVE, place)
        fields = {key: value for key, value in patch.items() if not _is_directive(key)}
        named = fields.keys() | orders.keys() | removals.keys()
        after: dict[str, Any] = {}
        for key in dict.fromkeys([*kept, *fields, *orders, *removals]):
            old, here = kept.get(key), (*place, key)
            if key not in named:
                after[key] = copied(old, levels - 1)
            elif key in fields and fields[key] is None:
                if key in orders:
                    raise ValueError(f"{_words(here)}: an order for a list beside a value that is none")
            elif key not in orders and key not in removals and type(fields[key]) is not type(old):
                if not _is_directed(fields[key]):
                    after[key] = _new(fields[key], levels - 1)
            elif key in orders or key in removals or isinstance(fields[key], list):
                items = self.lists(fields.get(key), old, orders.get(key), removals.get(key), here, levels - 1)
                if items is not None:
                    after[key] = items
            elif isinstance(old, dict):
                after[key] = self.maps(fields[key], old, here, levels - 1)
            else:
                after[key] = fields[key]
        return after

    def lists(
        self,
        wanted: Any,
        before: Any,
        order: list[Any] | None,
        removed: list[Any] | None,
        place: tuple[str, ...],
        levels: int,
    ) -> list[Any] | None:
        """The merged list, or None where there is neither an old nor a new one."""
        if wanted is not None and not isinstance(wanted, list):
            raise ValueError(f"{_words(place)}: directives for a list beside a value that is none")
        if wanted is None and not isinstance(before, list):
            return None
        key = self.merge_keys.get(place)
        if key is None:
            if order is not None or removed is not None:
                raise ValueError(f"{_words(place)}: the list is replaced whole, so it takes no directives")
            return list(copied(wanted, levels))
        old = before if isinstance(before, list) else []
        if order is not None and not old and not wanted:
            raise ValueError(f"{_words(place)}: an order for a list that has no items")
        if key == SCALARS:
            return _scalars(wanted or [], old, order, removed or [], place)
        if removed is not None:
            raise ValueError(f"{_words(place)}: $deleteFromPrimitiveList is for lists of scalars")
        return self.items(key, wanted or [], old, order, place, levels)

    def items(
        self, key: str, wanted: list[Any], before: list[Any], order: list[Any] | None, place: tuple[str, ...], levels: int
    ) -> list[Any]:
        """The lists of objects merged by their key."""
        if not before and any(isinstance(item, dict) and key not in item and _PATCH not in item for item in wanted):
            return list(copied(wanted, levels))  # there is nothing to merge with, so nothing has to be known by its key
        before = [] if any(isinstance(item, dict) and item.get(_PATCH) == "replace" for item in wanted) else before
        seen = Counter[Any]()
        merged: dict[tuple[Any, int], Any] = {}  # items that share a key are told apart by their number, and come together
        for item in before:
            identity = _identity(item, key, place)
            merged[identity, seen[identity]] = item
            seen[identity] += 1
        positions = {(identity, number): position for position, identity in enumerate(seen) for number in range(seen[identity])}
        named = []
        for item in wanted:
            directive = item.get(_PATCH) if isinstance(item, dict) else None
            if directive == "replace":
                continue
            identity = _identity(item, key, place)
            if directive == "delete":
                for number in range(seen.pop(identity, 0)):
                    del merged[identity, number]
                continue
            merged[identity, 0] = self.maps(item, merged.get((identity, 0), {}), place, levels - 1)
            seen[identity] = seen[identity] or 1
            named.append(identity)
        fresh = {(identity, 0) for identity in named}
        if order:
            named = _ordered(named, [_identity(item, key, place) for item in order], place)
        together = _interleaved(merged, [(identity, number) for identity in named for number in range(seen[identity])], positions)
        return [merged[item] if item in fresh else copied(merged[item], levels - 1) for item in together]


def _new(value: Any, levels: int) -> Any:
    """What a patch says where there is nothing to merge it with."""
    if not isinstance(value, dict | list):
        return value
    if levels <= 0:
        raise TooDeep
    if isinstance(value, list):
        return [_new(item, levels - 1) for item in value if not _is_directed(item)]
    return {key: _new(item, levels - 1) for key, item in value.items() if item is not None and not _is_directed(item)}


def _is_directed(value: Any) -> bool:
    return isinstance(value, dict) and _PATCH in value


def _scalars(wanted: list[Any], before: list[Any], order: list[Any] | None, removed: list[Any], place: tuple[str, ...]) -> list[Any]:
    """The lists of scalars merged as sets."""
    positions: dict[Any, int] = {}
    for position, item in enumerate(before):
        positions.setdefault(_scalar(item, place), position)
    gone = {_scalar(item, place) for item in removed}
    named = [_scalar(item, place) for item in wanted]
    values = {_scalar(item, place): item for item in [*before, *wanted] if _scalar(item, place) not in gone}
    if order:
        named = _ordered(named, [_scalar(item, place) for item in order], place)
    return [values[item] for item in _interleaved(values, named, positions)]


def _interleaved(present: Mapping[Any, Any], named: Iterable[Any], positions: Mapping[Any, int]) -> list[Any]:
    """The named items in their order, and between them the others in theirs, before what they stood before."""
    of_patch = [item for item in dict.fromkeys(named) if item in present]
    ours = set(of_patch)
    others = [item for item in positions if item in present and item not in ours]
    result: list[Any] = []
    following = 0
    for item in of_patch:
        while following < len(others) and item in positions and positions[others[following]] < positions[item]:
            result.append(others[following])
            following += 1
        result.append(item)
    return result + others[following:]


def _ordered(named: list[Any], order: list[Any], place: tuple[str, ...]) -> list[Any]:
    """The order that was asked for, which must agree with the list it is for."""
    rest = iter(order)
    if not all(item in rest for item in named):
        raise ValueError(f"{_words(place)}: the order of the list is not that of its $setElementOrder")
    return order


def _identity(item: Any, key: str, place: tuple[str, ...]) -> Any:
    if not isinstance(item, dict):
        raise ValueError(f"{_words(place)}: an item is not an object")  # noqa: TRY004 - a bad document, not a bad call
    if key not in item:
        raise ValueError(f"{_words(place)}: an item lacks the merge key {key!r}")
    return _scalar(item[key], place)


def _scalar(value: Any, place: tuple[str, ...]) -> Any:
    """A hashable stand-in in which 1 is not True."""
    if isinstance(value, (dict, list)):
        raise ValueError(f"{_words(place)}: a scalar is expected, not a {'map' if isinstance(value, dict) else 'list'}")  # noqa: TRY004 - a bad document, not a bad call
    return isinstance(value, bool), value


def _retained(patch: dict[str, Any], place: tuple[str, ...]) -> frozenset[str] | None:
    if _RETAIN not in patch:
        return None
    keys = patch[_RETAIN]
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise ValueError(f"{_words(place)}: $retainKeys must be a list of keys")
    if extra := [key for key, value in patch.items() if value is not None and key not in keys and not _is_directive(key)]:
        raise ValueError(f"{_words(place)}: {extra[0]!r:.100} is patched but not among its $retainKeys")
    return frozenset(keys)


def _beside(patch: dict[str, Any], prefix: str, place: tuple[str, ...]) -> dict[str, list[Any]]:
    """The directives of one kind, by the list that they are for."""
    found = {key.removeprefix(prefix): value for key, value in patch.items() if key.startswith(prefix)}
    if any(not isinstance(value, list) for value in found.values()):
        raise ValueError(f"{_words(place)}: {prefix}... must be a list")
    return found


def _is_directive(key: str) -> bool:
    return key in {_PATCH, _RETAIN} or key.startswith((_ORDER, _REMOVE))


def _words(place: tuple[str, ...]) -> str:
    return f"{'.'.join(place):.200}" or "the patch"
