"""Bugs planted on purpose, to see whether the suite would notice.

A plugin for pytest: ``-p tests.support.planted_bugs`` with ``HOLDFAST_PLANT`` set plants one of them before anything is collected.
Each is a change to one method that somebody could make by mistake; what has to fail then stands beside it.
"""

import os
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from holdfast.api.errors import Expired
from holdfast.embedded import writing
from holdfast.embedded.continuation import Continuation
from holdfast.embedded.schema import Schema
from holdfast.kube.cache import Cache
from holdfast.kube.reflector import Reflector

VARIABLE: Final = "HOLDFAST_PLANT"


class Bug(Struct, frozen=True):
    """``plant`` puts it in; ``tests`` have to fail then, one of them at least."""

    plant: Callable[[], None]
    tests: tuple[str, ...]


def _resume_after_410() -> None:
    """A watch whose past is forgotten is opened again where it stood, and nothing is listed."""
    original = Reflector._list_and_watch

    async def never_lists_again(self: Reflector[Any]) -> bool:
        revision = self._revision
        try:
            return await original(self)
        except Expired:
            if not revision:
                raise
            return False

    Reflector._list_and_watch = never_lists_again  # type: ignore[method-assign]  # the planted bug


def _delete_detection_on_relist() -> None:
    """A listing adds and changes, and what it lacks stays."""
    original = Cache.replace

    async def keeps_what_is_gone(self: Cache[Any], items: Any, revision: int) -> None:
        listed = {(item.metadata.namespace, item.metadata.name) for item in items}
        kept = [known for known in self.all() if (known.metadata.namespace, known.metadata.name) not in listed]
        await original(self, [*items, *kept], revision)

    Cache.replace = keeps_what_is_gone  # type: ignore[method-assign]  # the planted bug


def _generation_bump() -> None:
    """A change of the spec is no new generation."""
    writing._is_of_a_new_generation = lambda *_: False


def _status_isolation() -> None:
    """A write of the whole object writes its status too."""
    original = writing._only_its_part

    def lets_status_through(resource: Any, obj: dict[str, Any], before: Any, subresource: str) -> dict[str, Any]:
        return original(resource, obj, before, subresource) if subresource else obj

    writing._only_its_part = lets_status_through


def _finalizer_removal() -> None:
    """The last finalizer goes, and the object stays for ever."""
    writing.may_go = lambda resource, obj: False  # noqa: ARG005 - called by these names


def _continue_token() -> None:
    """The next page begins with the last object of the page before."""
    original = Continuation.token

    def starts_a_little_earlier(self: Continuation) -> str:
        return original(Continuation(self.revision, self.namespace, self.name[:-1]))

    Continuation.token = starts_a_little_earlier  # type: ignore[method-assign]  # the planted bug


def _pruning() -> None:
    """What the schema does not know is kept."""

    def takes_everything(self: Schema, obj: dict[str, Any]) -> list[str]:
        self.default(obj)
        return []

    Schema.take = takes_everything  # type: ignore[method-assign]  # the planted bug
    Schema.prune = lambda self, obj: []  # type: ignore[method-assign]  # noqa: ARG005 - called by these names


BUGS: Final[dict[str, Bug]] = {
    "resume after 410": Bug(_resume_after_410, ("tests/kube/test_reflector_resumes.py",)),
    "delete detection on relist": Bug(
        _delete_detection_on_relist, ("tests/kube/test_cache_relist.py", "tests/kube/test_reflector_resumes.py")
    ),
    "generation bump": Bug(_generation_bump, ("tests/embedded/test_update.py",)),
    "status isolation": Bug(_status_isolation, ("tests/embedded/test_update.py",)),
    "finalizer removal": Bug(_finalizer_removal, ("tests/embedded/test_delete.py",)),
    "continue token": Bug(_continue_token, ("tests/embedded/test_read.py",)),
    "pruning": Bug(_pruning, ("tests/embedded/test_create.py", "tests/embedded/test_crd_lifecycle.py")),
}

if (_name := os.environ.get(VARIABLE)) is not None:
    BUGS[_name].plant()
