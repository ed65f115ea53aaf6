"""The checker is worth as much as the lies it catches: each test plants one."""

from typing import Any

import pytest

from holdfast.simulation.checker import Checker
from holdfast.simulation.record import Revision

GIB = 2**30
DISK = "11111111-aaaa-4bbb-8ccc-222222222222"


def node(revision: int, *, available: int = 100, maximum: int = 100, reserved: int = 0, written: dict[str, int] | None = None) -> Revision:
    status = {"diskUUID": DISK, "storageAvailable": available * GIB, "storageMaximum": maximum * GIB, "written": written or {}}
    body = {
        "apiVersion": "longhorn.io/v1beta2",
        "kind": "Node",
        "metadata": {"name": "n1", "namespace": "longhorn-system", "resourceVersion": str(revision)},
        "spec": {"disks": {"ssd1": {"storageReserved": reserved * GIB}}},
        "status": {"diskStatus": {"ssd1": status}},
    }
    return Revision(revision, "MODIFIED", body)


def setting(revision: int, name: str, value: str) -> Revision:
    body = {
        "apiVersion": "longhorn.io/v1beta2",
        "kind": "Setting",
        "metadata": {"name": name, "namespace": "longhorn-system", "resourceVersion": str(revision)},
        "value": value,
    }
    return Revision(revision, "ADDED", body)


def schedule(revision: int, asks: dict[str, int], grants: dict[str, int], *, change: str = "MODIFIED", **more: Any) -> Revision:
    settings = more.pop("settings", {})
    entries = {
        name: {"state": "scheduled" if size == asks.get(name) else "rejected", "scheduledSize": size * GIB, **more.get("entry", {})}
        for name, size in grants.items()
    }
    if "token" in more:
        entries = {name: entry | {"token": more["token"]} for name, entry in entries.items()}
    body = {
        "apiVersion": "longhorn.io/v1beta2",
        "kind": "DiskSchedule",
        "metadata": {"name": DISK, "namespace": "longhorn-system", "resourceVersion": str(revision)},
        "spec": {"name": "ssd1", "nodeID": "n1", "replicas": {n: s * GIB for n, s in asks.items()}, "tokens": more.get("tokens", {})},
        "status": {
            "replicas": entries,
            "storageScheduled": more.get("told", sum(grants.values())) * GIB,
            "limit": {"nodeRevision": more.get("node_revision", "1"), "settingsRevisions": settings},
        },
    }
    return Revision(revision, change, body)


def broken(*revisions: Revision) -> list[str]:
    return [violation.promise for violation in Checker().check_all(revisions)]


def test_a_grant_that_fits_breaks_nothing() -> None:
    """Silence must be possible, or noise means nothing."""
    checker = Checker()

    found = checker.check_all([node(1), schedule(2, {"r1": 50}, {"r1": 50}), schedule(3, {"r1": 50, "r2": 25}, {"r1": 50, "r2": 25})])

    assert found == []
    assert checker.grants_seen == 2
    assert checker.disagreements() == []


@pytest.mark.parametrize(
    "world, asks",
    [
        ([node(1, maximum=40)], {"r1": 41}),
        ([node(1, reserved=60)], {"r1": 41}),
        ([node(1, available=40)], {"r1": 41}),
        ([node(1, available=25)], {"r1": 1}),
        ([node(1, available=50, written={"r1": 9})], {"r1": 60}),
    ],
    ids=["over the disk", "over the disk less the reserve", "more than is free", "below the minimum", "more unwritten than free"],
)
def test_a_grant_over_a_rule_is_caught(world: list[Revision], asks: dict[str, int]) -> None:
    """Each rule of the default policy is computed again from the recorded Node."""
    assert broken(*world, schedule(2, asks, asks)) == ["within the limit"]


def test_a_lowered_setting_counts_from_the_revision_that_the_grant_names() -> None:
    """A grant decided with the old value is honest only if it says so."""
    world = [node(1), setting(2, "storage-over-provisioning-percentage", "50")]
    name = "storage-over-provisioning-percentage"

    assert broken(*world, schedule(3, {"r1": 80}, {"r1": 80})) == []
    assert broken(*world, schedule(3, {"r1": 80}, {"r1": 80}, settings={name: "2"})) == ["within the limit", "within the limit"]


