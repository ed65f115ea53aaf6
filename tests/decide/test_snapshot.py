"""From wire objects to values: what is believed, and what is not."""

from msgspec.structs import replace
from tests.support.ledgers import NOW, UUID, disk_status, image, node, replica

from holdfast.api.longhorn import DiskSchedule
from holdfast.api.struct import from_builtins
from holdfast.decide.policy import Policy
from holdfast.decide.snapshot import asks_of, disk_of, released_by, situation_of
from holdfast.decide.values import NO_DISK, Ask, AskKey, AskKind


def schedule(replicas=None, images=None, tokens=None, image_tokens=None) -> DiskSchedule:
    spec = {"name": "example-disk", "nodeID": "example-node", "replicas": replicas, "backingImages": images}
    return from_builtins(
        {"metadata": {"name": UUID}, "spec": spec | {"tokens": tokens, "imageTokens": image_tokens}},
        DiskSchedule,
    )


def ask_of(found: DiskSchedule, *objects) -> Ask:
    by_name = {obj.metadata.name: obj for obj in objects}
    (ask,) = asks_of(found, by_name.get, by_name.get)
    return ask


def test_an_ask_takes_age_and_directory_from_its_replica():
    """Both decide: who is served first, and whose bytes are shared."""
    ask = ask_of(schedule({"r": 5}), replica("r", age=60, directory="vol-1"))
    assert (ask.created, ask.directory, ask.is_known, ask.is_there) == (NOW - 60, "vol-1", True, False)


def test_an_unknown_replica_has_a_directory_of_its_own():
    """It shares with nobody, and no written bytes are its."""
    ask = ask_of(schedule({"r": 5}))
    assert (ask.created, ask.directory, ask.is_known) == (None, "replicas/r", False)


def test_a_replica_that_is_placed_elsewhere_has_no_directory_here():
    """Its name for a directory says nothing about this disk."""
    ask = ask_of(schedule({"r": 5}, tokens={"r": "uid-of-r/0/0"}), replica("r", on="another", directory="vol-1", healthy=True))
    assert (ask.directory, ask.is_there) == ("replicas/r", False)


def test_the_replica_must_be_the_one_that_the_token_names():
    """A re-created replica must not inherit the age or the data of a dead one."""
    ask = ask_of(schedule({"r": 5}, tokens={"r": "old-uid/1/0"}), replica("r", age=60, healthy=True))
    assert (ask.is_known, ask.is_there, ask.created) == (False, False, None)


def test_an_image_brings_its_content_until_its_file_is_ready():
    """Its bytes come at once; when they are there, the disk's available bytes know of them."""
    assert ask_of(schedule(images={"i": 50}), image("i", content=30)).brings == 30
    assert ask_of(schedule(images={"i": 20}), image("i", content=30)).brings == 20
    ready = ask_of(schedule(images={"i": 50}), image("i", content=30, state="ready"))
    assert (ready.brings, ready.is_there, ready.directory) == (0, True, "backing-images/i")


def test_nulls_of_go_are_empty_maps():
    """A writer in Go sends null for a nil map."""
    found = schedule(None, None)
    assert list(asks_of(found, lambda _name: None, lambda _name: None)) == []


def test_asks_for_nothing_are_named_for_removal():
    """D-75: the key shall be absent, not zero."""
    found = schedule({"a": 0, "b": 5, "c": -1}, {"i": 0})
    assert released_by(found) == (
        AskKey(AskKind.REPLICA, "a"),
        AskKey(AskKind.REPLICA, "c"),
        AskKey(AskKind.IMAGE, "i"),
    )
    assert ask_of(found).key.name == "b"


def test_the_numbers_are_those_of_the_schedules_own_disk():
    """Another disk under the same name must not lend its room."""
    found = schedule()
    assert disk_of(found, node(disk_status(total=100), wanted={"storageReserved": 10})).reserved == 10
    assert disk_of(found, node(disk_status(diskUUID="another"))) == NO_DISK
    assert disk_of(found, None) == NO_DISK


def test_another_node_is_not_the_disks_node():
    """A reader that hands in the wrong Node must not open a disk."""
    other = node()
    other = replace(other, metadata=replace(other.metadata, name="other"))
    situation = situation_of(schedule(), other, Policy(), lambda _name: None, lambda _name: None)
    assert (situation.closed, situation.disk) == ("node-missing", NO_DISK)
