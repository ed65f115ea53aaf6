"""Agents live on virtual time, on an embedded API with no manager."""

from collections.abc import AsyncIterator

import pytest
from tests.support.virtual_loop import VirtualLoop
from tests.support.world import World, embedded_world


def pytest_asyncio_loop_factories(config, item):
    """Time moves only when nothing else can."""
    return {"virtual": VirtualLoop}


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """An API that knows our kinds; nobody works there yet."""
    async with embedded_world() as world:
        yield world
