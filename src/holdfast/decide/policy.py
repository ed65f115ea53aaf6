"""The settings that the ledger obeys, as one value.

A Policy carries the resourceVersion of every Setting it was made from: a grant records them, so that anyone can check later
what it rested on.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct

from holdfast.api.longhorn.setting import Setting
from holdfast.api.struct import wire_name
from holdfast.decide import settings


class LimitPolicy(StrEnum):
    """Which rules say what a disk may promise (setting disk-schedule-limit)."""

    WRITTEN_AWARE = "written-aware"
    STORAGE_AVAILABLE = "storage-available"
    LONGHORN = "longhorn"


class Policy(Struct, frozen=True, gc=False, kw_only=True, rename=wire_name):
    """The settings in force."""

    over_provisioning: int = 100
    """What a disk may promise, in percent of its bytes."""
    minimal_available: int = 25
    """The share of a disk that must stay free, in percent."""
    limit: LimitPolicy = LimitPolicy.WRITTEN_AWARE
    aging: float = 600
    """Seconds after which a refused elder blocks younger growth on its disk; 0 = never."""
    orphan_grace: float = 600
    """Seconds after which an ask whose object is gone may be removed."""
    revisions: Mapping[str, str] = {}
    """resourceVersion of each Setting used, by name; a missing key is a setting at its default."""
    problems: tuple[settings.Problem, ...] = ()
    """What is wrong with refused values; their defaults are in force."""


def policy_of(found: Iterable[Setting]) -> Policy:
    """The policy that these Settings make. Settings that the ledger does not use are ignored; a bad value counts as absent."""
    by_name = {setting.metadata.name: setting for setting in found if setting.metadata.name in settings.USED}
    problems: list[settings.Problem] = []

    def value(name: str) -> settings.Value:
        setting = by_name.get(name)
        if setting is None:
            return settings.USED[name].default
        read = settings.read(name, setting.value)
        if isinstance(read, settings.Problem):
            problems.append(read)
            return settings.USED[name].default
        return read

    return Policy(
        over_provisioning=int(value(settings.OVER_PROVISIONING)),
        minimal_available=int(value(settings.MINIMAL_AVAILABLE)),
        limit=LimitPolicy(str(value(settings.LIMIT))),
        aging=float(value(settings.AGING)),
        orphan_grace=float(value(settings.ORPHAN_GRACE)),
        revisions={name: by_name[name].metadata.resource_version for name in sorted(by_name)},
        problems=tuple(problems),
    )