def test_a_refused_setting_counts_as_its_default() -> None:
    """What the controllers refuse, the checker must not believe either."""
    world = [node(1), setting(2, "storage-over-provisioning-percentage", "lots")]
    settings = {"storage-over-provisioning-percentage": "2"}

    assert broken(*world, schedule(3, {"r1": 100}, {"r1": 100}, settings=settings)) == []


def test_the_policy_of_the_spec_compares_with_what_is_available() -> None:
    """D-45: the text's own rule is selectable, and the checker follows."""
    world = [node(1, available=60), setting(2, "disk-schedule-limit", "storage-available")]
    settings = {"disk-schedule-limit": "2"}

    assert broken(*world, schedule(3, {"r1": 60}, {"r1": 60}, settings=settings)) == []
    assert broken(*world, schedule(3, {"r1": 61}, {"r1": 61}, settings=settings)) == ["within the limit"]


def test_a_grant_that_names_no_real_node_revision_is_caught() -> None:
    """A limit that rests on nothing is no limit."""
    assert broken(node(1), schedule(2, {"r1": 1}, {"r1": 1}, node_revision="77")) == ["within the limit"]


def test_what_was_adopted_may_pass_the_limit_but_nothing_grows_beside_it() -> None:
    """Bytes that exist are granted and flagged; they take nobody's promise back."""
    adopted = schedule(2, {"r1": 120}, {"r1": 120}, entry={"adopted": True})

    assert broken(node(1), adopted) == []
    assert broken(node(1), adopted, schedule(3, {"r1": 120, "r2": 1}, {"r1": 120, "r2": 1})) != []


def test_a_grant_taken_back_is_caught() -> None:
    """Grants are sticky: a replica may be running on them."""
    assert "sticky" in broken(node(1), schedule(2, {"r1": 50}, {"r1": 50}), schedule(3, {"r1": 50}, {"r1": 40}))
    assert "sticky" in broken(node(1), schedule(2, {"r1": 50}, {"r1": 50}), schedule(3, {"r1": 50}, {}))


def test_a_shrink_that_was_asked_for_is_no_loss() -> None:
    """D-44 the other way round: the smaller ask rules."""
    assert (
        broken(node(1), schedule(2, {"r1": 50}, {"r1": 50}), schedule(3, {"r1": 30}, {"r1": 50}), schedule(4, {"r1": 30}, {"r1": 30})) == []
    )


def test_another_uid_inherits_nothing() -> None:
    """A replica made again under the old name starts from zero, and that is no theft."""
    held = schedule(2, {"r1": 50}, {"r1": 50}, tokens={"r1": "u1/1/0"}, token="u1/1/0")
    fresh = schedule(3, {"r1": 50}, {"r1": 0}, tokens={"r1": "u2/1/0"}, token="u2/1/0")

    assert broken(node(1), held, fresh) == []


def test_a_wrong_sum_is_caught() -> None:
    """D-46: other controllers read the room from it."""
    assert broken(node(1), schedule(2, {"r1": 50}, {"r1": 50}, told=40)) == ["sums"]


def test_a_token_that_falls_is_caught() -> None:
    """An older intent that overwrites a newer one is how a running replica loses its bytes."""
    newer = schedule(2, {"r1": 5}, {"r1": 5}, tokens={"r1": "u1/3/1"})
    older = schedule(3, {"r1": 5}, {"r1": 5}, tokens={"r1": "u1/2/1"})

    assert broken(node(1), newer, older) == ["tokens"]


def test_books_that_vanish_with_entries_are_caught() -> None:
    """A disk's schedule goes only when nothing is promised on it."""
    assert broken(node(1), schedule(2, {"r1": 5}, {"r1": 5}), schedule(3, {"r1": 5}, {"r1": 5}, change="DELETED")) == ["an orderly end"]
    assert broken(node(1), schedule(2, {}, {}), schedule(3, {}, {}, change="DELETED")) == []


@pytest.mark.parametrize(
    "asks, grants, why",
    [
        ({"r1": 5}, {}, "no verdict"),
        ({}, {"r1": 5}, "not asked"),
        ({"r1": 4}, {"r1": 5}, "holds"),
    ],
)
def test_asks_and_grants_that_differ_at_rest_are_told(asks: dict[str, int], grants: dict[str, int], why: str) -> None:
    """I7: once quiet, the books are closed."""
    checker = Checker()
    checker.check_all([node(1), schedule(2, asks, grants)])

    assert [why in line for line in checker.disagreements()] == [True]
