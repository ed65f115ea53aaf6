"""Every rule of every limit policy, by example. D-45, D-47."""

import pytest
from tests.support.ledgers import Book, image, replica, size

GI = 2**30


@pytest.mark.parametrize("policy", ["written-aware", "longhorn", "storage-available"])
def test_the_last_byte_fits_and_one_more_does_not(policy):
    """D-47: the sum may reach the maximum and never pass it."""
    book = Book("100Gi", policy=policy)
    book.asks(a="60Gi", b="40Gi")
    assert book.granted() == {"a": 60 * GI, "b": 40 * GI}
    book.asks(c=1)
    assert book.entry("c") == ("rejected", 0)


def test_over_provisioning_counts_nominal_bytes_of_what_is_not_reserved():
    """Longhorn's own promise: (maximum - reserved) x percentage."""
    book = Book("100Gi", policy="longhorn", over=150)
    book.wanted = {"storageReserved": 20 * GI}
    book.asks(a="120Gi")
    assert book.entry("a") == ("scheduled", 120 * GI)
    book.asks(b=1)
    assert book.refused() == {"b": "over-provisioning"}


def test_free_space_counts_only_what_is_still_to_be_written():
    """A written byte is missing from the available ones already: counting it in the sum too would take it twice."""
    book = Book("100Gi", available="40Gi", written={"old-dir": "60Gi"})
    book.holds(replica("old", healthy=True))
    book.asks(old="60Gi")
    book.asks(new="40Gi")
    assert book.granted() == {"old": 60 * GI, "new": 40 * GI}


def test_without_written_bytes_rule_one_is_the_rule_of_the_text():
    """Unknown counts as 0: a disk whose agent publishes nothing is judged as if all grants were still to be written."""
    book = Book("100Gi", available="40Gi")
    book.asks(a="40Gi")
    book.asks(b=1)
    assert book.refused() == {"b": "free-space"}


def test_data_beyond_its_grant_lends_nothing_to_others():
    """A replica with more on disk than its size must not make room for another: the surplus is its snapshots."""
    book = Book("100Gi", available="20Gi", written={"fat-dir": "80Gi"})
    book.holds(replica("fat", healthy=True))
    book.asks(fat="50Gi")
    book.asks(new="20Gi", late="1Gi")
    assert book.entry("new") == ("rejected", 0)
    assert book.why("new").operands[0].counted == 1 * GI


def test_over_provisioning_stretches_the_free_bytes_too():
    """At 200 % a free byte may be promised twice, as the administrator said."""
    book = Book("100Gi", available="30Gi", over=200)
    book.asks(a="60Gi")
    assert book.entry("a") == ("scheduled", 60 * GI)


def test_a_disk_that_is_down_to_its_share_takes_nothing():
    """The stop sign: exactly the share left is not more than the share."""
    book = Book("100Gi", policy="longhorn", least=25, available="25Gi")
    book.asks(a="1Gi")
    assert book.refused() == {"a": "minimal-available"}
    book.becomes(available=25 * GI + 1)
    book.decides()
    assert book.granted() == {"a": GI}


def test_a_newcomer_that_brings_data_must_leave_the_share_free():
    """An image is written at once: looking only at what is free now would pass the line with the next breath."""
    book = Book("100Gi", policy="longhorn", least=25, available="40Gi")
    book.holds(image("golden", content="15Gi"), image("small", content="5Gi"))
    book.asks_for_images(golden="15Gi")
    assert book.status.backing_images["golden"].reason == "minimal-available"
    book.asks_for_images(small="5Gi")
    assert book.status.backing_images["small"].state == "scheduled"


def test_two_newcomers_do_not_both_bring_their_data_into_the_same_space():
    """What was granted and is still being written counts, also in a later round."""
    book = Book("100Gi", policy="longhorn", least=25, available="40Gi")
    book.holds(image("one", content="10Gi"), image("two", content="10Gi"))
    book.asks_for_images(one="10Gi", two="10Gi")
    assert {name: entry.state.value for name, entry in book.status.backing_images.items()} == {"one": "scheduled", "two": "rejected"}
    book.becomes(available=30 * GI, written={"backing-images/one": 10 * GI})
    book.decides()
    assert book.status.backing_images["two"].state == "rejected"


