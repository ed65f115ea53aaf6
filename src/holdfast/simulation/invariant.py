"""What an invariant is: a promise, and how a record shows that it was broken.

One file of ``simulation/invariants`` holds one. It is found by lying there: nothing has to be told of it. It keeps what it needs to
remember in itself; everything that more than one of them needs of the past is in ``Past``. It looks at the object that changed and
at nothing else, since a run has hundreds of thousands of revisions; only ``at_rest`` may look at everything.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from holdfast.simulation.past import Past
    from holdfast.simulation.record import Revision

Broken = Iterator[tuple[str, str]]
"""What a promise was broken on, and the numbers."""

LONGHORN = "longhorn.io/v1beta2"
NODE = f"{LONGHORN}/Node"
DISK_SCHEDULE = f"{LONGHORN}/DiskSchedule"
SETTING = f"{LONGHORN}/Setting"
REPLICA = f"{LONGHORN}/Replica"
BACKING_IMAGE = f"{LONGHORN}/BackingImage"
LEASE = "coordination.k8s.io/v1/Lease"


class Invariant:
    """Holds always, unless it says otherwise."""

    promise: ClassVar[str] = ""
    """The promise, in a few words."""
    kinds: ClassVar[frozenset[str]] = frozenset()
    """The kinds whose revisions it wants to see; empty for all."""

    def see(self, revision: "Revision", before: dict[str, Any] | None, past: "Past") -> Broken:
        """What this revision breaks. ``before`` is the object as it was; ``past`` has taken the revision already."""
        yield from ()

    def at_rest(self, past: "Past") -> Broken:
        """What is broken now that the world is quiet: nobody has anything left to do."""
        yield from ()


def subject(obj: Mapping[str, Any]) -> str:
    """An object, for people."""
    metadata = obj["metadata"]
    namespace = metadata.get("namespace")
    return f"{obj.get('kind', '')} {f'{namespace}/' if namespace else ''}{metadata['name']}"
