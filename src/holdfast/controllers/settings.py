"""Settings: the values that people set are judged, never changed.

A Setting that is used and missing is created with its default, so that people see what they can set. A value that is refused
stays as it was written; ``status`` says that it is not in force, and why. Settings that we do not use are another program's.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from holdfast.api.conditions import observed, told
from holdfast.api.errors import AlreadyExists
from holdfast.api.longhorn import LonghornNode, Setting
from holdfast.api.longhorn.setting import SettingStatus
from holdfast.api.meta import Object, ObjectMeta
from holdfast.api.timestamps import timestamp
from holdfast.decide import settings
from holdfast.kube.cache import Change
from holdfast.kube.caches import Caches
from holdfast.kube.controller import Controller, Mapper, same_object
from holdfast.kube.keys import Key

VALID = "Valid"


def settings_not_there(caches: Caches, change: Change[LonghornNode]) -> Iterable[Key]:
    """Settings that nobody has made: where there is a node, they are needed."""
    namespace = change.object.metadata.namespace
    return [Key(namespace, name) for name in settings.USED if caches.of(Setting).get(name, namespace) is None]


class Settings(Controller[Setting]):
    """Says of each Setting that we use whether its value is in force."""

    kind: ClassVar[type[Object]] = Setting
    reacts_to: ClassVar[Mapping[type[Object], Mapper]] = {Setting: same_object, LonghornNode: settings_not_there}
    workers: ClassVar[int] = 1

    async def reconcile(self, setting: Setting) -> None:
        """Judge the value."""
        name = setting.metadata.name
        if name not in settings.USED:
            return
        read = settings.read(name, setting.value)
        problem = read.words if isinstance(read, settings.Problem) else ""
        verdict = told(VALID, holds=not problem, reason="Refused" if problem else "", message=problem)
        now = timestamp(self.runtime.process.clock.now())
        status = SettingStatus(applied=not problem, conditions=observed(setting.status.conditions, verdict, now))
        if status == setting.status:
            return
        judged = Setting(metadata=setting.metadata, value=setting.value, status=status)
        await self.runtime.client.change(setting, judged, guarded=True, subresource="status")
        if problem:
            self.runtime.events.emit(setting, "Warning", "SettingRefused", problem)

    async def reconcile_gone(self, key: Key) -> None:
        """A Setting that is missing, or was deleted, is made with its default."""
        if key.name in settings.USED and key.namespace == self.runtime.namespace:
            await self._create(key.name)

    async def _create(self, name: str) -> None:
        metadata = ObjectMeta(name=name, namespace=self.runtime.namespace)
        try:
            await self.runtime.client.create(Setting(metadata=metadata, value=settings.USED[name].default_text))
        except AlreadyExists:
            return  # its value is somebody's wish
