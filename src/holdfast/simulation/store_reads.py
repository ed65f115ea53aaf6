"""What a read tells is the durable state of one moment while it was under way: no older than what anybody had been told before.

Every object and every list is compared whole with the chronicle, so a read of what is not durable yet is found, too.
"""

from collections.abc import Iterator
from typing import Final

from holdfast.simulation.store_calls import Call
from holdfast.simulation.store_chronicle import Chronicle, Document, Key, Selection, subject, version_of

Broken = Iterator[tuple[str, str]]

MOMENT: Final = "a read tells the durable state of one moment"
PAGES: Final = "the pages of a list show one moment"


def got(call: Call, answer: Document, chronicle: Chronicle) -> Broken:
    version = version_of(answer)
    change = chronicle.change(int(version)) if version.isdecimal() else None
    if change is None or change.key != call.key or change.after != answer:
        yield MOMENT, f"{call} found version {version}, which is not stored"
        return
    later = chronicle.next(call.key, change.revision)
    if later is not None and later.revision <= call.floor:
        yield MOMENT, f"{call} found version {version}, and {later.revision}, which replaced it, was told before"


def got_nothing(call: Call, chronicle: Chronicle) -> Broken:
    if None not in chronicle.during(call.key, call.floor, call.until):
        yield MOMENT, f"{call} found nothing, and it was there all the time from {call.floor} to {call.until}"


def listed(call: Call, selection: Selection, answer: Document, chronicle: Chronicle) -> Broken:
    """A list of the newest state, in one piece."""
    revision = int(answer["metadata"]["resourceVersion"])
    if not call.floor <= revision <= chronicle.revision:
        yield MOMENT, f"{call} tells revision {revision}, and it was {call.floor} when it began and {chronicle.revision} at its end"
    yield from shows(call, selection, answer, revision, chronicle)


def shows(call: Call, selection: Selection, answer: Document, revision: int, chronicle: Chronicle) -> Broken:
    """The items are those of a revision."""
    expected = list(chronicle.present(selection, revision).items())
    yield from _compared(f"{call} at revision {revision}", expected, answer["items"])


def page(call: Call, selection: Selection, answer: Document, start: int, limit: int, chronicle: Chronicle) -> Broken:
    """One page of a list, which says itself of which revision it is."""
    revision = int(answer["metadata"]["resourceVersion"])
    expected = list(chronicle.present(selection, revision).items())
    for promise, numbers in _compared(f"{call} at revision {revision} from {start}", expected[start : start + limit], answer["items"]):
        yield PAGES if promise == MOMENT else promise, numbers
    if not answer["metadata"].get("continue") and start + limit < len(expected):
        yield PAGES, f"{call} ends after {start + limit} of {len(expected)}"


def _compared(what: str, expected: list[tuple[Key, Document]], items: list[Document]) -> Broken:
    if [_plain(obj) for _, obj in expected] == [_plain(item) for item in items]:
        return
    wanted = ", ".join(f"{subject(key)} {version_of(obj)}" for key, obj in expected) or "nothing"
    found = (
        ", ".join(f"{item['metadata'].get('namespace', '')}/{item['metadata']['name']} {version_of(item)}" for item in items) or "nothing"
    )
    yield MOMENT, f"{what} tells {found}; stored is {wanted}"


def _plain(obj: Document) -> Document:
    """The items of a list do not all say what they are."""
    return {name: value for name, value in obj.items() if name not in {"apiVersion", "kind"}}
