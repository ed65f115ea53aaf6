"""Every story here runs on virtual time, on an embedded API, with one manager unless it starts more.

Those of ``EVERYWHERE`` are told again on a real control plane, in real time, but for those that take hours (``takes_hours``).
"""

import asyncio

import pytest
from tests.support.real_world import real_world
from tests.support.virtual_loop import VirtualLoop
from tests.support.world import World, embedded_world

#: The ledger of a disk, its faults, many managers, and what people write into it.
EVERYWHERE = {"test_asks_are_decided", "test_disks_fail", "test_many_managers"}


def pytest_configure(config):
    config.addinivalue_line("markers", "takes_hours: a story about hours, which is told on virtual time only")


def pytest_asyncio_loop_factories(config, item):
    """Time moves only when nothing else can; on a real control plane it moves as it does."""
    loops: dict[str, type[asyncio.SelectorEventLoop]] = {"virtual": VirtualLoop}
    if item.path.stem in EVERYWHERE and item.get_closest_marker("takes_hours") is None:
        loops["real"] = asyncio.SelectorEventLoop
    return loops


def is_real(item):
    return hasattr(item, "callspec") and item.callspec.params.get("_asyncio_loop_factory") is asyncio.SelectorEventLoop


def pytest_itemcollected(item):
    if is_real(item):
        item.add_marker(pytest.mark.real)
        item.add_marker(pytest.mark.xdist_group("real"))
        item.add_marker(pytest.mark.timeout(180))


@pytest.fixture
async def _embedded():
    async with embedded_world() as world:
        yield world


@pytest.fixture
async def _real(control_plane, kinds, namespace):
    async with real_world(control_plane, namespace) as world:
        yield world


@pytest.fixture
def empty_world(request) -> World:
    """An API that knows our kinds; nobody works there yet."""
    found: World = request.getfixturevalue("_real" if is_real(request.node) else "_embedded")
    return found


@pytest.fixture
async def world(empty_world: World) -> World:
    """A world with a manager."""
    empty_world.starts_manager()
    return empty_world
