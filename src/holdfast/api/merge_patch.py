"""Merge patches (RFC 7386): the difference between what was read and what is wanted.

A patch is a document of the changed fields; ``null`` removes a field; a list is always replaced whole. Two rules follow for
objects that others write too, and ``diff_objects`` keeps both:

- A field that our types do not declare is never touched. So a struct that went back to its default is emptied field by field,
  not removed, and a list whose items we know only in part is not written at all (``PartialList``).
- A patch that writes a list is valid only for the revision that was read: it carries ``metadata.resourceVersion``.

What a patch can not say: that a key of a map holds ``null``. ``apply(diff(a, b), a)`` is ``b`` where no map in ``b`` outside
lists has a null in it; else it is ``b`` but for keys that hold null, which may be missing.
"""

from functools import cache
from typing import Any

from msgspec import NODEFAULT
from msgspec.structs import fields

from holdfast.api.json_values import MAX_DEPTH, TooDeep, copied, same
from holdfast.api.meta import Object, ObjectMeta
from holdfast.api.struct import Wire, to_builtins

#: Metadata that only the API server writes: no difference in them is ours.
_SERVERS_OWN = frozenset({"uid", "resource_version", "generation", "creation_timestamp", "deletion_timestamp"})


class PartialList(Exception):
    """A changed list whose items we know only in part: replacing it whole would drop what others wrote into them."""

    def __init__(self, item: type, field: str) -> None:
        super().__init__(
            f"cannot patch the list {field}: its items ({item.__name__}) are not marked complete, "
            "so replacing the list would drop fields that Holdfast does not know"
        )
        self.item = item
        self.field = field


def apply(patch: Any, document: Any, levels: int = MAX_DEPTH) -> Any:
    """The patched document. Shares no map and no list with its arguments; raises ``TooDeep``."""
    if not isinstance(patch, dict):
        return copied(patch, levels)
    if levels <= 0:
        raise TooDeep
    before = document if isinstance(document, dict) else {}
    # Keys keep the place that they had, so that what people print does not jump about.
    ordered = {}
    for key, value in before.items():
        if key not in patch:
            ordered[key] = copied(value, levels - 1) if isinstance(value, dict | list) else value
        elif patch[key] is not None:
            ordered[key] = apply(patch[key], value, levels - 1)
    for key, value in patch.items():
        if key not in before and value is not None:
            ordered[key] = apply(value, None, levels - 1)
    return ordered


def diff(before: Any, after: Any, levels: int = MAX_DEPTH) -> Any:
    """The patch that makes ``after`` of ``before``; ``{}`` between two maps that are the same."""
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return copied(after, levels)
    if levels <= 0:
        raise TooDeep
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, wanted in after.items():
        if key not in before:
            patch[key] = copied(wanted, levels - 1)
        elif isinstance(wanted, dict) and isinstance(before[key], dict):
            if inner := diff(before[key], wanted, levels - 1):
                patch[key] = inner
        elif not same(before[key], wanted, levels - 1):
            patch[key] = copied(wanted, levels - 1)
    return patch


def diff_objects(before: Object, after: Object, *, guarded: bool = False) -> dict[str, Any]:
    """The patch that makes ``after`` of ``before``, touching nothing that their type does not declare.

    ``{}`` when nothing differs. With ``guarded``, or when a list is written, the patch is for the revision of ``before`` alone.
    Raises ``PartialList``, and ValueError when the two are not the same object or the guard is unknown.
    """
    if type(before) is not type(after) or _identity(before.metadata) != _identity(after.metadata):
        raise ValueError(f"a patch is between two states of one object, not between {_words(before)} and {_words(after)}")
    changes = _Changes()
    patch = changes.of_structs(before, after, "")
    if patch and (guarded or changes.writes_a_list):
        if not before.metadata.resource_version:
            raise ValueError(f"{_words(before)} has no resourceVersion to guard the patch with: it was never read")
        patch.setdefault("metadata", {})["resourceVersion"] = before.metadata.resource_version
    return patch


def _identity(metadata: ObjectMeta) -> tuple[str, str]:
    return metadata.namespace, metadata.name


def _words(obj: Object) -> str:
    return f"{type(obj).__name__} {'/'.join(filter(None, _identity(obj.metadata)))}".rstrip()


class _Changes:
    """One walk over two states of an object."""

    def __init__(self) -> None:
        self.writes_a_list = False

    def of_structs(self, before: Wire, after: Wire, place: str) -> dict[str, Any]:
        patch: dict[str, Any] = {}
        omitted = _omitted_defaults(type(after))
        servers_own = _SERVERS_OWN if isinstance(after, ObjectMeta) else frozenset[str]()
        for field, name in zip(after.__struct_fields__, after.__struct_encode_fields__, strict=True):
            old, new = getattr(before, field), getattr(after, field)
            if old is new or field in servers_own or (type(old) is type(new) and old == new):
                continue
            here = f"{place}.{name}" if place else name
            if isinstance(old, Wire) and isinstance(new, Wire):
                if inner := self.of_structs(old, new, here):
                    patch[name] = inner
            elif isinstance(old, dict) and isinstance(new, dict):
                patch[name] = self.of_maps(old, new, here)
            else:
                is_omitted = field in omitted and omitted[field] == new
                patch[name] = self.replaced(old, new, here, is_omitted=is_omitted)
        return patch

    def of_maps(self, before: dict[str, Any], after: dict[str, Any], place: str) -> dict[str, Any]:
        patch: dict[str, Any] = {key: None for key in before if key not in after}
        for key, new in after.items():
            old = before.get(key)
            if key in before and (old is new or (type(old) is type(new) and old == new)):
                continue
            here = f"{place}.{key}"
            if isinstance(old, Wire) and isinstance(new, Wire):
                patch[key] = self.of_structs(old, new, here)
            elif isinstance(old, dict) and isinstance(new, dict):
                patch[key] = self.of_maps(old, new, here)
            else:
                patch[key] = self.replaced(old, new, here)
        return patch

    def replaced(self, old: Any, new: Any, place: str, *, is_omitted: bool = False) -> Any:
        """The wire form of a value that is written whole. Refuses a list that is not ours to replace."""
        for value in (old, new):
            for item in value if isinstance(value, (list, tuple)) else ():
                if isinstance(item, Wire) and not item.complete:
                    raise PartialList(type(item), place)
        wire = None if is_omitted else to_builtins(new)
        self.writes_a_list |= _holds_list(wire) or isinstance(old, (list, tuple))
        return wire


def _holds_list(wire: Any) -> bool:
    return isinstance(wire, list) or (isinstance(wire, dict) and any(map(_holds_list, wire.values())))


@cache
def _omitted_defaults(cls: type[Wire]) -> dict[str, Any]:
    """The defaults that are not written, by field. One that a factory makes is always written: that is how a type asks for it."""
    if not cls.__struct_config__.omit_defaults:
        return {}
    return {field.name: field.default for field in fields(cls) if field.default is not NODEFAULT}
