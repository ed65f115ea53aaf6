"""What `holdfast up` tells to try must work on the plane that runs."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from holdfast.api.longhorn import DiskSchedule
from holdfast.api.longhorn.disk_schedule import DiskScheduleSpec, DiskScheduleStatus, Limit
from holdfast.api.meta import ObjectMeta
from holdfast.cli import up
from holdfast.cli.up import LEAST_TO_TRY, announcement, sizes_to_try
from holdfast.plane.up import Running, Shape

GIB = 2**30


def books(disk: str, *, limit: int = 400 * GIB, scheduled: int = 0, **replicas: int) -> DiskSchedule:
    return DiskSchedule(
        metadata=ObjectMeta(name=f"uuid-of-{disk}"),
        spec=DiskScheduleSpec(name=disk, node_id="node-1", replicas=replicas),
        status=DiskScheduleStatus(limit=Limit(bytes=limit), storage_scheduled=scheduled),
    )


def said(*disks: DiskSchedule, folder: str = "/data", silent: tuple[str, ...] = ()) -> str:
    shape = Shape(folder=Path(folder), port=7443, nodes=1, disks=len(disks), disk_size=400 * GIB, managers=1)
    what_runs = Running(url="https://127.0.0.1:7443", kubeconfig=Path(folder, "kubeconfig"), disks=disks, silent_nodes=silent)
    return "\n".join(announcement(shape, what_runs))


@given(some.integers(LEAST_TO_TRY, 2**63 - 1))
def test_the_two_sizes_fit_one_by_one_and_not_together(room):
    """The first is granted, the second refused, and granted when the first is given back."""
    first, second = sizes_to_try(room)
    assert 0 < first <= room
    assert room - first < second <= room


def test_the_sizes_of_a_usual_disk_can_be_read():
    """100Gi and 350Gi, not eleven digits."""
    assert sizes_to_try(400 * GIB) == (100 * GIB, 350 * GIB)


def test_the_story_is_told_of_a_disk_that_nobody_uses():
    """After a restart the first disk may be full of the last try."""
    text = said(books("used", scheduled=GIB, first=GIB), books("small", limit=GIB), books("fresh"))
    assert "uuid-of-fresh" in text
    assert "uuid-of-used" not in text


def test_where_all_are_used_it_is_told_of_the_one_with_most_room():
    """Its sizes are those of the room that is left."""
    text = said(books("full", scheduled=399 * GIB, a=1), books("half", scheduled=200 * GIB, b=1))
    assert "Ask node-1/half for 50Gi, which is granted, and then for 175Gi, which is refused" in text


def test_where_all_are_full_nothing_is_asked():
    """A story about no bytes would be nonsense; what is there can still be looked at."""
    text = said(books("full", scheduled=400 * GIB, a=1), books("over", scheduled=500 * GIB, b=1))
    assert "patch" not in text
    assert "Every disk is full" in text
    assert "explain disk node-1/full" in text


def test_paths_with_spaces_can_be_copied():
    """A home folder may be called anything."""
    text = said(books("d"), folder="/my data")
    assert shlex.split(text.split("export ")[1].splitlines()[0]) == ["KUBECONFIG=/my data/kubeconfig"]
    assert shlex.split(text.rsplit("rm -r ", maxsplit=1)[1]) == ["/my data"]


def test_nodes_that_nobody_speaks_for_are_named():
    """They will be not ready soon, and that is not a fault."""
    assert "node-2, node-3 of an earlier start" in said(books("d"), silent=("node-2", "node-3"))


@pytest.mark.parametrize("typed, shown", [("/opt/holdfast/holdfast/__main__.py", "python -m holdfast"), ("bin/nowhere", "bin/nowhere")])
def test_the_program_is_called_as_it_was_typed(monkeypatch, typed, shown):
    """A line that can not be run here helps nobody."""
    monkeypatch.setattr("sys.argv", [typed])
    assert up.program() == shown


def test_a_program_on_the_path_is_called_by_its_name(monkeypatch, tmp_path):
    """As a person would."""
    tool = tmp_path / "holdfast"
    tool.write_text("")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.argv", [str(tool)])
    assert up.program() == "holdfast"


def test_a_plane_that_can_not_begin_says_what_it_waits_for():
    """Nothing to try, but something to know."""
    shape = Shape(folder=Path("/data"), port=7443, nodes=1, disks=1, disk_size=400 * GIB, managers=1)
    what_runs = Running(
        url="https://127.0.0.1:7443", kubeconfig=Path("/data/kubeconfig"), disks=(), silent_nodes=(), hindrance="the sky is falling"
    )
    text = "\n".join(announcement(shape, what_runs))
    assert "No disk is served yet: the sky is falling." in text
    assert "get lhds" in text
    assert "patch" not in text


def test_many_silent_nodes_fill_no_screen():
    """A hundred nodes of yesterday are a number, not a page."""
    text = said(books("d"), silent=tuple(f"node-{number}" for number in range(100)))
    assert "soon not ready: node-0, node-1, node-2, node-3, node-4 and 95 more of an earlier start" in text
