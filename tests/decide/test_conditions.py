"""What a DiskSchedule says about itself. D-40."""

from tests.support.ledgers import NOW, UNREADY, Book, disk_status, node, replica

GI = 2**30


def orphan(book: Book, name: str, since: float = NOW) -> None:
    book.gone[next(answer.ask.key for answer in book.verdict.answers if answer.ask.key.name == name)] = since


def test_a_ready_disk_says_so():
    """D-40: type, status, empty reason, empty probe time, a time, and a message that names disk and node."""
    book = Book()
    book.decides()
    (condition,) = book.status.conditions
    assert (condition.type, condition.status, condition.reason) == ("Schedulable", "True", "")
    assert condition.last_probe_time == ""
    assert condition.last_transition_time == "2006-01-02T15:04:05Z"
    assert condition.message == "Disk example-disk is ready for scheduling on node example-node"


def test_a_condition_keeps_its_time_while_its_status_stays():
    """Since when a disk is closed is what a person wants to know."""
    book = Book()
    book.decides()
    book.passes(60)
    assert book.condition("Schedulable").last_transition_time == "2006-01-02T15:04:05Z"
    book.node = node(conditions=UNREADY)
    book.passes(60)
    assert book.condition("Schedulable").last_transition_time == "2006-01-02T15:06:05Z"
    book.node = node(disk_status(conditions=UNREADY))
    book.passes(60)
    assert book.condition("Schedulable").reason == "DiskNotReady"
    assert book.condition("Schedulable").last_transition_time == "2006-01-02T15:06:05Z"


def test_over_the_limit_is_said_with_numbers_and_leaves_with_its_cause():
    """Nothing is taken back, so somebody has to be told."""
    book = Book("100Gi")
    book.asks(a="80Gi")
    book.total = "60Gi"
    book.decides()
    said = book.condition("OverLimit")
    assert (said.status, said.reason) == ("True", "OverLimit")
    assert said.message == (
        "80Gi is scheduled and the limit is 60Gi (over-provisioning), 20Gi too much: grants stay, nothing more is granted"
    )
    book.asks(a="60Gi")
    assert book.condition("OverLimit") is None


def test_asks_whose_object_is_gone_are_listed():
    """A person who tries the ledger by hand sees what will happen to the ask."""
    book = Book()
    book.asks(a="1Gi", b="1Gi", c="1Gi")
    orphan(book, "c")
    orphan(book, "a")
    book.decides()
    condition = book.condition("OrphanedAsks")
    assert (condition.status, condition.reason) == ("True", "NoObject")
    assert condition.message == "no object stands behind 2 asks: replica a, replica c; removed after disk-schedule-orphan-grace"


def test_an_orphan_is_flagged_in_its_entry_and_still_decided():
    """Orphans count until they are removed: their bytes may be on the disk."""
    book = Book("100Gi")
    book.asks(a="60Gi")
    orphan(book, "a", NOW - 5)
    verdict = book.asks(b="60Gi")
    assert book.status.replicas["a"].orphaned_since == "2006-01-02T15:04:00Z"
    assert book.granted() == {"a": 60 * GI}
    assert verdict.look_again_at == NOW - 5 + 600


def test_the_flag_stays_until_the_object_is_seen():
    """Since when it is gone survives a restart: it is written in the status."""
    book = Book()
    book.asks(a="1Gi")
    orphan(book, "a")
    book.decides()
    orphan(book, "a", NOW + 300)
    book.passes(300)
    assert book.status.replicas["a"].orphaned_since == "2006-01-02T15:04:05Z"
    book.gone.clear()
    assert book.passes(300).look_again_at == NOW + 600
    book.holds(replica("a"))
    book.passes(1)
    assert book.status.replicas["a"].orphaned_since == ""
    assert book.condition("OrphanedAsks") is None


def test_an_ask_that_was_written_again_is_judged_again():
    """The flag was for the old intent."""
    book = Book()
    book.asks({"a": "u/1/0"}, a="1Gi")
    orphan(book, "a")
    book.decides()
    book.gone.clear()
    book.asks({"a": "v/1/0"}, a="1Gi")
    assert book.status.replicas["a"].orphaned_since == ""


def test_a_long_list_of_orphans_is_cut():
    """A condition is a line, not a dump."""
    book = Book()
    names = [f"r{number:02}" for number in range(40)]
    book.asks(**dict.fromkeys(names, "1Mi"))
    for name in names:
        orphan(book, name)
    book.decides()
    assert "40 asks: replica r00, replica r01, replica r02, replica r03, replica r04 and 35 more;" in book.condition("OrphanedAsks").message
