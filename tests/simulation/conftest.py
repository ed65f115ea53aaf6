"""A record to begin with: a disk, and a replica that holds something of it."""

import pytest
from tests.support.records import RecordByHand


@pytest.fixture
def record() -> RecordByHand:
    """A disk of 100Gi with empty books."""
    record = RecordByHand()
    record.disk()
    return record


@pytest.fixture
def held(record: RecordByHand) -> RecordByHand:
    """The replica r1 lives on the disk and holds 50Gi, as placement 1."""
    record.asks(r1=50, tokens={"r1": record.replica("r1")})
    record.grants(r1=50)
    assert record.broken() == []
    return record
