"""What the writer of an accepted object should know."""

from typing import Any

from holdfast.embedded.entries import Entry
from holdfast.embedded.resources import Resource

#: Finalizers of Kubernetes itself.
_OWN = frozenset({"orphan", "foregroundDeletion"})


def warnings_of(resource: Resource, obj: dict[str, Any], before: Entry | None) -> list[str]:
    """Told once: what was so before is not told again."""
    found = list(resource.rules.warnings(obj))
    if resource.is_custom:
        known = {*_OWN, *(() if before is None else before.facts.finalizers or ())}
        found += [_plain(name) for name in obj["metadata"].get("finalizers", ()) if "/" not in name and name not in known]
    return found


def _plain(finalizer: str) -> str:
    return (
        f'metadata.finalizers: "{finalizer}": prefer a domain-qualified finalizer name including a path (/) '
        "to avoid accidental conflicts with other finalizer writers"
    )
