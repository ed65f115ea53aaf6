"""The life of a grant: given, kept, shrunk, grown, refused, released."""

import pytest
from tests.support.ledgers import Book, replica

GI = 2**30


def test_what_finds_no_room_is_refused_with_nothing():
    """D-37: a new resource that does not fit gets rejected with 0 bytes."""
    book = Book("100Gi")
    book.asks(a="101Gi")
    assert book.entry("a") == ("rejected", 0)
    assert book.status.storage_scheduled == 0


def test_every_ask_has_a_verdict_after_one_round():
    """D-38: waiting is being in spec and not in status; there is no third word, and nothing waits on after a decision."""
    book = Book("100Gi")
    verdict = book.asks(a="60Gi", b="60Gi", c="10Gi")
    assert book.status.replicas.keys() == {"a", "b", "c"}
    assert {entry.state.value for entry in book.status.replicas.values()} == {"scheduled", "rejected"}
    assert len(verdict.answers) == 3


def test_an_ask_that_is_not_in_status_is_decided():
    """D-43: both maps."""
    book = Book("100Gi")
    book.asks(a="1Gi")
    book.asks_for_images(b="1Gi")
    assert book.entry("a") == ("scheduled", GI)
    assert book.status.backing_images["b"].state.value == "scheduled"


def test_a_raised_ask_is_decided_again():
    """D-44: a grant below its ask is a wish for more."""
    book = Book("100Gi")
    book.asks(a="1Gi")
    book.asks(a="2Gi")
    book.asks_for_images(b="1Gi")
    book.asks_for_images(b="3Gi")
    assert book.entry("a") == ("scheduled", 2 * GI)
    assert book.status.backing_images["b"].scheduled_size == 3 * GI


def test_the_limit_is_read_when_deciding():
    """D-45: a change of the disk's numbers changes the next verdict."""
    book = Book("100Gi", policy="storage-available", available="10Gi")
    book.asks(a="20Gi")
    assert book.entry("a") == ("rejected", 0)
    book.becomes(available=20 * GI)
    book.decides()
    assert book.entry("a") == ("scheduled", 20 * GI)


def test_the_sum_is_that_of_both_maps():
    """D-46: storageScheduled = replicas + images, refused growth with what it holds."""
    book = Book("100Gi")
    book.asks(a="10Gi", b="20Gi")
    book.asks_for_images(c="30Gi")
    book.asks(a="90Gi")
    assert book.entry("a") == ("rejected", 10 * GI)
    assert book.status.storage_scheduled == 60 * GI


def test_growth_is_decided_by_its_own_disk():
    """D-60: each disk says for itself whether the growth fits, in its own status."""
    roomy, full = Book("100Gi"), Book("60Gi")
    for book in (roomy, full):
        book.asks(a="50Gi")
        book.asks(a="80Gi")
    assert roomy.entry("a") == ("scheduled", 80 * GI)
    assert full.entry("a") == ("rejected", 50 * GI)


def test_a_refused_growth_keeps_what_it_had():
    """D-62: rejected with the former size unchanged, and that size still counts."""
    book = Book("100Gi")
    book.asks(a="50Gi", b="40Gi")
    book.asks(a="70Gi", c="20Gi")
    assert book.entry("a") == ("rejected", 50 * GI)
    assert book.entry("c") == ("rejected", 0)
    assert book.status.storage_scheduled == 90 * GI
    book.asks(a="50Gi")
    assert book.entry("a") == ("scheduled", 50 * GI)


def test_growth_is_whole_or_not_at_all():
    """Half a growth helps nobody and takes the bytes of one who fits."""
    book = Book("100Gi")
    book.asks(a="50Gi")
    book.asks(a="120Gi", b="50Gi")
    assert book.granted() == {"a": 50 * GI, "b": 50 * GI}


def test_asking_for_nothing_is_releasing():
    """D-75: an ask of 0 is no entry at all, for replicas and images alike; its key is named for removal."""
    book = Book("100Gi")
    book.asks(a="50Gi")
    book.asks_for_images(b="10Gi")
    book.asks(a=0)
    book.asks_for_images(b=0)
    assert book.status.replicas == {}
    assert book.status.backing_images == {}
    assert book.status.storage_scheduled == 0


