"""What is special about a kind, beyond its schema: the base says "nothing".

Objects are dicts as they travel. ``prepare`` works in place, on an object that belongs to the write at hand. Rules hold no
state of their own but what they derive from committed objects, so a write that fails leaves nothing behind.
"""

from collections.abc import Sequence
from typing import Any

from holdfast.api.errors import StatusCause


class Rules:
    """Hooks of the write path of one kind."""

    #: True for a kind that wants ``committed``.
    follows_commits: bool = False
    #: True for a kind whose writer may set the status when it creates the object.
    keeps_status_at_create: bool = False
    #: False for a kind whose end is no new generation, and has no time of grace.
    counts_its_end: bool = True

    def read(self, obj: dict[str, Any]) -> None:
        """Bring what a client sent into the form in which it is kept, in place. Raises ``BadRequest`` for what is no such object."""

    def prepare(self, obj: dict[str, Any], before: dict[str, Any] | None, *, now: float) -> None:
        """Complete what is about to be written; ``before`` is None for a new object."""

    def check(self, obj: dict[str, Any], before: dict[str, Any] | None) -> Sequence[StatusCause]:  # noqa: ARG002 - a hook
        """Why the object can not be written; empty when it can."""
        return ()

    def warnings(self, obj: dict[str, Any]) -> Sequence[str]:  # noqa: ARG002 - a hook
        """What the writer should know about an object that is accepted."""
        return ()

    def prepare_end(self, obj: dict[str, Any]) -> None:
        """The object begins to be deleted."""

    def is_held(self, obj: dict[str, Any]) -> bool:  # noqa: ARG002 - a hook
        """True while something other than ``metadata.finalizers`` keeps an object that is being deleted."""
        return False

    def why_kept(self, obj: dict[str, Any]) -> str:  # noqa: ARG002 - a hook
        """Why the object may never be deleted; empty when it may."""
        return ""

    def committed(self, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
        """The change is durable; ``after`` is None when the object is gone. At start: once per object, ``before`` None."""
