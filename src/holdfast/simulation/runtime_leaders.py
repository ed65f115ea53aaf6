"""Who believes to lead, at the true time: never two, never after the right to it is over, and each with a number of its own."""

from typing import Protocol

from holdfast.simulation.runtime_history import Violates

#: Work may take so long to hear that it has to end, in seconds of the leader's own clock.
_GRACE = 0.5


class Right(Protocol):
    """A leadership, as its holder sees it."""

    @property
    def epoch(self) -> int: ...

    @property
    def holds(self) -> bool: ...

    @property
    def remaining(self) -> float: ...


class Leaders:
    """Of one lease."""

    def __init__(self, violates: Violates) -> None:
        self._violates = violates
        self._leading: dict[str, Right] = {}
        self._highest = 0

    @property
    def holding(self) -> list[str]:
        """Those who may act as the leader, by what they know."""
        return [who for who, right in self._leading.items() if right.holds]

    def begins(self, who: str, right: Right) -> None:
        if right.epoch <= self._highest:
            self._violates("each leader has a number of its own", who, f"epoch {right.epoch} after {self._highest}")
        self._highest = max(self._highest, right.epoch)
        if self._leading:
            self._violates("one leads", who, f"it began to while {', '.join(self._leading)} had not ended")
        self._leading[who] = right
        self.look()

    def ends(self, who: str) -> None:
        self._leading.pop(who, None)

    def look(self) -> None:
        holding = self.holding
        if len(holding) > 1:
            self._violates("one leads", ", ".join(holding), "each by its own word")
        for who, right in self._leading.items():
            if right.remaining < -_GRACE:
                self._violates("work ends with the right to it", who, f"it was over {-right.remaining:.1f} s ago")
