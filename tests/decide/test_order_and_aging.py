"""Who is served first, and when an elder may hold up the young. D-48."""

import pytest
from tests.support.ledgers import NOW, Book, image, replica

GI = 2**30


def test_the_oldest_object_is_served_first():
    """The age of the object counts, not that of the ask: a replica that was moved does not lose its place."""
    book = Book("100Gi")
    book.holds(replica("a", age=10), replica("z", age=100))
    book.asks(a="60Gi", z="60Gi")
    assert book.granted() == {"z": 60 * GI}


def test_of_one_age_the_name_decides():
    """Two managers must come to the same verdict."""
    book = Book("100Gi")
    book.holds(replica("b", age=10), replica("a", age=10))
    book.asks(b="60Gi", a="60Gi")
    assert book.granted() == {"a": 60 * GI}


def test_an_unknown_object_is_the_youngest():
    """An ask written by hand takes nothing from one whose object is known."""
    book = Book("100Gi")
    book.holds(replica("known", age=0))
    book.asks(by_hand="60Gi", known="60Gi")
    assert book.granted() == {"known": 60 * GI}


def test_images_and_replicas_stand_in_one_line():
    """D-04: an old image comes before a young replica, and the other way round."""
    book = Book("100Gi")
    book.holds(replica("r", age=10), image("i", age=100))
    book.schedule = book.schedule.__class__(
        metadata=book.schedule.metadata,
        spec=type(book.schedule.spec)(name="example-disk", node_id="example-node", replicas={"r": 60 * GI}, backing_images={"i": 60 * GI}),
    )
    book.decides()
    assert book.entry("r") == ("rejected", 0)
    assert book.status.backing_images["i"].scheduled_size == 60 * GI


def test_a_refused_elder_blocks_nobody_at_first():
    """A large ask that does not fit must not idle the disk."""
    book = Book("100Gi")
    book.holds(replica("elder", age=100), replica("young", age=10))
    book.asks(fill="50Gi")
    book.asks(elder="80Gi", young="20Gi")
    assert book.granted() == {"fill": 50 * GI, "young": 20 * GI}


def starving(aging: str = "10m", wanted: str = "80Gi") -> Book:
    """An elder that was refused because others hold half the disk."""
    book = Book("100Gi", aging=aging)
    book.holds(replica("elder", age=1000), replica("young", age=10))
    book.asks(fill="50Gi")
    book.asks(elder=wanted)
    return book


def test_an_elder_that_waited_long_holds_up_younger_growth():
    """Under lasting overload a large ask would starve for ever."""
    book = starving()
    book.passes(600)
    book.asks(young="20Gi")
    assert book.refused() == {"elder": "over-provisioning", "young": "behind-elder"}
    book.releases("fill")
    assert book.granted() == {"elder": 80 * GI, "young": 20 * GI}


def test_an_elder_is_patient_until_its_time():
    """One second before, nobody waits for it."""
    book = starving()
    book.passes(599)
    book.asks(young="20Gi")
    assert book.entry("young") == ("scheduled", 20 * GI)


def test_aging_can_be_turned_off():
    """0 = never: throughput before fairness, if the administrator says so."""
    book = starving(aging="0")
    book.passes(1_000_000)
    book.asks(young="20Gi")
    assert book.entry("young") == ("scheduled", 20 * GI)


def test_an_ask_that_no_such_disk_could_hold_blocks_nobody():
    """It would block for ever and get nothing."""
    book = starving(wanted="101Gi")
    book.passes(600)
    book.asks(young="20Gi")
    assert book.entry("young") == ("scheduled", 20 * GI)


def test_an_elder_does_not_hold_up_its_own_elders():
    """Only younger growth waits."""
    book = starving()
    book.holds(replica("eldest", age=5000))
    book.passes(600)
    book.asks(eldest="20Gi")
    assert book.entry("eldest") == ("scheduled", 20 * GI)


def test_an_elder_holds_up_no_shrink_and_no_release():
    """Both make room for it."""
    book = starving()
    book.passes(600)
    book.asks(fill="10Gi")
    assert book.granted() == {"fill": 10 * GI, "elder": 80 * GI}


def test_an_elder_does_not_hold_up_what_takes_nothing():
    """A migrating volume's second replica shares the bytes of the first."""
    book = starving()
    book.holds(replica("fill", age=1, directory="shared"), replica("fill-next", age=0, directory="shared"))
    book.passes(600)
    book.asks(**{"fill-next": "50Gi"})
    assert book.entry("fill-next") == ("scheduled", 50 * GI)


def test_an_elder_whose_object_is_gone_blocks_nobody():
    """Nobody wants those bytes any more."""
    book = starving()
    book.objects.clear()
    book.gone = {next(answer.ask.key for answer in book.verdict.answers if answer.ask.key.name == "elder"): NOW}
    book.passes(600)
    book.asks(young="20Gi")
    assert book.entry("young") == ("scheduled", 20 * GI)


def test_a_waiting_growth_ages_too():
    """An expansion can starve like a placement."""
    book = Book("100Gi", aging="1m")
    book.holds(replica("elder", age=1000), replica("young", age=10))
    book.asks(fill="50Gi", elder="20Gi")
    book.passes(3600)
    book.asks(elder="70Gi")
    book.passes(60)
    book.asks(young="10Gi")
    assert book.refused() == {"elder": "over-provisioning", "young": "behind-elder"}


@pytest.mark.parametrize("since", ["", "long ago", "9999-12-31T23:59:59Z"])
def test_a_time_edited_by_hand_gives_no_seniority(since):
    """Only a time that can be read, and lies in the past, counts as waiting."""
    book = starving()
    elder = book.status.replicas["elder"]
    book.records(elder=type(elder)(state=elder.state, scheduled_size=0, last_transition_time=since))
    book.asks(young="20Gi")
    assert book.entry("young") == ("scheduled", 20 * GI)
