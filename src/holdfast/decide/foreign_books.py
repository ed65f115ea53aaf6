"""The books of a disk that has no DiskSchedule: what Longhorn itself notes in the Node, told as a DiskSchedule.

So a cluster of Longhorn without Holdfast can be explained by the same functions: everything noted is granted, and the limit is
the one that Longhorn applies.
"""

from holdfast.api.longhorn import DiskSchedule, LonghornNode, Setting
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec, DiskScheduleStatus, ScheduledResource, State
from holdfast.api.meta import ObjectMeta
from holdfast.decide import settings
from holdfast.decide.policy import LimitPolicy

NOTE = "this disk has no DiskSchedule: what its Node notes as scheduled is taken as granted, under Longhorn's own rules"


def books_in(node: LonghornNode, disk: str) -> DiskSchedule:
    """What the Node notes for one of its disks."""
    noted = node.status.disk_status[disk]
    replicas = {name: ScheduledResource(state=State.SCHEDULED, scheduled_size=size) for name, size in noted.scheduled_replica.items()}
    images = {name: ScheduledResource(state=State.SCHEDULED, scheduled_size=size) for name, size in noted.scheduled_backing_image.items()}
    scheduled = sum(noted.scheduled_replica.values()) + sum(noted.scheduled_backing_image.values())
    return DiskSchedule(
        metadata=ObjectMeta(name=noted.disk_uuid, namespace=node.metadata.namespace),
        spec=DiskScheduleSpec(
            name=disk, node_id=node.metadata.name, replicas=noted.scheduled_replica, backing_images=noted.scheduled_backing_image
        ),
        status=DiskScheduleStatus(replicas=replicas, backing_images=images, storage_scheduled=scheduled),
    )


def with_longhorns_limit(found: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """The settings, with the limit policy that holds where there are no books of ours."""
    others = tuple(setting for setting in found if setting.metadata.name != settings.LIMIT)
    return (*others, Setting(metadata=ObjectMeta(name=settings.LIMIT), value=LimitPolicy.LONGHORN.value))
