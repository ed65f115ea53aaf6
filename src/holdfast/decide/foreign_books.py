"""The books of a disk that has no DiskSchedule: what Longhorn itself notes in the Node, told as a DiskSchedule.

So a cluster of Longhorn without Holdfast can be explained by the same functions: everything noted is granted, and the limit is
the one that Longhorn applies.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from holdfast.api.longhorn import BackingImage, DiskSchedule, LonghornNode, Replica, Setting
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec, DiskScheduleStatus, ScheduledResource, State
from holdfast.api.meta import ObjectMeta
from holdfast.decide import settings
from holdfast.decide.explain import Explanation, explain
from holdfast.decide.ledger import decide
from holdfast.decide.policy import LimitPolicy, policy_of
from holdfast.decide.snapshot import situation_of

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


def explain_noted(
    books: DiskSchedule,
    node: LonghornNode | None,
    found: Iterable[Setting],
    replicas: Sequence[Replica],
    images: Sequence[BackingImage],
    now: float,
) -> Explanation:
    """The explanation of such books, under Longhorn's limit policy whatever the setting for ours says."""
    used = [setting for setting in found if setting.metadata.name != settings.LIMIT]
    used.append(Setting(metadata=ObjectMeta(name=settings.LIMIT), value=LimitPolicy.LONGHORN.value))
    replica_named = {replica.metadata.name: replica for replica in replicas}
    image_named = {image.metadata.name: image for image in images}
    verdict = decide(situation_of(books, node, policy_of(used), replica_named.get, image_named.get), now)
    # Longhorn records no limit; what would be decided is the record, so that nothing seems to differ from it.
    explained = explain(replace(books, status=verdict.status), node, used, replicas, images, now)
    return replace(explained, notes=(NOTE, *explained.notes))
