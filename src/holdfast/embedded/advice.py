"""What the writer of an accepted object should know."""

from typing import Any

from holdfast.embedded.entries import Entry
from holdfast.embedded.resources import Resource

#: Finalizers of Kubernetes itself.
_OWN = frozenset({"orphan", "foregroundDeletion", "kubernetes"})


def warnings_of(resource: Resource, obj: dict[str, Any], before: Entry | None) -> list[str]:
    """Told once: what was so before is not told again."""
    found = list(resource.rules.warnings(obj))
    if resource.is_custom:
        known = {*_OWN, *(() if before is None else before.facts.finalizers or ())}
        found += [_plain(name) for name in sorted({*obj["metadata"].get("finalizers", ())} - known) if "/" not in name]
    return found


def _plain(finalizer: str) -> str:
    more = " including a path (/)" if "." in finalizer else ""
    words = f"prefer a domain-qualified finalizer name{more} to avoid accidental conflicts with other finalizer writers"
    return f'metadata.finalizers: "{finalizer}": {words}'
