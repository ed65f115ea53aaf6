"""What a plane stands on is laid at the start, and again when somebody takes it away."""

from tests.support.watching import until

from holdfast.api import kinds
from holdfast.api.core import CustomResourceDefinition, Namespace
from holdfast.api.kinds import FINALIZER
from holdfast.api.longhorn import DiskSchedule
from holdfast.api.meta import ObjectMeta
from holdfast.plane import foundation
from holdfast.process import Process, Tasks

PLACE = "longhorn-system"
BOOKS = kinds.DISK_SCHEDULE.resource


async def test_everything_is_made_once(client):
    """A second start finds all of it, and writes nothing."""
    made = await foundation.lay(client, PLACE)
    again = await foundation.lay(client, PLACE)

    assert made == (f"namespace {PLACE}", *(f"definition {kind.resource}" for kind in kinds.CUSTOM))
    assert again == ()


async def test_what_is_taken_away_comes_back(client, monkeypatch):
    """A person who deleted a definition or the namespace has an empty plane, not a broken one."""
    monkeypatch.setattr(foundation, "INTERVAL", 0.01)
    await foundation.lay(client, PLACE)
    namespace = await client.get(Namespace, PLACE)
    definition = await client.get(CustomResourceDefinition, BOOKS)

    async with Tasks() as tasks:
        tasks.spawn(foundation.keep(client, Process("keeper"), PLACE), name="keeper")
        await client.delete(CustomResourceDefinition, BOOKS)
        await client.delete(Namespace, PLACE)
        await until(client, Namespace, PLACE, "", lambda found: found.metadata.uid != namespace.metadata.uid)
        await until(client, CustomResourceDefinition, BOOKS, "", lambda found: found.metadata.uid != definition.metadata.uid)


async def test_what_is_being_deleted_is_told(client):
    """Who waits for a plane that cannot begin learns what it waits for."""
    await foundation.lay(client, PLACE)
    assert await foundation.ending(client, PLACE) == ""

    held = DiskSchedule(metadata=ObjectMeta(name="d", namespace=PLACE, finalizers=(FINALIZER,)))
    await client.create(held)
    await client.delete(CustomResourceDefinition, BOOKS)
    assert await foundation.ending(client, PLACE) == f"definition {BOOKS} is being deleted, and waits for the objects of its kind"

    await client.delete(Namespace, PLACE)
    assert await foundation.ending(client, PLACE) == f"namespace {PLACE} is being deleted, and waits for what it holds"
