"""Counts what programs tell as events, and holds it against the events that are stored.

Telling never fails. What comes up again is one event with a count, which is never more than what was told, and no less unless a
program said that it lost some, or died.
"""

from collections import Counter
from typing import Protocol

from holdfast.api.core import ConfigMap, Event
from holdfast.api.meta import Object, ObjectMeta
from holdfast.kube.metrics import Metrics
from holdfast.simulation.runtime_history import History, Violates
from holdfast.simulation.world import NAMESPACE


class Speaks(Protocol):
    """The events of one process."""

    def emit(self, obj: Object, type_: str, reason: str, message: str) -> None: ...


class Overheard(Metrics):
    """The metrics of one process: whether it said that an event was lost. What it says of requests and rounds, nobody asks here."""

    def __init__(self) -> None:
        super().__init__()
        self.has_lost = False

    def event(self, result: str) -> None:
        self.has_lost = self.has_lost or result != "written"

    def requested(self, method: str, code: int, seconds: float) -> None:
        """Not asked for."""

    def reconciled(self, controller: str, result: str, seconds: float) -> None:
        """Not asked for."""


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

    def hears_losses(self, life: object, metrics: Overheard) -> None:
        """What a program says of itself."""
        if metrics.has_lost:
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
