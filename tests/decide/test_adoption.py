"""Data that was on the disk before anybody kept books."""

import pytest
from tests.support.ledgers import Book, image, replica

GI = 2**30


def test_a_replica_that_was_healthy_here_is_adopted():
    """Refusing bytes that are there would not make them smaller, and would stop a running volume."""
    book = Book("100Gi")
    book.holds(replica("r", healthy=True))
    book.asks(r="60Gi")
    assert book.entry("r") == ("scheduled", 60 * GI)
    assert book.status.replicas["r"].adopted


def test_adoption_does_not_ask_whether_it_fits():
    """The disk is over its limit already; now its books say so, and nothing more is granted."""
    book = Book("100Gi")
    book.holds(replica("r", healthy=True), replica("s", healthy=True))
    book.asks(r="80Gi", s="80Gi", new="1Gi")
    assert book.granted() == {"r": 80 * GI, "s": 80 * GI}
    assert book.refused() == {"new": "over-provisioning"}
    assert book.condition("OverLimit").status == "True"


def test_adoption_comes_before_the_growth_of_elders():
    """What is there can not wait for its turn."""
    book = Book("100Gi")
    book.holds(replica("young", age=1, healthy=True), replica("old", age=100))
    book.asks(young="60Gi", old="60Gi")
    assert book.granted() == {"young": 60 * GI}


@pytest.mark.parametrize("newcomer", [replica("r"), replica("r", healthy=True, on="another-disk")])
def test_a_replica_without_data_here_is_a_newcomer(newcomer):
    """Never healthy, or healthy elsewhere: no bytes of it are on this disk."""
    book = Book("100Gi")
    book.holds(newcomer)
    book.asks(r="200Gi")
    assert book.entry("r") == ("rejected", 0)


def test_a_replica_with_a_verdict_is_not_adopted():
    """A refused one did not become healthy here by itself; adopting it would undo the refusal."""
    book = Book("100Gi")
    book.asks(r="200Gi")
    book.holds(replica("r", healthy=True))
    book.decides()
    assert book.entry("r") == ("rejected", 0)


def test_only_the_object_that_the_token_names_is_adopted():
    """A healthy replica that bears the name of a dead one is not the one that asked."""
    book = Book("100Gi")
    book.holds(replica("r", uid="another", healthy=True))
    book.asks({"r": "this/1/0"}, r="200Gi")
    assert book.entry("r") == ("rejected", 0)


def test_an_image_whose_file_is_ready_here_is_adopted():
    """Images were there before the books as well."""
    book = Book("10Gi")
    book.holds(image("golden", state="ready"), image("coming", state="in-progress"))
    book.asks_for_images(golden="20Gi", coming="20Gi")
    assert book.status.backing_images["golden"].adopted
    assert book.status.backing_images["coming"].state == "rejected"


def test_the_growth_of_an_adopted_grant_is_asked_whether_it_fits():
    """The exception is for what was there, not for what comes."""
    book = Book("100Gi")
    book.holds(replica("r", healthy=True))
    book.asks(r="60Gi")
    book.asks(r="101Gi")
    assert book.entry("r") == ("rejected", 60 * GI)
    assert book.status.replicas["r"].adopted
    book.asks(r="100Gi")
    assert book.entry("r") == ("scheduled", 100 * GI)
    assert not book.status.replicas["r"].adopted


def test_what_is_on_an_absent_disk_is_adopted_too():
    """Books that are opened while a disk is away must not forget what lies on it."""
    book = Book("100Gi")
    book.wanted = {"allowScheduling": False}
    book.holds(replica("r", healthy=True))
    book.asks(r="60Gi", new="1Gi")
    assert book.granted() == {"r": 60 * GI}
