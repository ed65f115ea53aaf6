"""The simulated machine: disks as numbers, faults that can be switched while it runs."""

import pytest

from holdfast.agent.driver import DiskFault
from holdfast.agent.simulated import SimulatedDriver, uuid_of
from holdfast.agent.wishes import ANNOTATION, Wishes, WishRefused
from holdfast.api.longhorn import LonghornNode
from holdfast.api.longhorn.node import DiskSpec
from holdfast.api.meta import ObjectMeta

Gi = 2**30
ANY = DiskSpec()


def machine() -> SimulatedDriver:
    return SimulatedDriver("n1", {"disk-1": 100 * Gi, "disk-2": 10 * Gi})


def wanting(annotation: str) -> LonghornNode:
    return LonghornNode(metadata=ObjectMeta(name="n1", annotations={ANNOTATION: annotation} if annotation else {}))


async def test_a_disk_has_the_same_identity_after_a_restart():
    """Books are found by UUID: a restart must not make new disks."""
    first, second = await machine().disk_info("disk-1", ANY), await machine().disk_info("disk-1", ANY)

    assert first.uuid == second.uuid == uuid_of("n1", "disk-1")


def test_disks_have_different_identities():
    """The same name on another node is another disk."""
    assert len({uuid_of("n1", "disk-1"), uuid_of("n1", "disk-2"), uuid_of("n2", "disk-1")}) == 3


async def test_space_is_used_by_data_and_by_strangers():
    """What anybody writes is missing from what is available."""
    driver = machine()
    driver.fill("disk-1", 30 * Gi)
    driver.write("disk-1", "vol-a", 20 * Gi)

    assert (await driver.disk_info("disk-1", ANY)).available == 50 * Gi
    assert await driver.disk_written("disk-1", ANY) == {"vol-a": 20 * Gi}


async def test_a_full_disk_has_nothing_left():
    """A disk cannot have less than nothing."""
    driver = machine()
    driver.fill("disk-1", 300 * Gi)

    assert (await driver.disk_info("disk-1", ANY)).available == 0


async def test_a_disk_that_is_away_cannot_be_read_and_comes_back_as_it_was():
    """Away is not gone."""
    driver = machine()
    driver.write("disk-1", "vol-a", Gi)
    driver.pull("disk-1")
    with pytest.raises(DiskFault, match="away"):
        await driver.disk_info("disk-1", ANY)

    driver.plug("disk-1")

    assert await driver.disk_written("disk-1", ANY) == {"vol-a": Gi}


async def test_an_unknown_disk_is_a_fault_with_words():
    """A disk that somebody only wrote into the Node's spec is told as missing."""
    with pytest.raises(DiskFault, match="no simulated disk odd"):
        await machine().disk_info("odd", ANY)


async def test_faults_come_by_annotation_and_end_with_it():
    """A person switches faults with kubectl alone, and heals everything by removing the annotation."""
    driver = machine()

    info = await driver.node_info(wanting('{"disks": {"disk-1": {"foreign": "50Gi"}, "disk-2": {"away": true}}}'))
    with pytest.raises(DiskFault):
        await driver.disk_info("disk-2", ANY)
    available = (await driver.disk_info("disk-1", ANY)).available
    healed = await driver.node_info(wanting(""))

    assert (available, info.remarks[0].status) == (50 * Gi, "True")
    assert (await driver.disk_info("disk-2", ANY)).available == 10 * Gi
    assert healed.remarks == ()


async def test_an_annotation_takes_a_node_down_and_up():
    """The agent of a machine that is off keeps silent."""
    driver = machine()

    assert not (await driver.node_info(wanting('{"down": true}'))).is_up
    assert (await driver.node_info(wanting('{"down": false}'))).is_up


async def test_an_annotation_adds_a_disk():
    """A new disk needs no restart."""
    driver = machine()

    await driver.node_info(wanting('{"disks": {"disk-3": {"size": "1Ti"}}}'))

    assert (await driver.disk_info("disk-3", ANY)).maximum == 1024 * Gi


async def test_an_annotation_that_stays_the_same_changes_nothing():
    """What was switched by code since is not undone by the next look."""
    driver = machine()
    await driver.node_info(wanting('{"disks": {"disk-1": {"foreign": "1Gi"}}}'))

    driver.fill("disk-1", 9 * Gi)
    await driver.node_info(wanting('{"disks": {"disk-1": {"foreign": "1Gi"}}}'))

    assert (await driver.disk_info("disk-1", ANY)).available == 90 * Gi


@pytest.mark.parametrize(
    "annotation",
    [
        "not json",
        "[]",
        '{"disks": {"disk-1": {"awya": true}}}',
        '{"disks": {"disk-1": {"foreign": "-5Gi"}}}',
        '{"disks": {"disk-1": {"foreign": "much"}}}',
        '{"disks": {"disk-1": {"size": "20Ei"}}}',
        '{"disks": {"disk-9": {"away": true}}}',
        '{"down": "yes"}',
    ],
)
async def test_a_bad_annotation_is_refused_as_a_whole(annotation):
    """A slip of the hand is told in a condition, and what was simulated stays."""
    driver = machine()
    await driver.node_info(wanting('{"disks": {"disk-1": {"foreign": "1Gi"}}}'))

    (remark,) = (await driver.node_info(wanting(annotation))).remarks

    assert (remark.type, remark.status, remark.reason) == ("Simulation", "False", "Refused")
    assert ANNOTATION in remark.message
    assert (await driver.disk_info("disk-1", ANY)).available == 99 * Gi


def test_wishes_are_told_in_words():
    """A person is reminded of what is not real."""
    wishes = Wishes.parse('{"down": true, "disks": {"d": {"away": true, "foreign": 5, "written": {"v": "2"}}}}')

    assert wishes.in_words() == "simulated: the node is down; d is away; d holds 5 foreign bytes; d has 2 bytes in v"


def test_an_impossible_size_names_its_disk():
    """Words say which of many disks is meant."""
    with pytest.raises(WishRefused, match="disk d, written of v"):
        Wishes.parse('{"disks": {"d": {"written": {"v": "many"}}}}')
