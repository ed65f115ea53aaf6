"""What is remembered is bounded, in number and in bytes, and the store says where it ends."""

import pytest

from holdfast.embedded.collection import Collection
from holdfast.embedded.entries import Entry, Key
from holdfast.embedded.history import Event, History


def events(history: History, count: int, size: int = 10) -> None:
    for revision in range(1, count + 1):
        history.append(Event("ADDED", Key("things", "", f"n{revision}"), Entry(revision, b"x" * size), None))


@pytest.mark.parametrize("max_events, max_bytes", [(20, 1 << 20), (1 << 20, 200)])
def test_old_changes_fall_out(max_events, max_bytes):
    """A server that runs for months holds as much as one that runs for a day."""
    history = History(0, max_events=max_events, max_bytes=max_bytes)
    events(history, 500)

    assert 10 <= history.end - history._forgotten <= 20
    assert history.place_after(history.floor - 1) is None
    place = history.place_after(history.floor)
    assert place is not None
    told = history.read(place, 1000)
    assert told is not None
    assert [event.revision for event in told] == list(range(history.floor + 1, 501)), "all that is not forgotten, and nothing else"
    assert history.read(place - 1, 1) is None


def test_one_change_larger_than_the_window_is_forgotten_at_once():
    """The bound holds whatever comes."""
    history = History(0, max_events=10, max_bytes=100)
    events(history, 1, size=1000)

    assert history.floor == 1
    assert history.since(1) == []
    assert history.since(0) is None


def test_the_past_is_read_back_over_changes_of_all_kinds():
    """Added since: not there; changed since: as it was; deleted since: still there."""
    collection = Collection(History(0, max_events=100, max_bytes=1000))

    def happens(type_, name: str, revision: int) -> None:
        key = Key("things", "", name)
        collection.apply(Event(type_, key, Entry(revision, str(revision).encode()), collection.entries.get(key)))

    for revision, (type_, name) in enumerate(
        [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c"), ("MODIFIED", "b"), ("DELETED", "a"), ("ADDED", "d"), ("ADDED", "a")], start=1
    ):
        happens(type_, name, revision)

    def at(revision: int) -> list[tuple[str, int]]:
        return [(key.name, entry.revision) for key, entry in collection.select_at(revision, "things", "") or ()]

    assert at(3) == [("a", 1), ("b", 2), ("c", 3)]
    assert at(5) == [("b", 4), ("c", 3)]
    assert at(7) == [("a", 7), ("b", 4), ("c", 3), ("d", 6)]
    assert [key.name for key, _ in collection.select_at(3, "things", "", after=("", "a")) or ()] == ["b", "c"]
