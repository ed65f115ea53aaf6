"""Setting: one named value. It has no spec; ``value`` stands at the top."""

from msgspec import field

from holdfast.api.meta import Condition, Object
from holdfast.api.struct import Wire


class SettingStatus(Wire):
    """What became of the value."""

    applied: bool = field(default_factory=bool)  # a factory, so that false is written too
    """Whether the value is in force. A value that is refused is not: the default is."""
    conditions: tuple[Condition, ...] = ()
    """Valid: says what is wrong with a refused value."""


class Setting(Object):
    """One named value of the storage system's configuration."""

    value: str = field(default_factory=str)  # a factory, so that "" is written too: Longhorn's definition asks for a value
    """The value as text."""
    status: SettingStatus = SettingStatus()
