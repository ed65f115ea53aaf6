"""Longhorn's kinds (longhorn.io/v1beta2), one file a kind."""

from holdfast.api.longhorn.backing_image import BackingImage
from holdfast.api.longhorn.disk_schedule import DiskSchedule
from holdfast.api.longhorn.node import LonghornNode
from holdfast.api.longhorn.replica import Replica
from holdfast.api.longhorn.setting import Setting

__all__ = ["BackingImage", "DiskSchedule", "LonghornNode", "Replica", "Setting"]