def test_what_is_released_is_free_for_others():
    """D-76: a withdrawn entry leaves status, and a waiting ask gets its bytes in the same round."""
    book = Book("100Gi")
    book.asks(a="80Gi", b="50Gi")
    assert book.refused() == {"b": "over-provisioning"}
    book.releases("a")
    assert book.granted() == {"b": 50 * GI}
    assert "a" not in book.status.replicas
    assert book.status.storage_scheduled == 50 * GI


def test_a_smaller_ask_shrinks_its_grant_at_once():
    """Shrinking is never refused: the freed bytes serve others in the same round."""
    book = Book("100Gi")
    book.asks(a="80Gi")
    book.asks(a="30Gi", b="70Gi")
    assert book.granted() == {"a": 30 * GI, "b": 70 * GI}


@pytest.mark.parametrize("change", [{"total": "10Gi"}, {"settings": {"storage-over-provisioning-percentage": "0"}}, {"available": 0}])
def test_a_grant_stays_when_the_limit_falls(change):
    """D-08, D-47: what was granted may be in use; a lower limit takes nothing back and gives nothing more."""
    book = Book("100Gi")
    book.asks(a="60Gi")
    book.total = change.get("total", book.total)
    book.settings |= change.get("settings", {})
    if "available" in change:
        book.becomes(available=change["available"])
    book.asks(b="1Gi")
    assert book.entry("a") == ("scheduled", 60 * GI)
    assert book.entry("b") == ("rejected", 0)


def test_a_shrinking_disk_still_shrinks_and_releases():
    """The way back under the limit must stay open."""
    book = Book("100Gi")
    book.asks(a="60Gi", b="40Gi")
    book.total = "10Gi"
    book.asks(a="5Gi")
    book.releases("b")
    assert book.granted() == {"a": 5 * GI}


def test_the_verdict_says_which_intent_it_is_for():
    """A reader with another token in mind must see that the verdict is not about it."""
    book = Book("100Gi")
    book.asks({"a": "u/1/0"}, a="10Gi")
    assert book.status.replicas["a"].token == "u/1/0"
    book.asks({"a": "u/1/1"}, a="200Gi")
    assert (book.status.replicas["a"].token, *book.entry("a")) == ("u/1/1", "rejected", 10 * GI)


def test_a_grant_stays_with_its_uid_through_placements_and_epochs():
    """A new token of the same object is a new intent, not a new object."""
    book = Book("100Gi")
    book.asks({"a": "u/1/0"}, a="60Gi")
    book.asks({"a": "u/2/4"}, a="60Gi", b="60Gi")
    assert book.granted() == {"a": 60 * GI}


def test_another_uid_starts_with_nothing():
    """The name came back as another object: it asks like any newcomer, after those who are older."""
    book = Book("100Gi")
    book.holds(replica("a", uid="v", age=10), replica("old", age=100))
    book.asks({"a": "u/1/0"}, a="60Gi")
    book.asks({"a": "v/1/0"}, a="60Gi", old="60Gi")
    assert book.granted() == {"old": 60 * GI}
    assert book.entry("a") == ("rejected", 0)


def test_a_token_added_to_an_older_writers_ask_keeps_the_grant():
    """Upgrading from asks without tokens must not take a running replica's bytes."""
    book = Book("100Gi")
    book.asks(a="100Gi")
    book.settings["storage-over-provisioning-percentage"] = "10"
    book.asks({"a": "u/1/0"}, a="100Gi")
    assert book.entry("a") == ("scheduled", 100 * GI)


def test_a_state_keeps_its_time_until_it_changes():
    """How long an ask has waited is counted from the refusal, however often it is decided again."""
    book = Book("100Gi")
    book.asks(a="60Gi", b="60Gi")
    refused_at = book.status.replicas["b"].last_transition_time
    book.passes(120)
    assert book.status.replicas["b"].last_transition_time == refused_at
    book.releases("a")
    assert book.status.replicas["b"].last_transition_time > refused_at


def test_the_waiting_of_another_uid_is_not_inherited():
    """Seniority belongs to the object that waited, not to its name."""
    book = Book("100Gi")
    book.asks({"a": "u/1/0"}, a="200Gi")
    book.passes(600)
    book.asks({"a": "v/1/0"}, a="200Gi")
    assert book.status.replicas["a"].last_transition_time == "2006-01-02T15:14:05Z"
