"""Every test in this folder belongs to the real tier; its fixtures are those of ``tests/conftest.py``."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.real)
