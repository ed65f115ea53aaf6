"""Every story here runs on virtual time, on an embedded API, with one manager unless it starts more."""

from collections.abc import AsyncIterator

import pytest
from tests.support.virtual_loop import VirtualLoop
from tests.support.world import World, embedded_world


def pytest_asyncio_loop_factories(config, item):
    """Time moves only when nothing else can."""
    return {"virtual": VirtualLoop}


@pytest.fixture
async def empty_world() -> AsyncIterator[World]:
    """An API that knows our kinds; nobody works there yet."""
    async with embedded_world() as world:
        yield world


@pytest.fixture
async def world(empty_world: World) -> World:
    """A world with a manager."""
    empty_world.starts_manager()
    return empty_world