def test_storage_available_counts_every_byte_against_the_available_ones():
    """The text to the letter: written bytes sit in the sum and are missing from what is available."""
    book = Book("100Gi", policy="storage-available", over=1000, least=90, available="40Gi", written={"old-dir": "60Gi"})
    book.holds(replica("old", healthy=True))
    book.asks(old="60Gi")
    book.asks(new=1)
    assert book.refused() == {"new": "storage-available"}


def test_grants_of_one_data_directory_share_their_bytes():
    """A volume that migrates has two replicas over one directory: it must not be asked to pay twice."""
    book = Book("100Gi")
    book.holds(replica("r", directory="shared"), replica("r-next", directory="shared"), replica("other"))
    book.asks(r="100Gi")
    book.asks(**{"r-next": "100Gi"})
    assert book.granted() == {"r": 100 * GI, "r-next": 100 * GI}
    assert book.condition("OverLimit") is None
    book.asks(other=1)
    assert book.refused() == {"other": "over-provisioning"}


def test_the_recorded_limit_is_the_sum_with_the_room():
    """Another controller reads limit - storageScheduled: it must be what a newcomer could get, shared directories or not."""
    book = Book("100Gi")
    book.holds(replica("r", directory="shared"), replica("r-next", directory="shared"))
    book.asks(r="30Gi", **{"r-next": "30Gi"})
    assert book.status.storage_scheduled == 60 * GI
    assert book.status.limit.bytes - book.status.storage_scheduled == 70 * GI
    book.asks(fill="70Gi")
    assert book.entry("fill") == ("scheduled", 70 * GI)


def test_a_directory_that_names_a_path_joins_no_group():
    """Sharing is free, so nobody may claim an image's directory for a replica."""
    book = Book("100Gi")
    book.holds(replica("sly", directory="backing-images/golden"))
    book.asks_for_images(golden="60Gi")
    book.asks(sly="60Gi")
    assert book.refused() == {"sly": "over-provisioning"}


def test_images_and_replicas_are_judged_by_the_same_numbers():
    """D-04: one piece of logic decides for both."""
    for_replica, for_image = Book("100Gi"), Book("100Gi")
    for wanted in ("100Gi", size("100Gi") + 1):
        for_replica.asks(x=wanted)
        for_image.asks_for_images(x=wanted)
        replica_entry, image_entry = for_replica.status.replicas["x"], for_image.status.backing_images["x"]
        assert replica_entry == image_entry
        assert for_replica.status.limit == for_image.status.limit


def test_an_image_and_a_replica_never_both_get_the_last_bytes():
    """D-03: images pass the same books."""
    book = Book("100Gi")
    book.asks_for_images(golden="60Gi")
    book.asks(r="60Gi")
    assert book.refused() == {"r": "over-provisioning"}


@pytest.mark.parametrize(
    "numbers",
    [{"storageMaximum": -1}, {"storageAvailable": -(2**70)}, {"storageMaximum": 0, "storageAvailable": 0}],
)
def test_a_disk_with_senseless_numbers_promises_nothing(numbers):
    """An agent that publishes nonsense must not open the gate."""
    book = Book("100Gi", **numbers)
    book.asks(a="1Gi")
    assert book.entry("a") == ("rejected", 0)
    assert book.status.limit.bytes == 0


def test_numbers_beyond_the_wire_are_cut_to_it():
    """What is recorded must be readable by every client: 64 bits."""
    book = Book(2**70, over=1_000_000, written={"d": 2**80})
    book.asks(a=2**70, b=2**70)
    for number in (book.status.limit.bytes, book.status.storage_scheduled, *book.granted().values()):
        assert 0 <= number < 2**63
