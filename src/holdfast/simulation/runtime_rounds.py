"""Holds the rounds of one controller in one process against what wakes it.

The rules of a queue, written down a second time: a key is in one hand at most, a round has a cause (a change, a look that was asked
for, another try after a failure that is due), and no cause is forgotten. The delay before another try doubles from 5 ms to a minute.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable

from msgspec import Struct

from holdfast.simulation.runtime_history import Violates, now

_FIRST_RETRY = 0.005
_LAST_RETRY = 60.0
_ROUNDING = 0.0001
#: A timer is late by less than this.
_LATENESS = 0.0015
#: So late may a round be that nothing keeps from running, in seconds.
_PROMPT = 1.0
#: At rest no round takes longer.
_LONGEST_ROUND = 10.0


class _Key(Struct):
    """What is known of one key. Changes are counted: a round answers for those that came before it began."""

    changes: int = 0
    answered: int = 0
    """The changes that the last round which ended well had seen."""
    taken: int = 0
    """The changes that the latest round has seen."""
    since: float | None = None
    """When the first change came that no round has seen."""
    may_begin: bool = False
    """A change gives cause for a round."""
    is_due: bool = False
    """So does a timer that has gone by."""
    failures: int = 0
    timer: float | None = None
    """When it may be looked at again, by itself, at the earliest."""
    deadline: float | None = None
    """And when it must have been, since the last round ended. They differ: what was asked for before may come sooner."""
    failures_at_most: int = 0
    """A failure may or may not have been forgotten when keys were shared out anew."""
    is_excused: bool = False
    """Somebody else may have had it meanwhile, so the timer may have gone by."""
    is_running: bool = False
    began: float = 0.0


class Rounds:
    """One controller, one life. ``is_prompt`` says that its rounds are short, so that none has to wait for a hand."""

    def __init__(self, who: str, violates: Violates, *, is_prompt: bool = False) -> None:
        self._who = who
        self._violates = violates
        self._is_prompt = is_prompt
        self._keys: defaultdict[Hashable, _Key] = defaultdict(_Key)
        self._works = False

    # ---- what is told --------------------------------------------------------------------------------------------------------

    def works(self) -> None:
        """From now on there are hands."""
        self._works = True
        for key in self._keys.values():
            key.since = now() if key.since is not None else None

    def woken(self, *names: Hashable) -> None:
        """Something changed that concerns them."""
        for name in names:
            key = self._keys[name]
            key.changes += 1
            key.may_begin = True
            key.since = now() if key.since is None else key.since

    def shared_anew(self, names: Iterable[Hashable]) -> None:
        """Other keys may be this process's own than before: all that exist are looked at, and what was waited for may go by."""
        for key in self._keys.values():
            key.failures = 0
            key.is_excused = True
            key.since = None
        self.woken(*names)
        for key in self._keys.values():
            key.since = None

    def begins(self, name: Hashable) -> None:
        key, time = self._keys[name], now()
        if key.is_running:
            self._broken("a key is in one hand at most", name, f"a round began at {time:.3f}, and that of {key.began:.3f} has not ended")
        if key.timer is not None and time >= key.timer - _ROUNDING:
            key.timer, key.is_due = None, True
        if self._is_prompt and not key.is_excused and key.deadline is not None and time > key.deadline + _PROMPT:
            self._broken("looks are kept", name, f"due at {key.deadline:.3f}, and the round began at {time:.3f}")
        if not (key.may_begin or key.is_due):
            due = "never" if key.timer is None else f"{key.timer:.3f}"
            self._broken("no round without a cause", name, f"after {key.failures} failures, due {due}, it began at {time:.3f}")
        # A change's round may come in the millisecond before that of a timer: it does not use up the timer's.
        key.may_begin, key.is_due = False, key.may_begin and key.is_due
        if self._is_prompt and self._works and key.since is not None and time > key.since + _PROMPT:
            self._broken("a change is looked at soon", name, f"it came at {key.since:.3f}, and the round began at {time:.3f}")
        key.taken, key.since, key.deadline = key.changes, None, None
        key.is_running, key.began = True, time

    def ends_well(self, name: Hashable, wait: float | None) -> None:
        """The round asks for another look after so many seconds, or for none."""
        key = self._ended(name)
        key.answered, key.failures, key.failures_at_most = key.taken, 0, 0
        if wait is not None:
            self._sets(key, wait, wait)

    def fails(self, name: Hashable) -> None:
        key = self._ended(name)
        self._sets(key, _delay(key.failures), _delay(key.failures_at_most))
        key.failures += 1
        key.failures_at_most += 1

    def breaks_off(self, name: Hashable) -> None:
        """The process ends."""
        self._keys[name].is_running = False

    def _ended(self, name: Hashable) -> _Key:
        key = self._keys[name]
        key.is_running = False
        if key.timer is not None and key.timer <= now() + _LATENESS:
            key.timer, key.is_due = None, True  # it went by during the round, or is about to
        return key

    def _sets(self, key: _Key, least: float, most: float) -> None:
        due = now() + least
        key.timer = due if key.timer is None else min(due, key.timer)
        key.deadline, key.is_excused = now() + most, False

    # ---- what must have come of it -------------------------------------------------------------------------------------------

    def at_rest(self, concerns: Callable[[Hashable], bool]) -> None:
        """``concerns`` says which keys this process has to see to now."""
        for name, key in self._keys.items():
            if not concerns(name):
                continue
            if key.is_running and now() > key.began + _LONGEST_ROUND:
                self._broken("a round ends", name, f"it began at {key.began:.3f}")
            elif key.deadline is not None and not key.is_excused and now() > key.deadline + _PROMPT:
                self._broken("looks are kept", name, f"due at {key.deadline:.3f}, and it is {now():.3f}")
            elif key.answered < key.changes and not key.failures and not key.is_running:
                self._broken("no change is forgotten", name, f"{key.changes - key.answered} without a round that ended well")

    def _broken(self, promise: str, name: Hashable, numbers: str) -> None:
        self._violates(promise, f"{self._who} {name}", numbers)


def _delay(failures: int) -> float:
    return min(_FIRST_RETRY * 2.0 ** min(failures, 20), _LAST_RETRY)
