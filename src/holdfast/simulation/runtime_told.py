"""Counts what programs tell as events, and holds it against the events that are stored.

Telling never fails. What comes up again is one event with a count, which is never more than what was told, and no less unless a
program said that it lost some, or died.
"""

from collections import Counter
from typing import Protocol

from holdfast.api.core import ConfigMap, Event
from holdfast.api.meta import Object, ObjectMeta
from holdfast.simulation.runtime_history import History, Violates
from holdfast.simulation.world import NAMESPACE

_LOSSES = ("failed", "dropped", "spam")


class Speaks(Protocol):
    """The events of one process."""

    def emit(self, obj: Object, type_: str, reason: str, message: str) -> None: ...


class Counts(Protocol):
    """The metrics of one process, by name."""

    def get_sample_value(self, name: str, labels: dict[str, str]) -> float | None: ...


Matter = tuple[str, str]
"""The name of the object that is told of, and what is told."""


class Ears:
    """All that is told in a world."""

    def __init__(self, history: History, violates: Violates) -> None:
        self._history = history
        self._violates = violates
        self._told: Counter[Matter] = Counter()
        self._by_life: dict[object, set[Matter]] = {}
        self._incomplete: set[Matter] = set()

    def emit(self, life: object, events: Speaks, matter: Matter) -> None:
        about, message = matter
        self._told[matter] += 1
        self._by_life.setdefault(life, set()).add(matter)
        try:
            events.emit(ConfigMap(metadata=ObjectMeta(name=about, namespace=NAMESPACE, uid=f"uid-of-{about}")), "Normal", "Told", message)
        except Exception as failure:  # noqa: BLE001 - whatever it is, the teller must not suffer
            self._violates("telling costs nothing", about, repr(failure))

    def ends(self, life: object) -> None:
        """The program is gone, with what it had not written yet."""
        self._incomplete |= self._by_life.pop(life, set())

    def hears_losses(self, life: object, metrics: Counts) -> None:
        """What a program says of itself."""
        if any(metrics.get_sample_value("holdfast_events_total", {"result": loss}) for loss in _LOSSES):
            self._incomplete |= self._by_life.get(life, set())

    def at_rest(self) -> None:
        stored: Counter[Matter] = Counter()
        names: Counter[Matter] = Counter()
        for event in self._history.all(Event).values():
            matter = event.involved_object.name, event.message
            stored[matter] += event.count
            names[matter] += 1
        for matter, told in sorted(self._told.items()):
            if names[matter] > 1:
                self._violates("what is told again is one event", " ".join(matter), f"{names[matter]} events")
            if stored[matter] > told:
                self._violates("an event counts what was told", " ".join(matter), f"{stored[matter]}, and told was {told}")
            elif stored[matter] < told and matter not in self._incomplete:
                self._violates("an event counts what was told", " ".join(matter), f"{stored[matter]} of {told}, and nobody lost any")
