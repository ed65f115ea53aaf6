"""One disk, explained: from the functions that decide, never beside them."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.ledgers import NOW, UNREADY, Book, disk_status, image, node, replica
from tests.support.situations import patient

from holdfast.api.longhorn.disk_schedule import DiskScheduleStatus, ScheduledResource, State
from holdfast.decide.explain import Explanation
from holdfast.decide.explain_text import text
from holdfast.decide.ledger import decide

GI = 2**30


def line_of(found: Explanation, name: str):
    return next(ask for ask in found.asks if ask.name == name)


def story() -> Book:
    """A disk with a replica, an image, a refused newcomer and one whose object is gone."""
    book = Book("100Gi", least=10)
    book.holds(replica("r1", age=7200), image("golden", age=3600), replica("late", age=60))
    book.asks({"r1": "uid-of-r1/1/0"}, r1="50Gi")
    book.asks_for_images(golden="20Gi")
    book.asks(late="40Gi", by_hand="10Gi")
    return book


def test_an_ask_is_told_with_all_there_is_to_know():
    """State, bytes, token, age, verdict, numbers, what is missing and what would help."""
    line = line_of(story().explains(), "late")
    assert (line.state, line.verdict, line.code) == ("rejected", State.REJECTED, "over-provisioning")
    assert (line.wanted, line.granted, line.shortfall) == (40 * GI, 0, 20 * GI)
    assert line.age == 60
    assert line.refused_for == 0
    assert line.words.startswith("example-node/example-disk  over-provisioned: 40Gi + 80Gi scheduled > 100Gi; short by 20Gi")
    assert [fix.words for fix in line.fixes][:2] == [
        "free 20Gi on this disk",
        "raise storage-over-provisioning-percentage to 120",
    ]
    assert line_of(story().explains(), "r1").token == "uid-of-r1/1/0"


def test_the_limit_is_told_with_every_rule():
    """Which rule binds, and how far the others are."""
    found = story().explains()
    assert (found.limit, found.scheduled, found.room, found.rule) == (100 * GI, 80 * GI, 20 * GI, "over-provisioning")
    assert [(line.rule, line.holds, line.binds) for line in found.rules] == [
        ("over-provisioning", True, True),
        ("free-space", True, False),
        ("minimal-available", True, False),
    ]
    assert found.rules[2].words == "100Gi available, more than 10Gi (10% of 100Gi)"


def test_asks_stand_in_the_order_in_which_they_are_served():
    """Who is before me in the line is part of the answer."""
    assert [ask.name for ask in story().explains().asks] == ["r1", "golden", "late", "by_hand"]


def test_a_fresh_record_needs_no_note():
    """What is recorded is what would be decided."""
    found = story().explains()
    assert not found.recorded_differs
    assert found.notes == ()


def test_a_record_that_is_behind_is_noted():
    """A dump from a cluster without a running manager still tells the truth."""
    book = story()
    spec = book.schedule.spec
    book.schedule = replace(book.schedule, spec=replace(spec, replicas=spec.replicas | {"r1": 10 * GI, "fresh": GI}))
    found = book.explains()
    assert found.recorded_differs
    assert line_of(found, "fresh").state == "pending"
    assert line_of(found, "fresh").verdict is State.SCHEDULED
    assert "replica fresh pending -> scheduled 1Gi" in found.notes[-1]
    assert "replica r1 scheduled 50Gi -> scheduled 10Gi" in found.notes[-1]


def test_an_orphan_is_noted_with_its_end():
    """Who tries the ledger by hand sees when the ask will go."""
    book = story()
    book.gone = {answer.ask.key: NOW for answer in book.verdict.answers if answer.ask.key.name == "by_hand"}
    book.passes(60)
    found = book.explains()
    line = line_of(found, "by_hand")
    assert (line.gone_for, line.removed_in, line.object_known) == (60, 540, False)
    since = "no object stands behind the ask of replica by_hand (since 2006-01-02T15:04:05Z)"
    assert f"{since}; it may be removed from 2006-01-02T15:14:05Z" in found.notes


def test_bad_settings_adoptions_overload_and_releases_are_noted():
    """Whatever a person would wonder about stands in the text."""
    book = Book("100Gi")
    book.settings["disk-schedule-limit"] = "most"
    book.holds(replica("old", healthy=True))
    book.asks(old="120Gi", nothing=0)
    notes = "\n".join(book.explains().notes)
    assert 'disk-schedule-limit is "most"' in notes
    assert "replica old was on the disk before it was granted" in notes
    assert "over its limit: 120Gi is scheduled and the limit is 100Gi" in notes
    assert "replica nothing asks for 0 bytes" in notes


def test_a_disk_that_is_away_is_explained_without_numbers():
    """There are none, and rules over zeros would only confuse."""
    book = story()
    book.has_node = False
    found = book.explains()
    assert (found.closed, found.rules) == ("node-missing", ())
    assert "its node example-node does not exist" in text(found)


def test_the_text_shows_the_verdicts():
    """What `holdfast explain disk` prints."""
    shown = text(story().explains())
    assert shown.splitlines()[:4] == [
        "disk example-disk on node example-node  (aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee)",
        "  size       100Gi, 0 reserved, 100Gi available",
        "  scheduled  80Gi of 100Gi: room for 20Gi",
        "  limit      written-aware, bound by over-provisioning",
    ]
    assert "  late     replica        40Gi    0        rejected   60s      -" in shown
    assert "      fix: free 20Gi on this disk" in shown
    assert shown.endswith("\n")


def test_an_empty_disk_is_explained_too():
    """The first thing that a person tries."""
    book = Book()
    book.decides()
    assert "nothing is asked of this disk" in text(book.explains())


def test_an_explanation_travels_as_json():
    """`-o json` is for programs: it holds the same numbers."""
    found = story().explains()
    document = msgspec.json.decode(msgspec.json.encode(found))
    assert document["limit"] == 100 * GI
    late = next(ask for ask in document["asks"] if ask["name"] == "late")
    assert late["fixes"][0] == {"acts": [{"step": "release", "amount": 20 * GI}], "words": "free 20Gi on this disk"}
    assert late["operands"][0]["counted"] == 80 * GI
    assert document["policy"]["overProvisioning"] == 100


entries = st.builds(
    ScheduledResource,
    state=st.sampled_from(State),
    scheduled_size=st.integers(-5, 2**65),
    last_transition_time=st.sampled_from(["", "junk", "2006-01-02T15:04:05Z"]),
    orphaned_since=st.sampled_from(["", "junk", "2006-01-02T15:04:05Z"]),
)


@patient
@given(
    st.dictionaries(st.sampled_from("abc"), st.integers(-5, 2**66), max_size=3),
    st.dictionaries(st.sampled_from("abcd"), entries, max_size=4),
    st.sampled_from([disk_status(total=50), disk_status(total=0), disk_status(conditions=UNREADY), disk_status(diskUUID="x")]),
)
def test_anything_can_be_explained_and_agrees_with_the_decision(asked, status, disk):
    """A dump may hold anything; the explanation says what the ledger would decide."""
    book = Book()
    book.node = node(disk)
    spec = replace(book.schedule.spec, replicas=asked)
    book.schedule = replace(book.schedule, spec=spec, status=DiskScheduleStatus(replicas=status))
    found = book.explains()
    assert text(found)
    assert msgspec.json.encode(found)
    verdict = decide(book.situation_now(), NOW)
    assert [(ask.name, ask.code) for ask in found.asks] == [(answer.ask.key.name, answer.code) for answer in verdict.answers]


def test_a_disk_that_nobody_reports_shows_no_numbers():
    """Sizes of 0 would read like a full disk."""
    book = story()
    book.has_node = False
    shown = text(book.explains())
    assert "  closed     its node example-node does not exist\n" in shown
    assert "  size       unknown: no node reports this disk\n  scheduled  80Gi; nothing more is granted\n" in shown
    assert "bound by" not in shown
