"""At rest nothing is refused that fits: somebody would have had to decide again, and was not woken.

An elder that waited long may block those younger than it; that is no lost wake-up.
"""

from math import inf
from typing import ClassVar

from holdfast.api.timestamps import seconds_of
from holdfast.simulation import recorded_settings as settings
from holdfast.simulation.invariant import BACKING_IMAGE, REPLICA, Broken, Invariant
from holdfast.simulation.past import Past
from holdfast.simulation.recorded_books import REPLICAS, AskKey, Books, part, text_in, whole
from holdfast.simulation.recorded_limit import Basis, Share, basis_now, broken_rules, closed_because, directory_now, is_wanted


class LostWakeups(Invariant):
    promise: ClassVar[str] = "what fits is not refused at rest"

    def at_rest(self, past: Past) -> Broken:
        for books in past.books.values():
            refused = [key for key, grant in books.grants.items() if grant.is_refused and key in books.asks]
            basis = basis_now(books, past) if refused else None
            if basis is None or closed_because(books, basis.node):
                continue
            refused.sort(key=lambda key: _seniority(key, books, past))
            for place, key in enumerate(refused):
                may_be_blocked = place > 0 and settings.seconds(basis.settings.get(settings.AGING, "")) > 0
                if not may_be_blocked and _fits(key, books, basis, past):
                    ask, grant = books.asks[key], books.grants[key]
                    numbers = f"{ask.bytes} bytes are refused ({grant.reason}) with {grant.size} held, and fit"
                    yield f"DiskSchedule {books.namespace}/{books.uuid}", f"{key}: {numbers}"


def _seniority(key: AskKey, books: Books, past: Past) -> tuple[float, str, str]:
    created = inf
    if is_wanted(key, books.asks[key].token, books, past):
        found = past.find(REPLICA if key.side == REPLICAS else BACKING_IMAGE, books.namespace, key.name) or {"metadata": {}}
        created = seconds_of(text_in(found["metadata"], "creationTimestamp")) or inf
    return created, key.name, key.side


def _fits(key: AskKey, books: Books, basis: Basis, past: Past) -> bool:
    """Whether every rule would hold with this ask granted and all else as it is."""
    sizes = {each: grant.size for each, grant in books.grants.items()} | {key: books.asks[key].bytes}
    taken = []
    for each, size in sizes.items():
        ask = books.asks.get(each)
        taken.append(Share(directory_now(each, (ask or books.grants[each]).token, books, past), size))
    brought = sum(_brought(each, size, books, past) for each, size in sizes.items() if size)
    return not any(broken_rules(books, basis, taken, brought))


def _brought(key: AskKey, size: int, books: Books, past: Past) -> int:
    """What a copy of an image that is not there yet will write at once."""
    found = past.find(BACKING_IMAGE, books.namespace, key.name) if key.side != REPLICAS else None
    status = part(found or {}, "status")
    if text_in(part(part(status, "diskFileStatusMap"), books.uuid), "state") == "ready":
        return 0
    return max(0, min(size, whole(status.get("realSize")) or whole(status.get("size"))))
