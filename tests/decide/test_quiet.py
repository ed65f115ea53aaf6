"""When nothing new is to be said, nothing is written."""

from tests.support.ledgers import Book, disk_status, node

from holdfast.decide.ledger import worth_writing

GI = 2**30


def test_another_revision_with_the_same_numbers_is_no_news():
    """An agent that reports every 30 s must not make every disk's books be written every 30 s."""
    book = Book()
    book.node = node(revision="1")
    before = book.asks(a="50Gi").status
    book.node = node(revision="2")
    assert not worth_writing(before, book.decides().status)


def test_other_numbers_are_news():
    """Others read the room from the status: it must be right."""
    book = Book()
    before = book.asks(a="50Gi").status
    book.becomes(available=100 * GI)
    assert worth_writing(before, book.decides().status)


def test_a_first_verdict_is_always_news():
    """Even an empty disk says that it is ready, and what it can hold."""
    book = Book()
    before = book.status
    assert worth_writing(before, book.decides().status)


def test_a_verdict_that_does_not_change_is_no_news_as_time_passes():
    """Rejected asks stay where they are and cost nothing."""
    book = Book("100Gi")
    before = book.asks(a="60Gi", b="60Gi").status
    assert not worth_writing(before, book.passes(100_000).status)


def test_a_grant_records_the_revisions_it_rests_on():
    """The promise can be checked later only against what it was made with."""
    book = Book(over=150)
    book.node = node(disk_status(), revision="7")
    book.asks(a="1Gi")
    book.node = node(disk_status(), revision="8")
    limit = book.asks(a="2Gi").status.limit
    assert (limit.node_revision, limit.policy) == ("8", "written-aware")
    assert limit.settings_revisions == {"storage-minimal-available-percentage": "1", "storage-over-provisioning-percentage": "1"}


def test_an_answer_tells_whether_anything_grew():
    """Only then do the revisions have to be those of this very moment."""
    book = Book("100Gi")
    assert book.asks(a="60Gi").grows
    assert not book.asks(b="60Gi").grows
    assert not book.asks(a="10Gi", b=0).grows
