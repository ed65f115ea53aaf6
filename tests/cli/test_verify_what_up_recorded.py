"""A record of a real plane verifies clean, and is found out when a single number in it is bent."""

import json
import signal
from pathlib import Path

import pytest
from tests.support.program import Started, holdfast, surroundings
from tests.support.watching import until

from holdfast.api.longhorn import DiskSchedule
from holdfast.api.longhorn.disk_schedule import State
from holdfast.kube.connect import connect
from holdfast.process import Process

pytestmark = pytest.mark.slow

NAMESPACE = "longhorn-system"
GIB = 2**30


async def asked_and_decided(kubeconfig: Path) -> None:
    """A grant, a refusal, and room for it."""
    connection = connect(Process("person"), kubeconfig)
    client = connection.client
    try:
        uuid = (await client.list(DiskSchedule, NAMESPACE)).items[0].metadata.name
        for asks, name, state in (
            ({"first": 25 * GIB, "second": None}, "first", State.SCHEDULED),
            ({"second": 90 * GIB}, "second", State.REJECTED),
            ({"first": None}, "second", State.SCHEDULED),
        ):
            await client.patch(DiskSchedule, uuid, NAMESPACE, {"spec": {"replicas": asks}})

            def is_so(books: DiskSchedule, name: str = name, state: State = state) -> bool:
                entry = books.status.replicas.get(name)
                return entry is not None and entry.state is state

            await until(client, DiskSchedule, uuid, NAMESPACE, is_so)
    finally:
        await client.close()


def runs(tmp_path: Path, record: Path) -> Started:
    options = ("--data", tmp_path / "data", "--port", "0", "--nodes", "2", "--disk-size", "100Gi", "--managers", "2", "--record", record)
    return Started("up", *options, environment=surroundings(tmp_path), last_line="Ctrl-C stops it")


@pytest.fixture
async def records(tmp_path) -> list[Path]:
    """Of a first run, and of a second one that goes on with what is there: its record begins in the middle."""
    found = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    for record in found:
        plane = runs(tmp_path, record)
        try:
            await asked_and_decided(tmp_path / "data" / "kubeconfig")
        finally:
            plane.ends_by(signal.SIGINT)
    return found


async def test_what_up_recorded_verifies_clean_until_a_grant_in_it_is_grown(records, tmp_path):
    """The promise is checked on what was committed, not on what the program says of itself."""
    for record in records:
        ended = holdfast("verify", "--record", record)
        assert (ended.code, ended.err) == (0, ""), ended.out
        assert "Every promise held." in ended.out
        assert ", 0 grants" not in ended.out

    whole = [json.loads(line) for line in records[0].read_text().splitlines()]
    last = next(
        line for line in reversed(whole) if line["object"]["kind"] == "DiskSchedule" and "second" in line["object"]["status"]["replicas"]
    )
    last["object"]["status"]["replicas"]["second"]["scheduledSize"] = 101 * GIB
    tampered = tmp_path / "tampered.jsonl"
    tampered.write_text("".join(json.dumps(line) + "\n" for line in whole))

    ended = holdfast("verify", "--record", tampered)
    assert ended.code == 1
    assert f"revision {last['revision']}: DiskSchedule" in ended.out
    assert f"within the limit: second grew: {101 * GIB} scheduled > {100 * GIB}" in ended.out
